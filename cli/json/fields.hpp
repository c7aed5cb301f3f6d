// Reads JSON objects by a table of their fields: an unknown or repeated field is an error that says what is known.
#pragma once

#include "json/value.hpp"

#include <array>
#include <functional>
#include <span>
#include <string_view>
#include <utility>

namespace kirchhoff::cli {

/// Whether an object may have fields that its reader does not know, such as somebody's notes.
enum class UnknownFields { refused, allowed };

/// A field of an object, and how it is read into `Fields`.
template <class Fields>
struct Field {
  std::string_view name;
  void (*read)(JsonValue value, JsonPlace& place, Fields& fields);
};

/// Fails with the known name that is nearest to `key`, after a look at whether the value is JSON at all.
[[noreturn]] void fail_unknown(std::string_view key, JsonValue value, const JsonPlace& place,
                               std::span<const std::string_view> known);

/// The fields of one object, which come in any order.
template <class Fields, std::size_t count>
class FieldReader {
 public:
  FieldReader(const std::array<Field<Fields>, count>& table, UnknownFields unknown)
      : table_(table), unknown_(unknown) {}

  /// Reads one field, or returns false when it is unknown and that is allowed.
  bool read(std::string_view key, JsonValue value, JsonPlace& place, Fields& fields) {
    for (std::size_t i = 0; i < count; ++i) {
      if (table_[i].name != key) continue;
      if (std::exchange(seen_[i], true)) fail(place, "given twice");
      table_[i].read(value, place, fields);
      return true;
    }
    if (unknown_ == UnknownFields::refused) {
      std::array<std::string_view, count> names;
      for (std::size_t i = 0; i < count; ++i) names[i] = table_[i].name;
      fail_unknown(key, value, place, names);
    }
    check_any(value, place);
    return false;
  }

  /// Whether the field at this row of the table was given.
  bool seen(std::size_t row) const { return seen_[row]; }

 private:
  const std::array<Field<Fields>, count>& table_;
  UnknownFields unknown_;
  std::array<bool, count> seen_{};
};

/// Reads an id, which is echoed as it was written: a string, a number, or a literal.
std::string read_id_text(JsonValue value, const JsonPlace& place);

/// Calls visit(key, value, place) for every field of the object that the line is. `shape` says what a line looks like.
/// Throws ReadError, also for what is not JSON.
void for_each_field(std::string_view line, std::string_view shape,
                    const std::function<void(std::string_view, JsonValue, JsonPlace&)>& visit);

}  // namespace kirchhoff::cli
