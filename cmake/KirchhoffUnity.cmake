# Compiles the sources of each folder as one file, and all kernels as one, when KIRCHHOFF_UNITY is on: what they include
# is read, and what they instantiate is compiled, once. A build from scratch, such as that of pip, takes half as long; a
# change costs more. Folders are not mixed, because a function that is local to a file of one can be a better match for a
# call in another, as wfsm's escaped() was for that of draw, and nothing warns of it. Kernels can be mixed, because those
# of each folder have a namespace of their own.
set_target_properties(kirchhoff PROPERTIES UNITY_BUILD ${KIRCHHOFF_UNITY} UNITY_BUILD_MODE GROUP)
get_target_property(sources kirchhoff SOURCES)
foreach(source IN LISTS sources)
  file(STRINGS "${source}" kernel REGEX "define HWY_TARGET_INCLUDE")
  if(NOT kernel)
    string(REGEX MATCH "^[a-z]+" folder "${source}")
    set_source_files_properties("${source}" PROPERTIES UNITY_GROUP "${folder}")
  elseif(KIRCHHOFF_UNITY)
    set_source_files_properties("${source}" PROPERTIES HEADER_FILE_ONLY ON)
    string(APPEND kernels "#include \"${source}\"\n")
  endif()
endforeach()
if(NOT KIRCHHOFF_UNITY)
  return()
endif()

# Highway reads the file that HWY_TARGET_INCLUDE names once for each instruction set. Every kernel names itself, so the
# file of them all must name itself again at its end.
set(all_kernels "${CMAKE_CURRENT_BINARY_DIR}/kernels.cpp")
set(name_itself "#undef HWY_TARGET_INCLUDE\n#define HWY_TARGET_INCLUDE \"${all_kernels}\"\n")
file(CONFIGURE OUTPUT "${all_kernels}" @ONLY
     CONTENT "${name_itself}#include \"numeric/simd/highway.hpp\"\n${kernels}${name_itself}")
target_sources(kirchhoff PRIVATE "${all_kernels}")

# A class of a source file that holds something of its anonymous namespace looks to GCC like one of a header, and a local
# name that another file has for a constant like one that hides it. Builds file by file have these warnings.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  target_compile_options(kirchhoff PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage;-Wno-shadow>")
endif()
