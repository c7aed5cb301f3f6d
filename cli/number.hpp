// The one way in which numbers of the command line are read: decimal, the whole text, and within a range.
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>

namespace kirchhoff::cli {

/// The number that the text is, or nothing. There is no octal or hexadecimal: 010 is ten. Text that is empty, has
/// anything before or after the number, or is beyond the type's range is no number; "inf" and "nan" are.
template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The end of the range of seeds, which doubles can only name approximately; 64 bits hold no more.
inline constexpr double kAllSeeds = 0x1p64;

/// The numbers that an option takes. NaN is in no range, and infinity only where it is an end.
struct NumberRange {
  double low;
  double high;
  enum class Ends { both, only_low, only_high } ends = Ends::both;  ///< Which of its ends belong to the range.

  bool has(double x) const {
    return (ends == Ends::only_high ? x > low : x >= low) && (ends == Ends::only_low ? x < high : x <= high);
  }
  /// Such as "from 1 to 1000" or "above 0, at most 1".
  std::string text() const {
    if (high == kAllSeeds) return "from 0 to 2^64 - 1";
    if (ends == Ends::only_low) return fmt::format("from {} to less than {}", low, high);
    if (ends == Ends::only_high) return fmt::format("above {}, at most {}", low, high);
    return fmt::format("from {} to {}", low, high);
  }
};

/// Any number from 0 on, but not infinity.
inline constexpr NumberRange kNotNegative{0.0, 1e300};

/// Says what is wrong with the text, or nothing.
template <class Number>
std::string number_problem(std::string_view text, const NumberRange& range) {
  const auto value = parse_number<Number>(text);
  if (value && range.has(static_cast<double>(*value))) return {};
  return fmt::format("'{}' is not a {} {}", text, std::integral<Number> ? "whole number" : "number", range.text());
}

}  // namespace kirchhoff::cli
