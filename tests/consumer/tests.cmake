# Included by tests/CMakeLists.txt: the project in this folder is an outside one, so it is not add_subdirectory'd.
if(KIRCHHOFF_INSTALL AND NOT CMAKE_CROSSCOMPILING)
  set(consumer_flags "")
  if(KIRCHHOFF_SANITIZE)
    set(consumer_flags -fsanitize=${KIRCHHOFF_SANITIZE})
  endif()
  add_test(NAME consumer COMMAND "${CMAKE_CURRENT_LIST_DIR}/run.sh" "${PROJECT_BINARY_DIR}" "${CMAKE_CXX_COMPILER}" ${consumer_flags})
endif()
