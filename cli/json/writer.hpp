// Writes compact JSON: numbers read back to the same double, and an infinite one is null.
#pragma once

#include "json/read_error.hpp"

#include <kirchhoff/stop_scope.hpp>
#include <kirchhoff/types.hpp>

#include <fmt/compile.h>
#include <fmt/format.h>

#include <cmath>
#include <string>
#include <string_view>
#include <utility>

namespace kirchhoff::cli {

/// Returns `text` as a JSON string, with quotes.
std::string json_string(std::string_view text);

/// Appends `text` as a JSON string.
void append_string(std::string_view text, fmt::memory_buffer& out);

class JsonWriter {
 public:
  /// The first field opens the line's object; close() ends it and the line.
  void key(std::string_view name) {
    text_.push_back(empty_ ? '{' : ',');
    empty_ = false;
    text_.push_back('"');
    text_.append(name);
    text_.append(std::string_view("\":"));
  }
  void raw(std::string_view json) { text_.append(json); }
  void close() { text_.append(std::string_view("}\n")); }
  /// Writes an object inside: `fields` writes its keys, one at least, and values.
  template <class Fields>
  void object(Fields fields) {
    const bool outer = std::exchange(empty_, true);
    fields();
    text_.push_back('}');
    empty_ = outer;
  }

  /// Writes a string, with quotes and escapes.
  void write(std::string_view text) { append_string(text, text_); }
  void write(int value) {
    const fmt::format_int digits(value);
    text_.append(digits.data(), digits.data() + digits.size());
  }
  void write(double value) {
    if (std::isnan(value)) throw NotANumber("not a number; this is a bug in kirchhoff, please report it");
    if (std::isinf(value)) return raw("null");
    fmt::format_to(fmt::appender(text_), FMT_COMPILE("{}"), value + 0.0);  // Adding 0 turns -0 into 0.
  }
  template <class M>
  void write(const Eigen::MatrixBase<M>& m) {
    const auto row = [&](Eigen::Index i) { list(m.cols(), [&](Eigen::Index j) { write(m(i, j)); }); };
    if constexpr (M::IsVectorAtCompileTime) {
      list(m.size(), [&](Eigen::Index i) { write(m(i)); });
    } else {
      list(m.rows(), row);
    }
  }
  void write(const LabelledMatrix& m) {
    list(m.words() + 1, [&](int h) {
      list(m.words() + 1, [&](int d) { list(m.labels(), [&](int label) { write(m(h, d, label)); }); });
    });
  }
  /// Calls item(0) ... item(count - 1) between brackets and commas. Ends with what is around it: answers can have
  /// hundreds of millions of numbers, which take longer to write than to compute.
  template <class Index, class Item>
  void list(Index count, Item item) {
    StopScope::check();
    text_.push_back('[');
    for (Index i = 0; i < count; ++i) {
      if (i > 0) text_.push_back(',');
      item(i);
    }
    text_.push_back(']');
  }

  std::string take() { return fmt::to_string(text_); }

 private:
  fmt::memory_buffer text_;
  bool empty_ = true;
};

}  // namespace kirchhoff::cli
