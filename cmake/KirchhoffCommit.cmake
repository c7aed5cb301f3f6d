# KIRCHHOFF_COMMIT: the commit that is built, twelve digits, or "unknown". A source archive has it in commit.txt, where
# git archive puts it; a clone asks git, again after every commit, and adds "+" when files differ from the commit.
file(READ "${CMAKE_CURRENT_LIST_DIR}/commit.txt" KIRCHHOFF_COMMIT)
string(STRIP "${KIRCHHOFF_COMMIT}" KIRCHHOFF_COMMIT)
if(NOT KIRCHHOFF_COMMIT MATCHES "^[0-9a-f]+$")
  set(KIRCHHOFF_COMMIT "")
  find_package(Git QUIET)
  if(Git_FOUND AND EXISTS "${PROJECT_SOURCE_DIR}/.git")
    execute_process(COMMAND "${GIT_EXECUTABLE}" describe --always --exclude=* --abbrev=12 --dirty=+
                    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}" OUTPUT_VARIABLE KIRCHHOFF_COMMIT
                    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(EXISTS "${PROJECT_SOURCE_DIR}/.git/logs/HEAD")
      set_property(DIRECTORY "${PROJECT_SOURCE_DIR}" APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
                   "${PROJECT_SOURCE_DIR}/.git/logs/HEAD")
    endif()
  endif()
endif()
string(REGEX MATCH "^[0-9a-f]+\\+?$" KIRCHHOFF_COMMIT "${KIRCHHOFF_COMMIT}")
string(REGEX REPLACE "^(............)[0-9a-f]*" "\\1" KIRCHHOFF_COMMIT "${KIRCHHOFF_COMMIT}")
if(NOT KIRCHHOFF_COMMIT)
  set(KIRCHHOFF_COMMIT unknown)
endif()
