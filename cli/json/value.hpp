// Typed reads of simdjson On-Demand values. Every failure is a ReadError that names the place: "scores[1][2]: problem".
#pragma once

#include <simdjson.h>

#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace kirchhoff::cli {

using JsonValue = simdjson::ondemand::value;

/// One line of input is wrong; what() is "FIELD: problem".
class ReadError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Where in the line the reader stands: a field and up to four list indices.
class Path {
 public:
  void start(std::string_view field);
  void enter() { ++depth_; }
  void leave() { --depth_; }
  void at(std::size_t index) { index_[depth_ - 1] = index; }
  /// "scores[1][2]"; empty before the first field.
  std::string str() const;

 private:
  static constexpr std::size_t kMaxDepth = 8;
  std::string field_;
  std::array<std::size_t, kMaxDepth> index_{};
  std::size_t depth_ = 0;
};

[[noreturn]] void fail(const Path& path, const std::string& problem);

/// Somebody's text as part of a message: on one line and not too long.
std::string shown(std::string_view text);

/// The value's text without the white space after it.
std::string_view token_of(JsonValue value);
/// "the string \"abc\"", "a list", "true": for messages.
std::string describe(JsonValue value);

bool is_list(JsonValue value);
bool is_null(JsonValue value);
/// A finite double. `null_hint` ends the message when the value is NaN or infinite.
double read_number(JsonValue value, const Path& path, std::string_view null_hint = "");
/// A whole number between low and high.
int read_int(JsonValue value, const Path& path, int low, int high);
std::string read_string(JsonValue value, const Path& path);
/// Walks over a value nobody needs, so that invalid JSON inside it is still an error.
void check_any(JsonValue value, const Path& path, int depth = 0);

/// Calls visit(element) for every element of a list; returns their number.
template <class Visit>
std::size_t for_each(JsonValue value, Path& path, Visit visit) {
  if (!is_list(value)) fail(path, "expected a list, found " + describe(value));
  path.enter();
  std::size_t i = 0;
  for (auto element : value.get_array()) {
    path.at(i++);
    visit(element.value());
  }
  path.leave();
  return i;
}

}  // namespace kirchhoff::cli
