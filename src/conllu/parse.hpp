// Parses the lines of one sentence.
#pragma once

#include "kirchhoff/conllu.hpp"

namespace kirchhoff {

/// Parses one sentence in one pass over its bytes.
class SentenceParser {
 public:
  SentenceParser(const std::string& name, std::string text, std::size_t first_line, ConllFormat format);
  /// The sentence. Throws ParseError.
  Sentence parse() &&;

 private:
  void check_encoding() const;
  void add_line(std::size_t begin, std::size_t end, std::uint8_t ending);
  Sentence::Line split(std::size_t begin, std::size_t end) const;
  Sentence::Kind read_id(std::string_view id);
  Sentence::Kind read_word(int word);
  Sentence::Kind read_multiword(int first, int last);
  Sentence::Kind read_empty_node(int word, int index);
  int read_head(Sentence::Span span) const;
  [[noreturn]] void fail(std::size_t at, const std::string& problem) const;
  [[noreturn]] void fail_id(const std::string& problem) const;

  const std::string& name_;
  Sentence sentence_;
  std::size_t line_begin_ = 0;
  int multiword_end_ = 0;  ///< The last word of the latest multiword token.
  int empty_nodes_ = 0;    ///< How many came since the last word.
};

}  // namespace kirchhoff
