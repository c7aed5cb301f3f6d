# What every build of the library target needs besides its sources.

# kirchhoff/version.hpp is made from the project version, so that the number is written once.
configure_file(cmake/version.hpp.in "${PROJECT_BINARY_DIR}/include/kirchhoff/version.hpp" @ONLY)
target_include_directories(kirchhoff PUBLIC $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>)

# Before 1.0 a minor version may break the ABI, so it is part of the soname.
set_target_properties(kirchhoff PROPERTIES VERSION ${PROJECT_VERSION}
                                           SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})

# Eigen's alignment decides how a matrix is freed, and it depends on the caller's -m flags: a matrix that the library
# returns to a program built with -march=native would be freed the wrong way. 64 bytes fits every instruction set.
set(KIRCHHOFF_EIGEN_ALIGN 64)
target_compile_definitions(kirchhoff PUBLIC EIGEN_MAX_ALIGN_BYTES=${KIRCHHOFF_EIGEN_ALIGN})
