# Compiles the sources of each folder, or of a few small ones, as one file, when KIRCHHOFF_UNITY is on: what they include
# is read, and what they instantiate is compiled, once. A build from scratch, such as that of pip, takes little more than
# half as long; a change costs more. Kernels stay alone, because Highway reads each of them once per instruction set.
# Files that write with fmt go with the drawings, which do so most: it is all headers here, and takes longer to compile
# than what they do with it.
set_target_properties(kirchhoff PROPERTIES UNITY_BUILD ${KIRCHHOFF_UNITY} UNITY_BUILD_MODE GROUP)
get_target_property(sources kirchhoff SOURCES)
foreach(source IN LISTS sources)
  if(NOT source MATCHES "/(kernels|simd)/")
    string(REGEX MATCH "^[a-z]+" group "${source}")
    if(group MATCHES "^(tree|expectation|decode|sample)$")
      set(group trees)
    elseif(group MATCHES "^(base|numeric|conllu|evaluate|dependency)$")
      set(group rest)
    endif()
    file(STRINGS "${source}" fmt REGEX "#include <fmt/" LIMIT_COUNT 1)
    if(fmt)
      set(group draw)
    endif()
    set_source_files_properties("${source}" PROPERTIES UNITY_GROUP "${group}")
  endif()
endforeach()
# A class of a source file that holds something of its anonymous namespace looks to GCC like one of a header, and a local
# name that another file has for a constant like one that hides it. Builds file by file have these warnings.
if(KIRCHHOFF_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  target_compile_options(kirchhoff PRIVATE -Wno-subobject-linkage -Wno-shadow)
endif()
