// Reads tables of words, line by line.
#include "kirchhoff/known_words.hpp"

#include "base/utf8.hpp"
#include "evaluate/lower_case.hpp"
#include "kirchhoff/types.hpp"

#include <algorithm>
#include <istream>

namespace kirchhoff {
namespace {

/// Calls use(fields) for the lines that have something to say, which have between `least` and `most` fields.
template <class Use>
void each_line(std::istream& in, const std::string& name, std::size_t least, std::size_t most, const Use& use) {
  std::string line;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    if (const std::size_t bad = base::invalid_utf8(line); bad != std::string::npos) {
      throw ParseError(name, number, bad + 1, "not UTF-8");
    }
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty() || line.starts_with("# ")) continue;
    std::vector<std::string> fields(1);
    for (const char c : line) c == '\t' ? static_cast<void>(fields.emplace_back()) : fields.back().push_back(c);
    const bool has_empty = std::any_of(fields.begin(), fields.end(), [](const auto& field) { return field.empty(); });
    if (has_empty || fields.size() < least || fields.size() > most) {
      throw ParseError(name, number, 1,
                       "expected " + std::to_string(least) + " to " + std::to_string(most) +
                           " fields that are not empty, with tabs between");
    }
    use(fields);
  }
}

}  // namespace

std::vector<LexiconEntry> read_lexicon(std::istream& in, const std::string& name) {
  std::vector<LexiconEntry> entries;
  each_line(in, name, 3, 5, [&](std::vector<std::string>& fields) {
    fields.resize(5, "_");
    entries.push_back({fields[0], fields[1], fields[2], fields[3], fields[4]});
  });
  return entries;
}

KnownWords::KnownWords(std::vector<LexiconEntry> entries) {
  for (LexiconEntry& entry : entries) {
    const std::string form = entry.form;
    readings_[form].push_back(std::move(entry));
  }
}

std::span<const LexiconEntry> KnownWords::readings(std::string_view form) const {
  auto found = readings_.find(std::string(form));
  if (found == readings_.end()) found = readings_.find(evaluation::lower_case(form));
  return found == readings_.end() ? std::span<const LexiconEntry>() : std::span<const LexiconEntry>(found->second);
}

std::vector<WordCluster> read_clusters(std::istream& in, const std::string& name) {
  std::vector<WordCluster> clusters;
  each_line(in, name, 2, 3, [&](const std::vector<std::string>& fields) {
    clusters.push_back({fields[0], fields[1]});
  });
  return clusters;
}

}  // namespace kirchhoff
