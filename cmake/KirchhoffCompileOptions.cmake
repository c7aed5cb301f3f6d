# Options of every target below this directory, ours only: a project that adds us as a subdirectory keeps its own.
# There is no -march=native (Highway picks the instruction set at run time) and never -ffast-math (infinities are data).

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
endif()

set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)  # the static library also goes into shared objects (Python)

# kirchhoff_add_cxx_options(options...): not for nvcc, which knows none of these, and whose own C++ has warnings.
function(kirchhoff_add_cxx_options)
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:${ARGN}>")
endfunction()

# -Wconversion is left out: Eigen's signed indices make it report thousands of harmless lines.
kirchhoff_add_cxx_options(-Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wextra-semi
                          -Wcast-qual -Wredundant-decls)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  kirchhoff_add_cxx_options(-Wduplicated-cond -Wlogical-op)
  # False positives of GCC 12 inside inlined Eigen expressions and std::string when optimising.
  kirchhoff_add_cxx_options(-Wno-maybe-uninitialized -Wno-array-bounds -Wno-stringop-overflow -Wno-restrict)
endif()
if(KIRCHHOFF_WERROR)
  kirchhoff_add_cxx_options(-Werror)
endif()
# GCC collects garbage when its memory has grown by 128 MB. Compiling a whole folder takes more than that, little of which
# is garbage: a thirtieth of the time would go into the collections.
if(KIRCHHOFF_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  kirchhoff_add_cxx_options(--param=ggc-min-heapsize=524288)
endif()

if(KIRCHHOFF_SANITIZE)
  kirchhoff_add_cxx_options(-fsanitize=${KIRCHHOFF_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${KIRCHHOFF_SANITIZE})
  # The address sanitizer finds what these find; they make the kernels four times slower, to compile and to run.
  kirchhoff_add_cxx_options(-fno-sanitize=pointer-overflow,null,object-size,vptr)
endif()

# Half of the time to compile a file goes into Eigen and the standard library: each group of targets reads them once.
# clang-tidy is to see every file as it is.
set(KIRCHHOFF_COMMON_HEADERS <Eigen/Core> <algorithm> <array> <cmath> <cstdint> <functional> <limits> <memory> <optional>
                             <string> <vector>)
if(CMAKE_CXX_CLANG_TIDY)
  set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)
endif()

# An installed program finds an installed shared library wherever the prefix is moved to.
file(RELATIVE_PATH bin_to_lib "${CMAKE_INSTALL_FULL_BINDIR}" "${CMAKE_INSTALL_FULL_LIBDIR}")
set(CMAKE_INSTALL_RPATH "$ORIGIN/${bin_to_lib}")
