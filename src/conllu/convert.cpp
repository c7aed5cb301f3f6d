// Converts sentences between CoNLL-U and CoNLL-X.
#include "kirchhoff/conllu.hpp"

#include <algorithm>

namespace kirchhoff {

Sentence converted(const Sentence& sentence, ConllFormat format) {
  if (sentence.format_ == format) return sentence;
  Sentence out;
  out.format_ = format;
  out.first_line_ = sentence.first_line_;
  out.heads_ = sentence.heads_;
  for (const Sentence::Line& line : sentence.lines_) {
    if (line.kind == Sentence::Kind::end) out.add_line(line.kind, {}, line.ending);
    if (line.kind != Sentence::Kind::word) continue;
    auto columns = sentence.views(line);
    // PHEAD and PDEPREL are not what CoNLL-U has in the same columns, enhanced dependencies and remarks.
    columns[static_cast<std::size_t>(Column::deps)] = columns[static_cast<std::size_t>(Column::misc)] = "_";
    std::array<std::string, kColumns> joined;
    for (std::size_t i = 0; i < columns.size() && format == ConllFormat::conllx; ++i) {
      if (columns[i].find(' ') == std::string_view::npos) continue;
      joined[i] = columns[i];
      std::replace(joined[i].begin(), joined[i].end(), ' ', '_');
      columns[i] = joined[i];
    }
    out.add_line(line.kind, columns, line.ending);
  }
  return out;
}

}  // namespace kirchhoff
