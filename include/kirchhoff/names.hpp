// The names of enum values, written once beside each enum and used by the command line, JSON, Python and model files.
//
//   enum class Root { single, multi };
//   template <>
//   inline constexpr std::array<std::string_view, 2> kNames<Root> = {"single", "multi"};
//
//   to_string(Root::multi);       // "multi"
//   parse_name<Root>("single");   // Root::single
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace kirchhoff {

/// The names of an enum's values in their order. Specialise it next to the enum; values must count up from 0.
template <class Enum>
inline constexpr std::nullptr_t kNames = nullptr;

/// An enum that has a table of names.
template <class Enum>
concept NamedEnum = std::is_enum_v<Enum> && requires {
  kNames<Enum>.size();
};

/// The value's name. Takes constant time.
template <NamedEnum Enum>
constexpr std::string_view to_string(Enum value) {
  return kNames<Enum>[static_cast<std::size_t>(value)];
}

/// True when `text` spells `name`. A hyphen may stand for an underscore, as people write it on a command line.
constexpr bool spells(std::string_view text, std::string_view name) {
  if (text.size() != name.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != name[i] && !(text[i] == '-' && name[i] == '_')) return false;
  }
  return true;
}

/// The value with this name, or nothing when there is none.
template <NamedEnum Enum>
constexpr std::optional<Enum> parse_name(std::string_view text) {
  for (std::size_t i = 0; i < kNames<Enum>.size(); ++i) {
    if (spells(text, kNames<Enum>[i])) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

/// All names with a separator between them, for messages and help texts: "single, multi".
template <NamedEnum Enum>
std::string all_names(std::string_view separator = ", ") {
  std::string text;
  for (const std::string_view name : kNames<Enum>) {
    if (!text.empty()) text += separator;
    text += name;
  }
  return text;
}

}  // namespace kirchhoff
