// Reads numbers, strings and lists of one line, and explains what it finds instead of them.
#include "json/value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace kirchhoff::cli {
namespace {

// simdjson 3.0.1 misreads a number such as 0.12345678901234567890 (more digits than a uint64 holds after "0."), so
// long tokens are read again.
constexpr std::size_t kTokenSimdjsonReadsRight = 18;
constexpr int kMaxNesting = 64;

bool starts_like_number(std::string_view token) {
  const std::size_t digit = !token.empty() && token[0] == '-' ? 1 : 0;
  return token.size() > digit && token[digit] >= '0' && token[digit] <= '9';
}

bool is_not_finite(std::string_view token) {
  for (const char* name :
       {"NaN", "nan", "Infinity", "-Infinity", "+Infinity", "inf", "-inf", "+inf", "Inf", "-Inf", "-NaN"}) {
    if (token == name) return true;
  }
  return false;
}

[[noreturn]] void fail_number(JsonValue value, const JsonPlace& place, std::string_view null_hint) {
  const std::string_view token = token_of(value);
  if (is_not_finite(token)) fail(place, fmt::format("{} is not a number JSON knows{}", token, null_hint));
  if (!starts_like_number(token)) fail(place, "expected a number, found " + describe(value));
  double number = 0.0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), number);
  if (error == std::errc::result_out_of_range && end == token.data() + token.size()) {
    fail(place, fmt::format("{} is beyond the range of a double{}", shown(token), null_hint));
  }
  fail(place, fmt::format("'{}' is not a JSON number", shown(token)));
}

}  // namespace

std::string shown(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  std::size_t cut = std::min(text.size(), kLongest);
  while (cut < text.size() && cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80)
    --cut;  // keeps whole characters of UTF-8
  std::string out(text.substr(0, cut));
  std::replace_if(
      out.begin(), out.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; }, '?');
  return cut < text.size() ? out + "..." : out;
}

void JsonPlace::start(std::string_view field) {
  field_ = shown(field);
  depth_ = 0;
}

std::string JsonPlace::str() const {
  std::string text = outer_ == nullptr ? field_ : fmt::format("{}.{}", outer_->str(), field_);
  for (std::size_t i = 0; i < depth_; ++i) text += fmt::format("[{}]", index_[i]);
  return text;
}

void fail(const JsonPlace& place, const std::string& problem) { throw ReadError(place.str() + ": " + problem); }

std::string_view token_of(JsonValue value) {
  std::string_view token = value.raw_json_token();
  while (!token.empty() &&
         (token.back() == ' ' || token.back() == '\t' || token.back() == '\r' || token.back() == '\n')) {
    token.remove_suffix(1);
  }
  return token;
}

std::string describe(JsonValue value) {
  const std::string_view token = token_of(value);
  if (token.empty()) return "nothing";
  if (token[0] == '[') return "a list";
  if (token[0] == '{') return "an object";
  if (token[0] == '"') return "the string " + shown(token);
  return fmt::format("'{}'", shown(token));
}

bool is_list(JsonValue value) { return token_of(value).starts_with('['); }

bool is_null(JsonValue value) { return token_of(value) == "null" && value.is_null(); }

double read_number(JsonValue value, const JsonPlace& place, std::string_view null_hint) {
  const std::string_view token = value.raw_json_token();
  double number = 0.0;
  if (value.get_double().get(number)) fail_number(value, place, null_hint);
  if (token.size() > kTokenSimdjsonReadsRight) {
    const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), number);
    if (error == std::errc::result_out_of_range)
      number = 0.0;  // simdjson refuses numbers that are too large, so this one is tiny.
  }
  return number;
}

int read_int(JsonValue value, const JsonPlace& place, int low, int high) {
  const double number = read_number(value, place);
  if (number != std::floor(number)) fail(place, fmt::format("{} is not a whole number", number));
  if (number < low) fail(place, fmt::format("{} is below {}", number, low));
  if (number > high) fail(place, fmt::format("{} is above {}", number, high));
  return static_cast<int>(number);
}

std::string read_string(JsonValue value, const JsonPlace& place) {
  if (!token_of(value).starts_with('"')) fail(place, "expected a string, found " + describe(value));
  return std::string(std::string_view(value.get_string()));
}

void check_any(JsonValue value, const JsonPlace& place, int depth) {
  if (depth > kMaxNesting) fail(place, fmt::format("nested more than {} deep", kMaxNesting));
  const std::string_view token = token_of(value);
  if (token.starts_with('[')) {
    for (auto element : value.get_array()) check_any(element.value(), place, depth + 1);
  } else if (token.starts_with('{')) {
    for (auto field : value.get_object()) {
      (void)field.unescaped_key().value();
      check_any(field.value().value(), place, depth + 1);
    }
  } else if (token.starts_with('"')) {
    (void)value.get_string().value();
  } else if (token == "true" || token == "false") {
    (void)value.get_bool().value();
  } else if (!is_null(value)) {
    if (!starts_like_number(token)) fail(place, "not valid JSON: " + describe(value));
    (void)read_number(value, place);
  }
}

}  // namespace kirchhoff::cli
