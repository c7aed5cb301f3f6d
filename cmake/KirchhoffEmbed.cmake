# Makes files a part of the program: kirchhoff_embed(NAME FILES) writes NAME.cpp into the binary folder, with a function
# kirchhoff::server::NAME() that gives their names and contents (src/server/embedded.hpp), again whenever one changes.
if(CMAKE_SCRIPT_MODE_FILE)
  # cmake -DNAME=... -DFILES=... -DOUTPUT=... -P KirchhoffEmbed.cmake
  set(arrays "")
  set(table "")
  set(count 0)
  foreach(file IN LISTS FILES)
    get_filename_component(name "${file}" NAME)
    file(READ "${file}" bytes HEX)
    string(LENGTH "${bytes}" size)
    math(EXPR size "${size} / 2")
    string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
    string(APPEND arrays "const unsigned char kFile${count}[] = {${bytes}0};\n")
    string(APPEND table "    EmbeddedFile{\"${name}\", {reinterpret_cast<const char*>(kFile${count}), ${size}}},\n")
    math(EXPR count "${count} + 1")
  endforeach()
  file(WRITE "${OUTPUT}" "// Made by cmake/KirchhoffEmbed.cmake.
#include \"server/embedded.hpp\"

#include <array>

namespace kirchhoff::server {
namespace {

${arrays}
const std::array kTable = {
${table}};

}  // namespace

std::span<const EmbeddedFile> ${NAME}() { return kTable; }

}  // namespace kirchhoff::server
")
  return()
endif()

set(KIRCHHOFF_EMBED_SCRIPT "${CMAKE_CURRENT_LIST_FILE}")
function(kirchhoff_embed name files)
  set(output "${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp")
  add_custom_command(OUTPUT "${output}"
    COMMAND "${CMAKE_COMMAND}" "-DNAME=${name}" "-DFILES=${files}" "-DOUTPUT=${output}" -P "${KIRCHHOFF_EMBED_SCRIPT}"
    DEPENDS ${files} "${KIRCHHOFF_EMBED_SCRIPT}" COMMENT "Embedding ${name}" VERBATIM)
endfunction()
