// Files that are a part of the program. cmake/KirchhoffEmbed.cmake makes the tables of them.
#pragma once

#include <span>
#include <string_view>

namespace kirchhoff::server {

struct EmbeddedFile {
  std::string_view name;
  std::string_view content;
};

/// The files of src/server/page.
std::span<const EmbeddedFile> page_files();
/// The description of the interface, openapi.json.
std::span<const EmbeddedFile> api_files();

}  // namespace kirchhoff::server
