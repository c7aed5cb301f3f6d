// Reads tokens, and the white space between them, off annotated sentences.
#include "text/surface.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace kirchhoff::text {
namespace {

constexpr std::array<std::pair<char, char>, 6> kEscapes = {
    {{' ', 's'}, {'\t', 't'}, {'\n', 'n'}, {'\r', 'r'}, {'|', 'p'}, {'\\', '\\'}}};

/// The character of "\\u00A0" and the like at the front, which some treebanks write; nothing where there is none.
std::string unicode_escape(std::string_view text) {
  constexpr std::size_t kSize = 6;
  unsigned code = 0;
  if (text.size() < kSize || !text.starts_with("\\u")) return "";
  const auto [end, error] = std::from_chars(text.data() + 2, text.data() + kSize, code, 16);
  if (error != std::errc() || end != text.data() + kSize || code < 0x80 || (code >= 0xD800 && code < 0xE000)) return "";
  std::string bytes;
  if (code < 0x800) {
    bytes += static_cast<char>(0xC0 | code >> 6);
  } else {
    bytes += static_cast<char>(0xE0 | code >> 12);
    bytes += static_cast<char>(0x80 | (code >> 6 & 0x3F));
  }
  return bytes + static_cast<char>(0x80 | (code & 0x3F));
}

}  // namespace

std::vector<Surface> surfaces(const Sentence& sentence) {
  std::vector<Surface> result;
  const std::vector<MultiwordToken> multiwords = sentence.multiword_tokens();
  auto next = multiwords.begin();
  for (int word = 1; word <= sentence.size(); ++word) {
    if (next != multiwords.end() && next->first == word) {
      result.push_back({next->columns[static_cast<std::size_t>(Column::form)],
                        next->columns[static_cast<std::size_t>(Column::misc)], next->first, next->last});
      word = next->last;
      ++next;
    } else {
      result.push_back({sentence.form(word), sentence.misc(word), word, word});
    }
  }
  return result;
}

bool begins_paragraph(const Sentence& sentence) {
  const auto comments = sentence.comments();
  return std::any_of(comments.begin(), comments.end(), [](std::string_view comment) {
    return comment.starts_with("# newpar") || comment.starts_with("# newdoc");
  });
}

std::string escaped_spaces(std::string_view spaces) {
  std::string result;
  for (const char c : spaces) {
    const auto* escape =
        std::find_if(kEscapes.begin(), kEscapes.end(), [c](const auto& pair) { return pair.first == c; });
    if (escape == kEscapes.end()) {
      result += c;
    } else {
      (result += '\\') += escape->second;
    }
  }
  return result;
}

std::string unescaped_spaces(std::string_view escaped) {
  std::string result;
  for (std::size_t i = 0; i < escaped.size(); ++i) {
    if (const std::string character = unicode_escape(escaped.substr(i)); !character.empty()) {
      result += character;
      i += 5;
      continue;
    }
    const char code = escaped[i] == '\\' && i + 1 < escaped.size() ? escaped[i + 1] : '\0';
    const auto* escape =
        std::find_if(kEscapes.begin(), kEscapes.end(), [code](const auto& pair) { return pair.second == code; });
    if (code == '\0' || escape == kEscapes.end()) {
      result += escaped[i];
    } else {
      result += escape->first;
      ++i;
    }
  }
  return result;
}

std::string spaces_after(std::string_view misc) {
  if (const auto spaces = attribute(misc, "SpacesAfter")) return unescaped_spaces(*spaces);
  return attribute(misc, "SpaceAfter") == "No" ? "" : " ";
}

}  // namespace kirchhoff::text
