# Headers, library, and the two ways to find them: find_package(kirchhoff) and pkg-config.
include(CMakePackageConfigHelpers)
get_target_property(library_type kirchhoff TYPE)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/kirchhoff")

install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/kirchhoff" "${PROJECT_BINARY_DIR}/include/kirchhoff"
        DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.hpp")
install(TARGETS kirchhoff EXPORT kirchhoff-targets)
install(EXPORT kirchhoff-targets NAMESPACE kirchhoff:: DESTINATION "${package_dir}")

configure_package_config_file(cmake/kirchhoff-config.cmake.in "${PROJECT_BINARY_DIR}/kirchhoff-config.cmake"
                              INSTALL_DESTINATION "${package_dir}" NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/kirchhoff-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/kirchhoff-config.cmake" "${PROJECT_BINARY_DIR}/kirchhoff-config-version.cmake"
        DESTINATION "${package_dir}")

# pkg-config: the prefix is relative to the file. A static library needs its private dependencies at link time, and few
# callers think of --static, so there they are public. A shared library brings them along, and its callers need not have
# their headers, which pkg-config would ask for even as Requires.private.
set(pc_dir "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
file(RELATIVE_PATH pc_to_prefix "${CMAKE_INSTALL_PREFIX}/${pc_dir}" "${CMAKE_INSTALL_PREFIX}")
set(pc_requires "eigen3 >= 3.4")
if(library_type STREQUAL "STATIC_LIBRARY")
  string(APPEND pc_requires ", tbb, libhwy")
  if(COIN_FOUND)
    string(APPEND pc_requires ", clp")
  endif()
endif()
set(pc_cuda "")
if(library_type STREQUAL "STATIC_LIBRARY" AND KIRCHHOFF_WITH_CUDA)
  set(pc_cuda " -L${KIRCHHOFF_CUDART_DIR} -lcudart_static -lrt -ldl -pthread")
endif()
configure_file(cmake/kirchhoff.pc.in "${PROJECT_BINARY_DIR}/kirchhoff.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/kirchhoff.pc" DESTINATION "${pc_dir}")

# What Debian asks of a package, and others may like.
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" RENAME copyright DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(FILES "${PROJECT_SOURCE_DIR}/CHANGELOG.md" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
