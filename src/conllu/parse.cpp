// Parses the lines of one sentence: comments, then rows of ten columns whose IDs count the words from 1. "3-4"
// announces a multiword token before its words; "8.1", "8.2", ... are empty nodes after word 8 [Nivre20]. CoNLL-X
// [Buchholz06] has words only. Columns are kept as they are: their contents are checked where they must be numbers.
#include "conllu/parse.hpp"

#include "base/utf8.hpp"
#include "conllu/number.hpp"

#include <algorithm>
#include <cstring>

namespace kirchhoff {
namespace {

constexpr std::size_t kShown = 40;  // A message shows this many bytes of a bad value.
constexpr const char* kColumnNames[] = {"ID",    "FORM", "LEMMA",  "UPOS", "XPOS",
                                        "FEATS", "HEAD", "DEPREL", "DEPS", "MISC"};

std::string quoted(std::string_view text) {
  std::string shown;
  while (!text.empty() && shown.size() < kShown) {
    const std::size_t size = base::character_size(text);
    if (static_cast<unsigned char>(text[0]) < 0x20) {
      shown += '?';
    } else {
      shown += text.substr(0, size);
    }
    text.remove_prefix(size);
  }
  return "'" + shown + (text.empty() ? "'" : "...'");
}

}  // namespace

SentenceParser::SentenceParser(const std::string& name, std::string text, std::size_t first_line, ConllFormat format)
    : name_(name) {
  sentence_.text_ = std::move(text);
  sentence_.first_line_ = first_line;
  sentence_.format_ = format;
}

Sentence SentenceParser::parse() && {
  check_encoding();
  const std::string& text = sentence_.text_;
  const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
  sentence_.lines_.reserve(lines);
  sentence_.word_lines_.reserve(lines);
  sentence_.heads_.reserve(lines);
  while (line_begin_ < text.size()) {
    const std::size_t feed = std::min(text.find('\n', line_begin_), text.size());
    const bool carriage = feed < text.size() && feed > line_begin_ && text[feed - 1] == '\r';
    const auto ending = static_cast<std::uint8_t>((feed < text.size() ? 1 : 0) + (carriage ? 1 : 0));
    add_line(line_begin_, feed - (carriage ? 1 : 0), ending);
    line_begin_ = std::min(feed + 1, text.size());
  }
  if (sentence_.size() == 0) fail(line_begin_, "the sentence has no words");
  if (multiword_end_ > sentence_.size()) {
    fail(line_begin_, "the sentence ends before word " + std::to_string(multiword_end_) + " of a multiword token");
  }
  return std::move(sentence_);
}

void SentenceParser::check_encoding() const {
  const std::string_view text = sentence_.text_;
  const std::size_t bad = base::invalid_utf8(text);
  if (bad == std::string_view::npos) return;
  const auto before =
      static_cast<std::size_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(bad), '\n'));
  const std::size_t begin = text.substr(0, bad).rfind('\n') + 1;  // npos + 1 == 0.
  throw ParseError(name_, sentence_.first_line_ + before, bad - begin + 1, "not UTF-8");
}

void SentenceParser::add_line(std::size_t begin, std::size_t end, std::uint8_t ending) {
  Sentence::Line line;
  const bool is_comment = begin < end && sentence_.text_[begin] == '#' && sentence_.format_ == ConllFormat::conllu;
  if (begin == end) {
    line.kind = Sentence::Kind::end;
  } else if (is_comment) {
    const bool early = sentence_.lines_.empty() || sentence_.lines_.back().kind == Sentence::Kind::comment;
    if (!early) fail(begin, "a comment after the first word");
    line.columns[0] = {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end - begin)};
  } else {
    line = split(begin, end);
    line.kind = read_id(sentence_.view(line.columns[0]));
    if (line.kind == Sentence::Kind::word) {
      sentence_.word_lines_.push_back(static_cast<std::uint32_t>(sentence_.lines_.size()));
      sentence_.heads_.push_back(read_head(line.columns[static_cast<std::size_t>(Column::head)]));
    }
  }
  line.ending = ending;
  sentence_.lines_.push_back(line);
}

Sentence::Line SentenceParser::split(std::size_t begin, std::size_t end) const {
  Sentence::Line line;
  const char* text = sentence_.text_.data();
  std::size_t column = 0;
  if (const void* carriage = std::memchr(text + begin, '\r', end - begin)) {
    fail(static_cast<std::size_t>(static_cast<const char*>(carriage) - text), "a carriage return inside a line");
  }
  for (std::size_t at = begin; at <= end; ++column) {
    const void* tab = std::memchr(text + at, '\t', end - at);
    const std::size_t stop = tab ? static_cast<std::size_t>(static_cast<const char*>(tab) - text) : end;
    if (column == kColumns) fail(at, "more than 10 columns");
    if (stop == at) fail(at, std::string(kColumnNames[column]) + ": empty; nothing is written '_'");
    line.columns[column] = {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(stop - at)};
    at = stop + 1;
  }
  if (column < kColumns) fail(end, std::to_string(column) + " columns separated by tabs, expected 10");
  return line;
}

Sentence::Kind SentenceParser::read_id(std::string_view id) {
  if (const auto word = conllu::number(id)) return read_word(*word);
  if (sentence_.format_ == ConllFormat::conllu) {
    if (const auto range = conllu::number_pair(id, '-')) return read_multiword(range->first, range->second);
    if (const auto node = conllu::number_pair(id, '.')) return read_empty_node(node->first, node->second);
  }
  fail_id(quoted(id) + " is not a word number");
}

Sentence::Kind SentenceParser::read_word(int word) {
  const int expected = sentence_.size() + 1;
  if (word != expected) fail_id(std::to_string(word) + ", expected " + std::to_string(expected));
  empty_nodes_ = 0;
  return Sentence::Kind::word;
}

Sentence::Kind SentenceParser::read_multiword(int first, int last) {
  const int expected = sentence_.size() + 1;
  if (first != expected || last < first) {
    fail_id("a multiword token of words " + std::to_string(first) + " to " + std::to_string(last) + " before word " +
            std::to_string(expected));
  }
  if (first <= multiword_end_) fail_id("a multiword token inside another");
  multiword_end_ = last;
  return Sentence::Kind::multiword;
}

Sentence::Kind SentenceParser::read_empty_node(int word, int index) {
  if (word != sentence_.size() || index != empty_nodes_ + 1) {
    fail_id("empty node " + std::to_string(word) + "." + std::to_string(index) + ", expected " +
            std::to_string(sentence_.size()) + "." + std::to_string(empty_nodes_ + 1));
  }
  ++empty_nodes_;
  return Sentence::Kind::empty_node;
}

int SentenceParser::read_head(Sentence::Span span) const {
  const std::string_view text = sentence_.view(span);
  if (text == "_") return -1;
  if (const auto head = conllu::number(text)) return *head;
  fail(span.begin, "HEAD: " + quoted(text) + " is neither a word number nor '_'");
}

void SentenceParser::fail(std::size_t at, const std::string& problem) const {
  throw ParseError(name_, sentence_.first_line_ + sentence_.lines_.size(), at - line_begin_ + 1, problem);
}

void SentenceParser::fail_id(const std::string& problem) const { fail(line_begin_, "ID: " + problem); }

}  // namespace kirchhoff
