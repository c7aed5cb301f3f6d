// Classes of characters: Unicode's White_Space, letters with case by their lower case, digits and common punctuation.
#include "text/characters.hpp"

#include "base/utf8.hpp"
#include "evaluate/lower_case.hpp"

namespace kirchhoff::text {
namespace {

bool is_in(char32_t c, char32_t first, char32_t last) { return first <= c && c <= last; }

bool is_break(char32_t c) { return is_in(c, 0x09, 0x0D) || c == 0x85 || c == 0x2028 || c == 0x2029; }
bool is_blank(char32_t c) {
  return c == ' ' || c == 0xA0 || c == 0x1680 || is_in(c, 0x2000, 0x200A) || c == 0x202F || c == 0x205F || c == 0x3000;
}
bool is_punctuation(char32_t c) {
  return is_in(c, 0xA1, 0xA9) || is_in(c, 0xAB, 0xB4) || is_in(c, 0xB6, 0xB9) || is_in(c, 0xBB, 0xBF) || c == 0xD7 ||
         c == 0xF7 || is_in(c, 0x2010, 0x205E) || is_in(c, 0x3001, 0x303F) || is_in(c, 0xFF01, 0xFF0F);
}

CharacterKind kind_of(char32_t c, std::string_view bytes) {
  using enum CharacterKind;
  if (is_break(c)) return line_break;
  if (is_blank(c)) return blank;
  if (c < 0x80) {
    if (is_in(c, '0', '9')) return digit;
    if (is_in(c, 'A', 'Z')) return upper;
    return is_in(c, 'a', 'z') ? lower : punctuation;
  }
  if (is_punctuation(c)) return punctuation;
  if (is_in(c, 0x660, 0x669) || is_in(c, 0x6F0, 0x6F9) || is_in(c, 0x966, 0x96F)) return digit;
  if (evaluation::lower_case(bytes) != bytes) return upper;
  return c < 0x590 ? lower : other;  // Latin, Greek, Cyrillic and Armenian have case.
}

}  // namespace

std::vector<Character> characters(std::string_view text) {
  std::vector<Character> result;
  result.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view bytes = text.substr(at, base::character_size(text.substr(at)));
    const char32_t code = base::code_point(bytes);
    result.push_back({code, at, kind_of(code, bytes)});
    at += bytes.size();
  }
  return result;
}

}  // namespace kirchhoff::text
