// Annotated sentences, and the formats CoNLL-U and CoNLL-X: a streaming reader, and a writer that gives back the very
// bytes that were read. Rules and departures: docs/reference/formats.md.
//
//   std::ifstream file("en_ewt-ud-dev.conllu");
//   SentenceReader reader(file, "en_ewt-ud-dev.conllu", ConllFormat::conllu);
//   while (auto sentence = reader.next()) std::cout << *sentence;
#pragma once

#include "kirchhoff/types.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kirchhoff {

enum class ConllFormat { conllu, conllx };
template <>
inline constexpr std::array<std::string_view, 2> kNames<ConllFormat> = {"conllu", "conllx"};

/// CoNLL-X names the same columns CPOSTAG (upos), POSTAG (xpos), PHEAD (deps) and PDEPREL (misc).
enum class Column { id, form, lemma, upos, xpos, feats, head, deprel, deps, misc };
inline constexpr int kColumns = 10;
template <>
inline constexpr std::array<std::string_view, kColumns> kNames<Column> = {"id",    "form", "lemma",  "upos", "xpos",
                                                                          "feats", "head", "deprel", "deps", "misc"};

/// A token that is written as one and annotated as words `first` ... `last`.
struct MultiwordToken {
  int first = 0;
  int last = 0;
  std::array<std::string_view, kColumns> columns;
};

/// A word that is not in the text, the `index`-th (from 1) after `word` (0: before the first).
struct EmptyNode {
  int word = 0;
  int index = 0;
  std::array<std::string_view, kColumns> columns;
};

/// Words 1 ... size() in ten columns, with comments, multiword tokens and empty nodes in their places. One block of
/// text and offsets into it, so copies are independent and reading costs one pass. Views hold until the sentence is
/// changed.
class Sentence {
 public:
  Sentence() = default;
  /// Words with these forms and nothing else, in CoNLL-U. InputError as for set().
  explicit Sentence(const std::vector<std::string>& forms);

  int size() const { return static_cast<int>(word_lines_.size()); }

  std::string_view form(int word) const { return get(word, Column::form); }
  std::string_view lemma(int word) const { return get(word, Column::lemma); }
  std::string_view upos(int word) const { return get(word, Column::upos); }
  std::string_view xpos(int word) const { return get(word, Column::xpos); }
  std::string_view feats(int word) const { return get(word, Column::feats); }
  std::string_view deprel(int word) const { return get(word, Column::deprel); }
  std::string_view deps(int word) const { return get(word, Column::deps); }
  std::string_view misc(int word) const { return get(word, Column::misc); }
  std::string_view get(int word, Column column) const {
    return view(lines_[word_lines_[static_cast<std::size_t>(word) - 1]].columns[static_cast<std::size_t>(column)]);
  }
  /// 0: the root; -1: not given. Not checked to exist: see tree_problem.
  int head(int word) const { return heads_[static_cast<std::size_t>(word)]; }
  /// heads()[0] == -1.
  const Heads& heads() const { return heads_; }

  /// InputError for a value that is empty or holds a tab or a line break, and for ID and HEAD.
  void set(int word, Column column, std::string_view value);
  /// -1 writes "_".
  void set_head(int word, int head);

  std::vector<MultiwordToken> multiword_tokens() const;
  std::vector<EmptyNode> empty_nodes() const;

  /// Whole lines, '#' included.
  std::vector<std::string_view> comments() const;
  /// x of the first comment "# name = x".
  std::optional<std::string_view> comment(std::string_view name) const;
  /// Replaces that comment, or adds "# name = value" after the last one. InputError for a line break, and in CoNLL-X.
  void set_comment(std::string_view name, std::string_view value);

  ConllFormat format() const { return format_; }
  /// Of the first line (of this word) in its file; 0 for a sentence that was not read.
  std::size_t line() const { return first_line_; }
  std::size_t line(int word) const {
    return first_line_ == 0 ? 0 : first_line_ + word_lines_[static_cast<std::size_t>(word) - 1] - added_comments_;
  }

 private:
  friend class SentenceParser;
  friend std::string to_text(const Sentence& sentence);
  friend Sentence converted(const Sentence& sentence, ConllFormat format);

  struct Span {
    std::uint32_t begin = 0;
    std::uint32_t size = 0;
  };
  enum class Kind : std::uint8_t { comment, word, multiword, empty_node, end };
  struct Line {
    Kind kind = Kind::comment;
    std::uint8_t ending = 1;             ///< bytes: "", "\n" or "\r\n"
    std::array<Span, kColumns> columns;  ///< a comment is in the first
  };

  std::string_view view(Span span) const { return std::string_view(text_).substr(span.begin, span.size); }
  std::array<std::string_view, kColumns> views(const Line& line) const;
  void assign(Span& span, std::string_view value);
  void add_line(Kind kind, const std::array<std::string_view, kColumns>& columns, std::uint8_t ending = 1);

  std::string text_;
  std::vector<Line> lines_;  ///< the last one is the blank line after the sentence, if there is one
  std::vector<std::uint32_t> word_lines_;
  Heads heads_{-1};
  std::size_t first_line_ = 0;
  std::size_t added_comments_ = 0;
  ConllFormat format_ = ConllFormat::conllu;
};

/// The sentence in its format, with the blank line that ends it. For a sentence as read: the same bytes.
std::string to_text(const Sentence& sentence);
std::ostream& operator<<(std::ostream& out, const Sentence& sentence);

/// To CoNLL-X: words only, blanks within columns become '_'. From CoNLL-X: PHEAD and PDEPREL become '_'. To its own
/// format: as it is.
Sentence converted(const Sentence& sentence, ConllFormat format);

/// Sentences one after the other; memory for one at a time, and no waiting for more input than the sentence.
class SentenceReader {
 public:
  /// `name` is for messages. The stream must outlive the reader.
  SentenceReader(std::istream& in, std::string name, ConllFormat format);

  /// Nothing at the end. Throws ParseError; the next call then goes on after the bad sentence.
  std::optional<Sentence> next();

 private:
  bool fill();
  std::optional<std::string_view> next_line();

  std::istream* in_;
  std::string name_;
  ConllFormat format_;
  std::string buffer_;
  std::size_t begin_ = 0;
  std::size_t line_ = 0;  ///< lines read
};

std::vector<Sentence> read_sentences(std::istream& in, const std::string& name, ConllFormat format);

/// The value of "name=value" in a list "a=b|name=value|c" as in FEATS and MISC; nothing when it is absent.
std::optional<std::string_view> attribute(std::string_view list, std::string_view name);
/// The list with the value replaced, or "name=value" added at the end; "_" is the empty list.
std::string with_attribute(std::string_view list, std::string_view name, std::string_view value);

/// "nsubj" of "nsubj:pass".
std::string_view universal_relation(std::string_view deprel);

}  // namespace kirchhoff
