# How kernels for CUDA devices are compiled. nvcc compiles nothing else, and CUDA's runtime is linked statically: a library
# with CUDA runs on machines without it.

# Machine code for the cards that compute in double precision at speed, and code that drivers can compile for all others.
if(NOT CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 75-virtual 80-real 90-real)
endif()
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
enable_language(CUDA)

# What links the static library later needs the runtime, too, and may know no CUDA: the package says where it was.
find_library(KIRCHHOFF_CUDART cudart_static HINTS ${CMAKE_CUDA_HOST_IMPLICIT_LINK_DIRECTORIES} NO_DEFAULT_PATH REQUIRED)
cmake_path(GET KIRCHHOFF_CUDART PARENT_PATH KIRCHHOFF_CUDART_DIR)
