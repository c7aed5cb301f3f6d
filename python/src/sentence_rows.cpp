// Reads sentences from the columns of a table; whatever is wrong with a row stays with the row.
#include "sentence_rows.hpp"

namespace kirchhoff::python {
namespace {

/// Sentences that a reader finds in the text of a row.
template <class Reader>
class TextRows : public SentenceRows {
 public:
  template <class Make>
  TextRows(const StringColumn& column, std::vector<std::uint8_t> valid, Make make)
      : SentenceRows(std::move(valid)), column_(column), make_(std::move(make)) {
    if (column.size() != size()) throw InputError("column: has another number of rows than its nulls");
  }

 private:
  void open(std::size_t row) override {
    stream_ = std::istringstream(std::string(column_[row]));
    reader_.emplace(make_(stream_));
    is_at_end_ = false;
  }
  std::optional<Sentence> read() override {
    if (is_at_end_) return std::nullopt;
    is_at_end_ = std::is_same_v<Reader, TextReader>;  // which cannot go on after an error
    std::optional<Sentence> sentence = reader_->next();
    is_at_end_ = !sentence;
    return sentence;
  }

  StringColumn column_;
  std::function<Reader(std::istream&)> make_;
  std::istringstream stream_;
  std::optional<Reader> reader_;
  bool is_at_end_ = false;
};

/// One sentence of each row, of lists of words and of what is said of them.
class WordRows : public SentenceRows {
 public:
  WordRows(std::vector<WordColumn> columns, std::vector<std::uint8_t> valid)
      : SentenceRows(std::move(valid)), columns_(std::move(columns)) {
    for (const WordColumn& c : columns_) {
      if (c.offsets.shape(0) != size() + 1) throw InputError("columns: have different numbers of rows");
      for (std::size_t i = 0; i < c.offsets.shape(0); ++i) {
        const std::int64_t at = c.offsets.data()[i];
        if (at < (i == 0 ? 0 : c.offsets.data()[i - 1]) || static_cast<std::size_t>(at) > c.words.size()) {
          throw InputError("columns: a list does not lie in the column");
        }
      }
    }
  }

 private:
  void open(std::size_t row) override {
    row_ = row;
    given_ = false;
  }

  std::optional<Sentence> read() override {
    if (given_) return std::nullopt;
    given_ = true;
    const std::vector<std::string_view> forms = words_of(columns_.front());
    Sentence sentence(std::vector<std::string>(forms.begin(), forms.end()));
    for (std::size_t c = 1; c < columns_.size(); ++c) {
      const std::vector<std::string_view> words = words_of(columns_[c]);
      if (words.size() != forms.size()) {
        throw InputError(std::string(to_string(columns_[c].column)) + ": " + std::to_string(words.size()) + " for " +
                         std::to_string(forms.size()) + " words");
      }
      for (std::size_t i = 0; i < words.size(); ++i) {
        sentence.set(static_cast<int>(i) + 1, columns_[c].column, words[i]);
      }
    }
    return sentence;
  }

  std::vector<std::string_view> words_of(const WordColumn& c) const {
    std::vector<std::string_view> words;
    const auto end = static_cast<std::size_t>(c.offsets.data()[row_ + 1]);
    for (auto i = static_cast<std::size_t>(c.offsets.data()[row_]); i < end; ++i) words.push_back(c.words[i]);
    return words;
  }

  std::vector<WordColumn> columns_;
  std::size_t row_ = 0;
  bool given_ = false;
};

}  // namespace

std::optional<RowSentence> SentenceRows::next() {
  for (;; ++row_, is_open_ = false) {
    if (row_ == valid_.size()) return std::nullopt;
    RowSentence found{static_cast<std::int64_t>(row_), number_, {}, {}};
    if (!is_open_) {
      found.number = number_ = 0;
      if (valid_[row_] == 0) {
        ++row_;
        found.problem = "the row is null";
        return found;
      }
      open(row_);
      is_open_ = true;
    }
    try {
      found.sentence = read();
    } catch (const InputError& error) {
      found.problem = error.what();
    } catch (const ParseError& error) {
      found.problem = error.what();
    }
    ++number_;
    if (found.sentence || !found.problem.empty()) return found;
    if (number_ > 1) continue;
    found.sentence.emplace();  // A row without sentences is an empty one, so that none is lost.
    ++row_;
    is_open_ = false;
    return found;
  }
}

std::unique_ptr<SentenceRows> conllu_rows(const StringColumn& column, std::vector<std::uint8_t> valid) {
  return std::make_unique<TextRows<SentenceReader>>(
      column, std::move(valid), [](std::istream& in) { return SentenceReader(in, "row", ConllFormat::conllu); });
}

std::unique_ptr<SentenceRows> text_rows(const StringColumn& column, std::vector<std::uint8_t> valid,
                                        const Tokenizer& tokenizer) {
  return std::make_unique<TextRows<TextReader>>(
      column, std::move(valid), [&tokenizer](std::istream& in) { return TextReader(in, "row", tokenizer); });
}

std::unique_ptr<SentenceRows> word_rows(std::vector<WordColumn> columns, std::vector<std::uint8_t> valid) {
  return std::make_unique<WordRows>(std::move(columns), std::move(valid));
}

}  // namespace kirchhoff::python
