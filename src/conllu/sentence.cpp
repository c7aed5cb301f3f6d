// Implements Sentence as views into one block of text. A value that is set overwrites the old one where it fits and
// goes to the end of the block otherwise.
#include "base/check.hpp"
#include "conllu/number.hpp"
#include "kirchhoff/conllu.hpp"

#include <algorithm>
#include <ostream>

namespace kirchhoff {
namespace {

constexpr std::size_t kMostText = UINT32_MAX;

void check_value(const char* function, std::string_view value) {
  if (value.empty()) base::input_error(function, "an empty value; nothing is written '_'");
  if (value.find_first_of("\t\r\n") != std::string_view::npos) {
    base::input_error(function, "a value with a tab or a line break");
  }
}

}  // namespace

Sentence::Sentence(const std::vector<std::string>& forms) {
  for (const std::string& form : forms) {
    check_value("Sentence", form);
    const std::string id = std::to_string(size() + 1);
    add_line(Kind::word, {id, form, "_", "_", "_", "_", "_", "_", "_", "_"});
    heads_.push_back(-1);
  }
  add_line(Kind::end, {});
}

std::array<std::string_view, kColumns> Sentence::views(const Line& line) const {
  std::array<std::string_view, kColumns> columns;
  for (std::size_t i = 0; i < columns.size(); ++i) columns[i] = view(line.columns[i]);
  return columns;
}

void Sentence::assign(Span& span, std::string_view value) {
  if (value.size() > span.size) {
    if (text_.size() + value.size() > kMostText) base::input_error("Sentence", "more than 4 GB of text");
    span.begin = static_cast<std::uint32_t>(text_.size());
    text_.append(value);
  } else {
    text_.replace(span.begin, value.size(), value);
  }
  span.size = static_cast<std::uint32_t>(value.size());
}

/// Changes the text, but not heads_.
void Sentence::add_line(Kind kind, const std::array<std::string_view, kColumns>& columns, std::uint8_t ending) {
  if (kind == Kind::word) word_lines_.push_back(static_cast<std::uint32_t>(lines_.size()));
  Line& line = lines_.emplace_back();
  line.kind = kind;
  line.ending = ending;
  for (std::size_t i = 0; i < columns.size(); ++i) assign(line.columns[i], columns[i]);
}

void Sentence::set(int word, Column column, std::string_view value) {
  if (column == Column::id || column == Column::head) base::input_error("Sentence::set", "not for ID and HEAD");
  check_value("Sentence::set", value);
  const std::string copy(value);  // It may be a view into this very text.
  assign(lines_[word_lines_[static_cast<std::size_t>(word) - 1]].columns[static_cast<std::size_t>(column)], copy);
}

void Sentence::set_head(int word, int head) {
  if (head < -1) base::input_error("Sentence::set_head", std::to_string(head) + " is no head");
  const std::string value = head == -1 ? "_" : std::to_string(head);
  constexpr auto kHead = static_cast<std::size_t>(Column::head);
  assign(lines_[word_lines_[static_cast<std::size_t>(word) - 1]].columns[kHead], value);
  heads_[static_cast<std::size_t>(word)] = head;
}

std::vector<MultiwordToken> Sentence::multiword_tokens() const {
  std::vector<MultiwordToken> tokens;
  for (const Line& line : lines_) {
    if (line.kind != Kind::multiword) continue;
    const auto [first, last] = *conllu::number_pair(view(line.columns[0]), '-');
    tokens.push_back({first, last, views(line)});
  }
  return tokens;
}

std::vector<EmptyNode> Sentence::empty_nodes() const {
  std::vector<EmptyNode> nodes;
  for (const Line& line : lines_) {
    if (line.kind != Kind::empty_node) continue;
    const auto [word, index] = *conllu::number_pair(view(line.columns[0]), '.');
    nodes.push_back({word, index, views(line)});
  }
  return nodes;
}

std::vector<std::string_view> Sentence::comments() const {
  std::vector<std::string_view> comments;
  for (const Line& line : lines_) {
    if (line.kind == Kind::comment) comments.push_back(view(line.columns[0]));
  }
  return comments;
}

std::string to_text(const Sentence& sentence) {
  std::string out;
  out.reserve(sentence.text_.size() + 8);
  for (const Sentence::Line& line : sentence.lines_) {
    const bool is_row = line.kind != Sentence::Kind::comment && line.kind != Sentence::Kind::end;
    out += sentence.view(line.columns[0]);
    for (std::size_t i = 1; is_row && i < line.columns.size(); ++i) {
      out += '\t';
      out += sentence.view(line.columns[i]);
    }
    out += std::string_view("\r\n").substr(2 - line.ending);
  }
  return out;
}

std::ostream& operator<<(std::ostream& out, const Sentence& sentence) { return out << to_text(sentence); }

}  // namespace kirchhoff
