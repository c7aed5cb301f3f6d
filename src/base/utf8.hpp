// As much of UTF-8 as the library needs: finding what is ill-formed, and taking characters apart.
#pragma once

#include <cstddef>
#include <string_view>

namespace kirchhoff::base {

/// The position of the first byte that does not begin a well-formed character, or npos when there is none.
std::size_t invalid_utf8(std::string_view text);

/// The number of bytes of the character at the front of well-formed, non-empty text.
inline std::size_t character_size(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  return lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

/// The code point of one well-formed character.
char32_t code_point(std::string_view character);

}  // namespace kirchhoff::base
