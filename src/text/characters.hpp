// Text as code points with what a tokenizer wants to know of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace kirchhoff::text {

/// Kinds of characters. Blanks may lie inside a token, as in "10 000"; breaks (tabs, ends of lines) never do.
enum class CharacterKind : std::uint8_t { blank, line_break, upper, lower, digit, punctuation, other };

struct Character {
  char32_t code = 0;
  std::size_t begin = 0;  ///< The first byte.
  CharacterKind kind = CharacterKind::other;

  bool is_space() const { return kind <= CharacterKind::line_break; }
};

/// The characters of well-formed UTF-8. Letters without case are `other`, and so are symbols beyond Latin-1 and the
/// general punctuation.
std::vector<Character> characters(std::string_view text);

}  // namespace kirchhoff::text
