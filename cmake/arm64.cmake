# Toolchain for arm64 with Debian's cross compiler: -DCMAKE_TOOLCHAIN_FILE=cmake/arm64.cmake -DKIRCHHOFF_SYSROOT=FOLDER,
# where FOLDER is an unpacked Debian with the libraries (scripts/dist/sysroot makes it). Tests run under qemu-user.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)

list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES KIRCHHOFF_SYSROOT)
if(NOT IS_DIRECTORY "${KIRCHHOFF_SYSROOT}")
  message(FATAL_ERROR "KIRCHHOFF_SYSROOT (${KIRCHHOFF_SYSROOT}) is no folder; scripts/dist/sysroot makes one")
endif()
set(CMAKE_SYSROOT "${KIRCHHOFF_SYSROOT}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(library_dir "${CMAKE_SYSROOT}/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}")
set(ENV{PKG_CONFIG_SYSROOT_DIR} "${CMAKE_SYSROOT}")
set(ENV{PKG_CONFIG_LIBDIR} "${library_dir}/pkgconfig:${CMAKE_SYSROOT}/usr/lib/pkgconfig:${CMAKE_SYSROOT}/usr/share/pkgconfig")

# An installed Debian has links to its choice of LAPACK; an unpacked one has only the folders of the reference.
set(lapack "-L${library_dir}/lapack -L${library_dir}/blas -Wl,-rpath-link,${library_dir}/lapack:${library_dir}/blas")
string(APPEND CMAKE_EXE_LINKER_FLAGS_INIT " ${lapack}")
string(APPEND CMAKE_SHARED_LINKER_FLAGS_INIT " ${lapack}")
string(APPEND CMAKE_MODULE_LINKER_FLAGS_INIT " ${lapack}")
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L "${CMAKE_SYSROOT}" -E
    "LD_LIBRARY_PATH=/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/lapack:/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/blas")
