// Edits of a container, so that a fuzzer meets what lies behind size and checksum: its bytes say which section of a
// good file is replaced, changed or cut, and how; then the container is packed anew.
#pragma once

#include "parser/file/container.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace kirchhoff {

using Sections = std::vector<std::pair<std::string, std::string>>;

inline Sections sections_of(const parser::Container& file) {
  Sections sections;
  for (const std::string& name : file.names()) sections.emplace_back(name, std::string(file.text(name)));
  return sections;
}

/// Applies edits of the form: section and kind (1 byte), offset (3), length (1), bytes.
inline void apply_edits(Sections& sections, std::string_view edits) {
  constexpr std::size_t kHead = 5;
  while (edits.size() >= kHead) {
    const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(edits[i])); };
    std::string& content = sections[byte(0) % 64 % sections.size()].second;
    const std::size_t kind = byte(0) / 64;
    const std::size_t offset = (byte(1) | byte(2) << 8 | byte(3) << 16) % (content.size() + 1);
    const std::string_view bytes = edits.substr(kHead, byte(4));
    edits.remove_prefix(kHead + bytes.size());
    if (kind == 0) content.assign(bytes);
    if (kind == 1) content.replace(offset, std::min(bytes.size(), content.size() - offset), bytes);
    if (kind == 2) content.insert(offset, bytes);
    if (kind == 3) content.resize(offset);
  }
}

inline parser::FileBytes packed(const Sections& sections, std::uint32_t version) {
  parser::ContainerWriter writer(version);
  for (const auto& [name, content] : sections) {
    writer.add_borrowed(name, std::as_bytes(std::span(content.data(), content.size())));
  }
  base::Crew crew(1);
  return std::move(writer).finish(crew);
}

inline std::string& content_of(Sections& sections, std::string_view name) {
  return std::find_if(sections.begin(), sections.end(), [&](const auto& s) { return s.first == name; })->second;
}

}  // namespace kirchhoff
