// Reads simdjson On-Demand values as types. Every failure is a ReadError that names the place: "scores[1][2]: problem".
#pragma once

#include "json/read_error.hpp"

#include <simdjson.h>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace kirchhoff::cli {

using JsonValue = simdjson::ondemand::value;

/// Where in the line the reader stands: in a field, and at an index of each list around it.
class JsonPlace {
 public:
  JsonPlace() = default;
  /// For the fields of an object that stands at `outer`, which must outlive this place.
  explicit JsonPlace(const JsonPlace* outer) : outer_(outer) {}

  void start(std::string_view field);
  void enter() { ++depth_; }
  void leave() { --depth_; }
  void at(std::size_t index) { index_[depth_ - 1] = index; }
  /// Returns "scores[1][2]" or "factors[0].vars[1]", or nothing before the first field.
  std::string str() const;

 private:
  static constexpr std::size_t kMaxDepth = 8;
  const JsonPlace* outer_ = nullptr;
  std::string field_;
  std::array<std::size_t, kMaxDepth> index_{};
  std::size_t depth_ = 0;
};

[[noreturn]] void fail(const JsonPlace& place, const std::string& problem);

/// Makes text of the input fit for a message: it is on one line and not too long.
std::string shown(std::string_view text);

/// Returns the value's text without the white space after it.
std::string_view token_of(JsonValue value);
/// Says in a message what a value is: "the string \"abc\"", "a list", "'true'".
std::string describe(JsonValue value);

bool is_list(JsonValue value);
bool is_null(JsonValue value);
/// Reads a finite double. `null_hint` ends the message when the value is NaN or infinite.
double read_number(JsonValue value, const JsonPlace& place, std::string_view null_hint = "");
/// Reads a whole number between low and high.
int read_int(JsonValue value, const JsonPlace& place, int low, int high);
std::string read_string(JsonValue value, const JsonPlace& place);
/// Walks over a value nobody needs, so that invalid JSON inside it is still an error.
void check_any(JsonValue value, const JsonPlace& place, int depth = 0);

/// Calls visit(element) for every element of a list; returns their number.
template <class Visit>
std::size_t for_each(JsonValue value, JsonPlace& place, Visit visit) {
  if (!is_list(value)) fail(place, "expected a list, found " + describe(value));
  place.enter();
  std::size_t i = 0;
  for (auto element : value.get_array()) {
    place.at(i++);
    visit(element.value());
  }
  place.leave();
  return i;
}

}  // namespace kirchhoff::cli
