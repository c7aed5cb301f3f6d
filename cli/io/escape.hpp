// Text from files and names of files, made safe to print: none of it can move the cursor, break a line or hide itself.
#pragma once

#include <string>
#include <string_view>

namespace kirchhoff::cli {

/// One piece of escaped text, and how much of the text it stands for.
struct EscapedPiece {
  std::size_t size = 0;
  char bytes[4] = {};
  std::size_t length = 0;

  std::string_view text() const { return {bytes, length}; }
};

/// The first character of non-empty text, or an escape for its first byte: \n, \r, \t, or \x1b and the like for other
/// control characters, characters that turn the direction of writing, and bytes that are not UTF-8.
EscapedPiece escaped_front(std::string_view text) noexcept;

/// The text with such characters escaped.
std::string escaped(std::string_view text);

}  // namespace kirchhoff::cli
