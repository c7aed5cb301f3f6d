// Reads the sections of a tagger and checks that they fit.
#include "text/tag_model.hpp"

#include "base/utf8.hpp"
#include "parser/file/model.hpp"
#include "text/numbering.hpp"

#include <algorithm>

namespace kirchhoff::text {

bool is_value(std::string_view text) {
  return !text.empty() && text.find_first_of("\t\r") == std::string_view::npos &&
         base::invalid_utf8(text) == std::string_view::npos;
}

namespace {

std::vector<Morphology> morphologies_of(const parser::Container& file, int upos) {
  std::vector<Morphology> result;
  for (const std::string& line : parser::read_lines(file.text("feats.names"))) {
    const std::size_t first = line.find('\t'), second = line.find('\t', first + 1);
    if (first == std::string::npos || second == std::string::npos) file.fail("its morphology is damaged");
    Morphology m{std::atoi(line.substr(0, first).c_str()), line.substr(first + 1, second - first - 1),
                 line.substr(second + 1)};
    if (m.upos < 0 || m.upos >= upos || !is_value(m.xpos) || !is_value(m.feats)) {
      file.fail("its morphology is damaged");
    }
    result.push_back(std::move(m));
  }
  return result;
}

TagTemperatures temperatures_of(const parser::Container& file) {
  if (!file.has("tag.temperature")) return {};
  const auto stored = file.array<double>("tag.temperature");
  const auto sound = [](double t) { return t >= 1.0 / kLargestTemperature && t <= kLargestTemperature; };
  if (stored.size() != 2 || !sound(stored[0]) || !sound(stored[1])) file.fail("the temperature of its tags is damaged");
  return {stored[0], stored[1]};
}

/// The words of clusters, and the paths of the clusters.
void read_clusters(const parser::Container& file, TagLexicons& lexicons) {
  if (!file.has("tag.paths")) return;
  lexicons.paths = parser::read_lines(file.text("tag.paths"));
  if (!std::all_of(lexicons.paths.begin(), lexicons.paths.end(), is_value)) file.fail("its clusters are damaged");
  lexicons.clusters = Lexicon(file, "tag.clust", static_cast<int>(lexicons.paths.size()));
}

}  // namespace

MorphologyLabels::MorphologyLabels(std::span<const Morphology> morphologies) {
  Numbering attributes;
  const int own = static_cast<int>(morphologies.size());
  for (const Morphology& m : morphologies) {
    of.push_back({static_cast<int>(of.size()), own + attributes.add("\t" + m.xpos)});
    std::string_view rest = m.feats;
    while (!rest.empty()) {
      const std::size_t bar = std::min(rest.find('|'), rest.size());
      of.back().push_back(own + attributes.add(std::string(rest.substr(0, bar))));
      rest.remove_prefix(std::min(bar + 1, rest.size()));
    }
  }
  count = own + attributes.size();
}

std::string line_of(const Morphology& m) { return std::to_string(m.upos) + "\t" + m.xpos + "\t" + m.feats; }

TagModel::TagModel(const parser::Container& container)
    : file(container),
      upos(parser::read_lines(container.text("tag.upos"))),
      upos_model(container, "tag", static_cast<int>(upos.size())),
      morphologies(morphologies_of(container, static_cast<int>(upos.size()))),
      of_upos(upos.size()),
      labels(morphologies),
      feats_model(container, "feats", labels.count),
      temperature(temperatures_of(container)) {
  lexicons.words = Lexicon(file, "tag.words", static_cast<int>(morphologies.size()));
  lexicons.lemmas = Lexicon(file, "tag.lemmas", static_cast<int>(upos.size()));
  read_clusters(file, lexicons);
  if (upos.empty() || !std::all_of(upos.begin(), upos.end(), is_value)) file.fail("its universal tags are damaged");
  if (upos_model.transitions().rows() == 0) file.fail("its tagger is no chain");
  for (std::size_t i = 0; i < morphologies.size(); ++i) {
    of_upos[static_cast<std::size_t>(morphologies[i].upos)].push_back(static_cast<int>(i));
  }
  for (const auto& some : of_upos) {
    if (some.empty()) file.fail("has a universal tag without morphology");
  }
  has_lemmas = file.has("lemma.scripts");
  if (!has_lemmas) return;
  scripts = parser::read_lines(file.text("lemma.scripts"));
  const auto learnt = static_cast<int>(scripts.size());
  for (std::string& script : parser::read_lines(file.text("lemma.rare"))) scripts.push_back(std::move(script));
  const auto is_text = [](const std::string& script) { return base::invalid_utf8(script) == std::string::npos; };
  if (learnt == 0 || !std::all_of(scripts.begin(), scripts.end(), is_text)) file.fail("its lemmas are damaged");
  lemma_model = SequenceModel(file, "lemma", learnt);
  lexicons.scripts = Lexicon(file, "lemma.seen", static_cast<int>(scripts.size()));
}

}  // namespace kirchhoff::text
