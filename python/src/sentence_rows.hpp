// Rows of a table as sentences: texts, CoNLL-U, or lists of words with their tags, read where the columns lie.
#pragma once

#include "arrays.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>
#include <kirchhoff/pipeline.hpp>

#include <cstdint>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace kirchhoff::python {

using ByteArray = nb::ndarray<const std::uint8_t, nb::device::cpu, nb::c_contig, nb::ndim<1>>;

/// A column of strings in Arrow's layout: string i is the bytes from offsets[i] to offsets[i + 1].
class StringColumn {
 public:
  using Argument = std::tuple<Ints, ByteArray>;
  explicit StringColumn(const Argument& argument) : offsets_(std::get<0>(argument)), bytes_(std::get<1>(argument)) {
    const std::size_t count = offsets_.shape(0);
    if (count == 0) throw InputError("column: there are no offsets");
    for (std::size_t i = 0; i < count; ++i) {
      const std::int64_t at = offsets_.data()[i];
      if (at < (i == 0 ? 0 : offsets_.data()[i - 1]) || static_cast<std::size_t>(at) > bytes_.shape(0)) {
        throw InputError("column: offset " + std::to_string(i) + " is out of order or beyond the bytes");
      }
    }
  }
  std::size_t size() const { return offsets_.shape(0) - 1; }
  std::string_view operator[](std::size_t i) const {
    const std::int64_t begin = offsets_.data()[i], end = offsets_.data()[i + 1];
    return {reinterpret_cast<const char*>(bytes_.data()) + begin, static_cast<std::size_t>(end - begin)};
  }

 private:
  Ints offsets_;
  ByteArray bytes_;
};

/// A column of lists of strings, which fills in one column of sentences.
struct WordColumn {
  using Argument = std::tuple<std::string, Ints, StringColumn::Argument>;
  Column column;
  Ints offsets;
  StringColumn words;
};

/// What a row gives: a sentence, or what was wrong. `number` counts the sentences of the row.
struct RowSentence {
  std::int64_t row = 0;
  std::int32_t number = 0;
  std::optional<Sentence> sentence;
  std::string problem;
};

/// Gives the sentences of all rows in their order, at least one for each row.
class SentenceRows {
 public:
  virtual ~SentenceRows() = default;
  std::optional<RowSentence> next();

 protected:
  explicit SentenceRows(std::vector<std::uint8_t> valid) : valid_(std::move(valid)) {}
  /// Begins with a row that is not null.
  virtual void open(std::size_t row) = 0;
  /// The next sentence of the row, or nothing at its end. May throw InputError and ParseError, and goes on after it.
  virtual std::optional<Sentence> read() = 0;
  std::size_t size() const { return valid_.size(); }

 private:
  std::vector<std::uint8_t> valid_;
  std::size_t row_ = 0;
  std::int32_t number_ = 0;
  bool is_open_ = false;
};

std::unique_ptr<SentenceRows> conllu_rows(const StringColumn& column, std::vector<std::uint8_t> valid);
/// The tokenizer must outlive the result.
std::unique_ptr<SentenceRows> text_rows(const StringColumn& column, std::vector<std::uint8_t> valid,
                                        const Tokenizer& tokenizer);
/// The first column is that of the forms.
std::unique_ptr<SentenceRows> word_rows(std::vector<WordColumn> columns, std::vector<std::uint8_t> valid);

}  // namespace kirchhoff::python
