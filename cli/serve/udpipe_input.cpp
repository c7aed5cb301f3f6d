// Writes the words as CoNLL-U, whose reader makes sentences of them and looks at their bytes.
#include "serve/udpipe_input.hpp"

#include <algorithm>
#include <sstream>
#include <string>
#include <utility>

namespace kirchhoff::cli {
namespace {

constexpr std::string_view kBlanks = " \t";

class Rows {
 public:
  void add(std::string_view form) {
    if (words_++ == 0 && std::exchange(new_paragraph_, false)) text_ += "# newpar\n";
    text_ += std::to_string(words_) + '\t';
    text_ += form;
    text_ += "\t_\t_\t_\t_\t_\t_\t_\t_\n";
  }
  /// Returns false when there was no sentence to end.
  bool end_sentence() {
    if (words_ == 0) return false;
    text_ += '\n';
    words_ = 0;
    return true;
  }
  void begin_paragraph() { new_paragraph_ = true; }

  std::vector<Sentence> sentences() {
    end_sentence();
    std::istringstream in(text_);
    return read_sentences(in, "data", ConllFormat::conllu);
  }

 private:
  std::string text_;
  int words_ = 0;
  bool new_paragraph_ = false;
};

template <class Visit>
void for_each_line(std::string_view data, const Visit& visit) {
  while (!data.empty()) {
    std::string_view line = data.substr(0, data.find('\n'));
    data.remove_prefix(std::min(data.size(), line.size() + 1));
    if (line.ends_with('\r')) line.remove_suffix(1);
    visit(line);
  }
}

std::string with_blanks(std::string_view word) {
  std::string form(word);
  for (std::size_t at = form.find(kNoBreakSpace); at != std::string::npos; at = form.find(kNoBreakSpace, at + 1)) {
    form.replace(at, kNoBreakSpace.size(), " ");
  }
  return form;
}

}  // namespace

std::vector<Sentence> horizontal_sentences(std::string_view data, EmptyLine empty) {
  Rows rows;
  for_each_line(data, [&](std::string_view line) {
    for (std::size_t at = line.find_first_not_of(kBlanks); at < line.size();) {
      const std::size_t end = std::min(line.find_first_of(kBlanks, at), line.size());
      rows.add(with_blanks(line.substr(at, end - at)));
      at = line.find_first_not_of(kBlanks, end);
    }
    if (!rows.end_sentence() && empty == EmptyLine::paragraph) rows.begin_paragraph();
  });
  return rows.sentences();
}

std::vector<Sentence> vertical_sentences(std::string_view data, EmptyLine empty) {
  Rows rows;
  for_each_line(data, [&](std::string_view line) {
    const std::string_view word = line.substr(0, line.find('\t'));
    if (word.find_first_not_of(' ') != std::string_view::npos) {
      rows.add(word);
    } else if (!rows.end_sentence() && empty == EmptyLine::paragraph) {
      rows.begin_paragraph();
    }
  });
  return rows.sentences();
}

}  // namespace kirchhoff::cli
