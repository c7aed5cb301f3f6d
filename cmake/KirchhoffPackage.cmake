# The Debian package of program, library, headers, man pages and service (cpack -G DEB; see scripts/dist/debian).
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "The Kirchhoff contributors <kirchhoff@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "The program kirchhoff with its manual, the shared library, and the headers.
Trees, decoding, samples, probabilities, entropies, expectations and their
gradients, and a dependency parser built on them.")
# What the library needs at run time is found by looking at it. Its headers need Eigen's.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${PROJECT_BINARY_DIR}/src")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libeigen3-dev (>= 3.4)")
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
# The service of `kirchhoff serve`, which nothing starts or enables until somebody does. The scripts tell systemd of it,
# and the dynamic linker of the library.
set(CPACK_INSTALLED_DIRECTORIES "${PROJECT_SOURCE_DIR}/packaging/systemd" usr/lib/systemd/system)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA "${PROJECT_SOURCE_DIR}/packaging/debian/postinst"
                                       "${PROJECT_SOURCE_DIR}/packaging/debian/prerm"
                                       "${PROJECT_SOURCE_DIR}/packaging/debian/postrm")
include(CPack)
