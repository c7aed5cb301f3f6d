# Compiles the sources of each folder as one file, when KIRCHHOFF_UNITY is on: what they include is read, and what they
# instantiate is compiled, once. A build from scratch, such as that of pip, takes a third less; a change costs more.
# Kernels stay alone, because Highway reads each of them once per instruction set.
set_target_properties(kirchhoff PROPERTIES UNITY_BUILD ${KIRCHHOFF_UNITY} UNITY_BUILD_MODE GROUP)
get_target_property(sources kirchhoff SOURCES)
foreach(source IN LISTS sources)
  if(NOT source MATCHES "/(kernels|simd)/")
    string(REGEX MATCH "^(parser/[a-z]+|[a-z]+)" group "${source}")
    string(REPLACE "/" "_" group "${group}")
    set_source_files_properties("${source}" PROPERTIES UNITY_GROUP "${group}")
  endif()
endforeach()
# A class of a source file that holds something of its anonymous namespace looks to GCC like one of a header.
if(KIRCHHOFF_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  target_compile_options(kirchhoff PRIVATE -Wno-subobject-linkage)
endif()
