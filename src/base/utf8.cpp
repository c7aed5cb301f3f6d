// Validates and decodes UTF-8, eight bytes at a time where they are ASCII.
#include "base/utf8.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace kirchhoff::base {
namespace {

bool is_ascii(const char* eight) {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, eight, sizeof bytes);
  return (bytes & 0x8080808080808080U) == 0;
}

/// True for code points that are not overlong, not surrogates and not beyond U+10FFFF.
bool in_range(char32_t code, std::size_t size) {
  constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  return code >= kSmallest[size] && code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
}

bool well_formed(std::string_view rest) {
  const auto lead = static_cast<unsigned char>(rest.front());
  if (lead < 0xC2 || lead > 0xF4) return false;
  const std::size_t size = character_size(rest);
  if (rest.size() < size) return false;
  const auto is_continuation = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; };
  return std::all_of(rest.begin() + 1, rest.begin() + static_cast<std::ptrdiff_t>(size), is_continuation) &&
         in_range(code_point(rest.substr(0, size)), size);
}

}  // namespace

char32_t code_point(std::string_view character) {
  const auto lead = static_cast<unsigned char>(character.front());
  if (character.size() == 1) return lead;
  char32_t code = lead & (0xFFU >> (character.size() + 1));
  for (const char c : character.substr(1)) code = code << 6 | (static_cast<unsigned char>(c) & 0x3FU);
  return code;
}

std::size_t invalid_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    if (text.size() - i >= 8 && is_ascii(text.data() + i)) {
      i += 8;
    } else if (static_cast<unsigned char>(text[i]) < 0x80) {
      ++i;
    } else if (well_formed(text.substr(i))) {
      i += character_size(text.substr(i));
    } else {
      return i;
    }
  }
  return std::string_view::npos;
}

}  // namespace kirchhoff::base
