// Annotated sentences, and the formats CoNLL-U and CoNLL-X: a streaming reader, and a writer that gives back the very
// bytes that were read. docs/reference/formats.md has the rules, and where we depart from them.
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

/// The formats of annotated sentences.
enum class ConllFormat { conllu, conllx };
template <>
inline constexpr std::array<std::string_view, 2> kNames<ConllFormat> = {"conllu", "conllx"};

/// The ten columns. CoNLL-X calls some of them CPOSTAG (upos), POSTAG (xpos), PHEAD (deps) and PDEPREL (misc).
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
  /// Makes a sentence of words with these forms and nothing else, in CoNLL-U. Throws InputError as set() does.
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
  /// The head is 0 for the root and -1 when it is not given. Nothing checks that it exists; see tree_problem.
  int head(int word) const { return heads_[static_cast<std::size_t>(word)]; }
  /// The heads of all words; heads()[0] == -1.
  const Heads& heads() const { return heads_; }

  /// Throws InputError for a value that is empty or holds a tab or a line break, and for ID and HEAD.
  void set(int word, Column column, std::string_view value);
  /// A head of -1 is written as "_".
  void set_head(int word, int head);

  std::vector<MultiwordToken> multiword_tokens() const;
  std::vector<EmptyNode> empty_nodes() const;

  /// The comments as whole lines, with their '#'.
  std::vector<std::string_view> comments() const;
  /// The x of the first comment "# name = x".
  std::optional<std::string_view> comment(std::string_view name) const;
  /// Replaces that comment, or adds "# name = value" after the last one. Throws InputError for a line break, and in
  /// CoNLL-X, which has no comments.
  void set_comment(std::string_view name, std::string_view value);

  ConllFormat format() const { return format_; }
  /// The number of the first line in its file; 0 for a sentence that was not read.
  std::size_t line() const { return first_line_; }
  /// The number of the line of this word, likewise.
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
    std::uint8_t ending = 1;             ///< The length of the line break: "", "\n" or "\r\n".
    std::array<Span, kColumns> columns;  ///< A comment is in the first.
  };

  std::string_view view(Span span) const { return std::string_view(text_).substr(span.begin, span.size); }
  std::array<std::string_view, kColumns> views(const Line& line) const;
  void assign(Span& span, std::string_view value);
  void add_line(Kind kind, const std::array<std::string_view, kColumns>& columns, std::uint8_t ending = 1);

  std::string text_;
  std::vector<Line> lines_;  ///< The last one is the blank line after the sentence, if there is one.
  std::vector<std::uint32_t> word_lines_;
  Heads heads_{-1};
  std::size_t first_line_ = 0;
  std::size_t added_comments_ = 0;
  ConllFormat format_ = ConllFormat::conllu;
};

/// The sentence in its format, with the blank line that ends it. A sentence that was read gives back the same bytes.
std::string to_text(const Sentence& sentence);
std::ostream& operator<<(std::ostream& out, const Sentence& sentence);

/// The sentence in another format; in its own, it stays as it is. CoNLL-X keeps words only, and blanks within columns
/// become '_'. From CoNLL-X, PHEAD and PDEPREL become '_'.
Sentence converted(const Sentence& sentence, ConllFormat format);

/// Reads sentences one after the other. It has memory for one at a time, and waits for no more input than its end.
class SentenceReader {
 public:
  /// `name` is for messages. The stream must outlive the reader.
  SentenceReader(std::istream& in, std::string name, ConllFormat format);

  /// The next sentence, or nothing at the end. Throws ParseError; the next call then goes on after the bad sentence.
  std::optional<Sentence> next();

 private:
  bool fill();
  std::optional<std::string_view> next_line();

  std::istream* in_;
  std::string name_;
  ConllFormat format_;
  std::string buffer_;
  std::size_t begin_ = 0;
  std::size_t line_ = 0;  ///< How many lines were read.
};

/// Reads all sentences of a stream. Throws ParseError.
std::vector<Sentence> read_sentences(std::istream& in, const std::string& name, ConllFormat format);

/// The value of "name=value" in a list "a=b|name=value|c" as in FEATS and MISC, or nothing when it is absent.
std::optional<std::string_view> attribute(std::string_view list, std::string_view name);
/// The list with the value replaced, or with "name=value" added at the end; "_" is the empty list.
std::string with_attribute(std::string_view list, std::string_view name, std::string_view value);

/// The relation without its subtype: "nsubj" for "nsubj:pass".
std::string_view universal_relation(std::string_view deprel);

}  // namespace kirchhoff
