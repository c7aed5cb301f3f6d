// Word numbers as CoNLL-U writes them: decimal digits without sign or leading zeros.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

namespace kirchhoff::conllu {

/// The number that a text is, or nothing.
inline std::optional<int> number(std::string_view text) {
  if (text.empty() || (text[0] == '0' && text.size() > 1) || text[0] == '-') return std::nullopt;
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Two numbers with a character between them, as in "3-4" or "8.1".
inline std::optional<std::pair<int, int>> number_pair(std::string_view text, char between) {
  const std::size_t at = text.find(between);
  if (at == std::string_view::npos) return std::nullopt;
  const auto first = number(text.substr(0, at));
  const auto second = number(text.substr(at + 1));
  if (!first || !second) return std::nullopt;
  return std::pair(*first, *second);
}

}  // namespace kirchhoff::conllu
