// Counts what words were seen with, and reads the counts.
#include "text/lexicon.hpp"

#include "text/sequence_model.hpp"

#include <algorithm>

namespace kirchhoff::text {

Lexicon::Lexicon(const parser::Container& file, const std::string& name, int ids)
    : table_(file.array<parser::Bucket>(name + ".table"), file.array<parser::LabelWeight>(name + ".lists")) {
  const std::string problem = table_.problem(static_cast<std::uint32_t>(ids), "entries of '" + name + "'");
  if (!problem.empty()) file.fail(problem);
}

void Lexicon::find(std::uint64_t key, int own, std::vector<Entry>& found) const {
  found.clear();
  table_.visit(key, [&](std::uint32_t id, float count) {
    const Entry entry{static_cast<int>(id), static_cast<int>(count) - (static_cast<int>(id) == own ? 1 : 0)};
    if (entry.count > 0) found.push_back(entry);
  });
}

parser::LabelTables LexiconMaker::tables(base::Crew& crew) const {
  auto seen = seen_;
  std::sort(seen.begin(), seen.end());
  std::vector<std::uint64_t> keys;
  std::vector<std::uint32_t> begin;
  std::vector<std::uint16_t> ids;
  std::vector<float> counts;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const bool is_new = i == 0 || seen[i].first != seen[i - 1].first;
    if (is_new) {
      keys.push_back(seen[i].first);
      begin.push_back(static_cast<std::uint32_t>(ids.size()));
    }
    if (is_new || seen[i].second != seen[i - 1].second) {
      ids.push_back(seen[i].second);
      counts.push_back(0.0F);
    }
    counts.back() += 1.0F;
  }
  begin.push_back(static_cast<std::uint32_t>(ids.size()));
  return parser::make_label_tables({keys, begin, ids, counts}, crew, kFilled);
}

Lexicon LexiconMaker::lexicon(const parser::LabelTables& tables) {
  Lexicon lexicon;
  lexicon.table_ = parser::LabelTable(tables.features, tables.lists);
  return lexicon;
}

void add_lexicon(parser::ContainerWriter& writer, const std::string& name, parser::LabelTables tables) {
  writer.add_vector(name + ".table", std::move(tables.features));
  writer.add_vector(name + ".lists", std::move(tables.lists));
}

}  // namespace kirchhoff::text
