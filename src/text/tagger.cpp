// Tags a sentence: first the best sequence of universal tags, then XPOS and FEATS of each word given these, then its
// lemma given all of them.
#include "kirchhoff/tagger.hpp"

#include "base/check.hpp"
#include "base/utf8.hpp"
#include "kirchhoff/chain_expectation.hpp"
#include "kirchhoff/chain_paths.hpp"
#include "text/numbering.hpp"
#include "text/scripts.hpp"
#include "text/tag_model.hpp"
#include "text/token_model.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace kirchhoff {
namespace text {
namespace {

/// A value of a column, or a part of one: text without tabs.
bool is_value(std::string_view text) {
  return !text.empty() && text.find_first_of("\t\r") == std::string_view::npos &&
         base::invalid_utf8(text) == std::string_view::npos;
}

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

struct Choice {
  int tag = 0;
  double probability = 1.0;
};

/// The best of some morphologies by the scores of labels, and its probability among them.
Choice best_of(const TagModel& model, std::span<const int> tags, std::span<const float> scores, bool probability) {
  const auto score = [&](int tag) {
    float sum = 0.0F;
    for (const int label : model.labels.of[static_cast<std::size_t>(tag)]) {
      sum += scores[static_cast<std::size_t>(label)];
    }
    return sum;
  };
  const int best = *std::max_element(tags.begin(), tags.end(), [&](int a, int b) { return score(a) < score(b); });
  if (!probability) return {best, 1.0};
  double sum = 0.0;
  for (const int tag : tags) sum += std::exp(static_cast<double>(score(tag)) - score(best));
  return {best, 1.0 / sum};
}

/// The lemma by the best script that can be applied; the form where there is none.
std::string lemma_of(const TagModel& model, const std::string& form, std::span<const float> scores) {
  const float bound = *std::max_element(scores.begin(), scores.end()) - 20.0F;
  for (const std::size_t i : best_first(scores, bound)) {
    const auto lemma = apply_lemma_script(model.scripts[i], form);
    if (lemma && is_value(*lemma)) return *lemma;
  }
  return form;
}

ChainDistribution distribution(const TagModel& model, std::span<const WordView> words) {
  SequenceKeys keys;
  find_upos_features(words, model.morphologies, keys);
  return {model.upos_model.emissions(keys), model.upos_model.transitions()};
}

/// Numbers of the universal tags that the input gives; empty lists where it gives none that is known.
std::vector<std::vector<int>> given_tags(const TagModel& model, const Sentence& sentence) {
  std::vector<std::vector<int>> given(static_cast<std::size_t>(sentence.size()));
  for (int word = 1; word <= sentence.size(); ++word) {
    const auto found = std::find(model.upos.begin(), model.upos.end(), sentence.upos(word));
    if (found != model.upos.end()) {
      given[static_cast<std::size_t>(word - 1)] = {static_cast<int>(found - model.upos.begin())};
    }
  }
  return given;
}

/// The lemma that the lexicon knows for a word with its morphology, where it knows one and no other.
std::optional<std::string> known_lemma(const TagModel& model, const WordView& word, int morphology) {
  thread_local std::vector<Lexicon::Entry> seen;
  model.lexicons.scripts.find(script_key(word.lower_text, morphology), Lexicon::kNothing, seen);
  if (seen.size() != 1) return std::nullopt;
  auto lemma = apply_lemma_script(model.scripts[static_cast<std::size_t>(seen[0].id)], word.text);
  return lemma && is_value(*lemma) ? lemma : std::nullopt;
}

void set_lemmas(const TagModel& model, std::span<const WordView> words, const Tags& upos, const Tags& feats,
                Sentence& sentence) {
  if (!model.has_lemmas) return;
  SequenceKeys keys;
  find_lemma_features(words, upos, feats, model.lexicons, {}, keys);
  std::vector<float> scores;
  for (std::size_t i = 0; i < words.size(); ++i) {
    auto lemma = known_lemma(model, words[i], feats[i]);
    if (!lemma) {
      model.lemma_model.score(keys.of(i), scores);
      lemma = lemma_of(model, words[i].text, scores);
    }
    sentence.set(static_cast<int>(i) + 1, Column::lemma, *lemma);
  }
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
      feats_model(container, "feats", labels.count) {
  lexicons.words = Lexicon(file, "tag.words", static_cast<int>(morphologies.size()));
  lexicons.lemmas = Lexicon(file, "tag.lemmas", static_cast<int>(upos.size()));
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

}  // namespace text

const std::vector<std::string>& Tagger::upos() const { return model_->upos; }

ChainDistribution Tagger::upos_distribution(const Sentence& sentence) const {
  if (sentence.size() == 0) base::input_error("upos_distribution", "a sentence without words");
  return text::distribution(*model_, text::views_of(sentence, model_->lexicons, model_->morphologies));
}

Tagged tag(const Tagger& tagger, const Sentence& sentence, const TagOptions& options) {
  Tagged result{sentence, {}, {}, 0.0};
  if (sentence.size() == 0) return result;
  const text::TagModel& model = text::TextAccess::model_of(tagger);
  const std::vector<text::WordView> words = text::views_of(sentence, model.lexicons, model.morphologies);
  ChainDistribution p = text::distribution(model, words);
  if (options.keep) p = p.allow(text::given_tags(model, sentence));
  const Tags upos = best_tags(p).tags;
  text::SequenceKeys keys;
  text::find_feats_features(words, upos, model.morphologies, keys);
  Tags feats;
  std::vector<float> scores;
  if (options.probabilities) {
    result.upos_probabilities.assign(1, 0.0);
    result.feats_probabilities.assign(1, 0.0);
    result.entropy = entropy(p);
  }
  for (int word = 1; word <= sentence.size(); ++word) {
    const auto i = static_cast<std::size_t>(word - 1);
    model.feats_model.score(keys.of(i), scores);
    const text::Choice choice =
        text::best_of(model, model.of_upos[static_cast<std::size_t>(upos[i])], scores, options.probabilities);
    feats.push_back(choice.tag);
    const text::Morphology& m = model.morphologies[static_cast<std::size_t>(choice.tag)];
    result.sentence.set(word, Column::upos, model.upos[static_cast<std::size_t>(upos[i])]);
    result.sentence.set(word, Column::xpos, m.xpos);
    result.sentence.set(word, Column::feats, m.feats);
    if (!options.probabilities) continue;
    result.upos_probabilities.push_back(std::min(p.marginals().emission(word - 1, upos[i]), 1.0));
    result.feats_probabilities.push_back(choice.probability);
  }
  text::set_lemmas(model, words, upos, feats, result.sentence);
  return result;
}

}  // namespace kirchhoff
