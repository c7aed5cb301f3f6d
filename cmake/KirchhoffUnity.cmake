# Compiles the sources of each folder as one file, when KIRCHHOFF_UNITY is on: what they include is read, and what they
# instantiate is compiled, once. A build from scratch, such as that of pip, takes a third less; a change costs more.
# Kernels stay alone, because Highway reads each of them once per instruction set. Folders are not mixed: a function that
# is local to a file of one can be a better match for a call in another, as wfsm's escaped() was for that of draw, and
# nothing warns of it.
set_target_properties(kirchhoff PROPERTIES UNITY_BUILD ${KIRCHHOFF_UNITY} UNITY_BUILD_MODE GROUP)
get_target_property(sources kirchhoff SOURCES)
foreach(source IN LISTS sources)
  if(NOT source MATCHES "/(kernels|simd)/")
    string(REGEX MATCH "^(parser/[a-z]+|[a-z]+)" group "${source}")
    string(REPLACE "/" "_" group "${group}")
    set_source_files_properties("${source}" PROPERTIES UNITY_GROUP "${group}")
  endif()
endforeach()
# A class of a source file that holds something of its anonymous namespace looks to GCC like one of a header, and a local
# name that another file has for a constant like one that hides it. Builds file by file have these warnings.
if(KIRCHHOFF_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  target_compile_options(kirchhoff PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage;-Wno-shadow>")
endif()
