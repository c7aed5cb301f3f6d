// The three models of a tagger, each learnt from gold answers of those before it.
#include "text/train_tagger.hpp"

#include "base/check.hpp"
#include "evaluate/lower_case.hpp"
#include "text/numbering.hpp"
#include "text/scripts.hpp"
#include "text/token_model.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace kirchhoff::text {
namespace {

constexpr int kLeastScripts = 2;            // Scripts that fewer words have are left to the lexicon.
constexpr std::size_t kManyWords = 100000;  // A treebank of more has many more weights, and small ones matter less.
constexpr float kLeast = 0.05F;             // Smaller weights are left out of models of other treebanks.
constexpr double kDropout = 0.4;            // Of tags; scripts of lemmas do not gain by it.
constexpr std::string_view kNothing = "_";

class Training {
 public:
  Training(std::span<const Sentence> sentences, const TaggerTraining& options, base::Crew& crew,
           const SequenceProgress& progress)
      : sentences_(sentences), options_(options), crew_(crew), progress_(progress) {
    read_tags();
    read_lexicons();
    read_clusters();
    for (std::size_t i = 0; i < sentences.size(); ++i) {
      words_.push_back(views_of(sentences[i], lexicons_, parts_.morphologies, own(i)));
    }
  }

  std::optional<TaggerParts> run() && {
    if (!learn_upos() || !learn_feats()) return std::nullopt;
    if (options_.lemmas && !learn_lemmas()) return std::nullopt;
    return std::move(parts_);
  }

 private:
  OwnAnswers own(std::size_t i) const {
    return {feats_[i], lemmas_[i], scripts_.empty() ? std::span<const int>() : std::span<const int>(scripts_[i])};
  }

  /// Words without a universal tag count as X.
  void read_tags() {
    bool any = false;
    Numbering names, morphologies;
    for (const Sentence& s : sentences_) {
      upos_.emplace_back();
      feats_.emplace_back();
      for (int word = 1; word <= s.size(); ++word) {
        any |= s.upos(word) != kNothing;
        upos_.back().push_back(names.add(s.upos(word) == kNothing ? "X" : std::string(s.upos(word))));
        const Morphology m{upos_.back().back(), std::string(s.xpos(word)), std::string(s.feats(word))};
        feats_.back().push_back(morphologies.add(line_of(m)));
        if (feats_.back().back() == static_cast<int>(parts_.morphologies.size())) parts_.morphologies.push_back(m);
      }
    }
    if (!any) base::input_error("train_pipeline", "no word has a universal tag (UPOS), so no tagger can be learnt");
    for (const LexiconEntry& entry : options_.lexicon) {
      const int upos = entry.upos == kNothing ? -1 : names.add(entry.upos);
      lexicon_.push_back(upos < 0 ? -1 : morphologies.add(line_of({upos, entry.xpos, entry.feats})));
      if (lexicon_.back() == static_cast<int>(parts_.morphologies.size())) {
        parts_.morphologies.push_back({upos, entry.xpos, entry.feats});
      }
    }
    parts_.upos = names.names();
  }

  void read_clusters() {
    Numbering paths;
    LexiconMaker clusters;
    for (const WordCluster& cluster : options_.clusters) {
      clusters.add(word_key(evaluation::lower_case(cluster.word)), paths.add(cluster.path));
    }
    if (paths.size() > std::numeric_limits<std::uint16_t>::max()) {
      base::input_error("train_pipeline", "clusters: " + std::to_string(paths.size()) + " of them, more than 65535");
    }
    parts_.paths = paths.names();
    parts_.clusters = clusters.tables(crew_);
    lexicons_.paths = parts_.paths;
    lexicons_.clusters = LexiconMaker::lexicon(parts_.clusters);
  }

  void read_lexicons() {
    LexiconMaker words, lemmas;
    for (std::size_t i = 0; i < sentences_.size(); ++i) {
      lemmas_.emplace_back();
      for (std::size_t w = 0; w < upos_[i].size(); ++w) {
        const int word = static_cast<int>(w) + 1;
        const std::string_view lemma = sentences_[i].lemma(word);
        add_word(words, evaluation::lower_case(sentences_[i].form(word)), feats_[i][w]);
        lemmas_[i].push_back(evaluation::lower_case(lemma));
        if (lemma != kNothing) add_lemma(lemmas, lemmas_[i][w], upos_[i][w]);
      }
    }
    for (std::size_t i = 0; i < lexicon_.size(); ++i) {
      if (lexicon_[i] < 0) continue;
      const LexiconEntry& entry = options_.lexicon[i];
      words.add(word_key(evaluation::lower_case(entry.form)), lexicon_[i]);
      const int upos = parts_.morphologies[static_cast<std::size_t>(lexicon_[i])].upos;
      if (entry.lemma != kNothing) add_lemma(lemmas, evaluation::lower_case(entry.lemma), upos);
    }
    parts_.words = words.tables(crew_);
    parts_.lemmas = lemmas.tables(crew_);
    lexicons_.words = LexiconMaker::lexicon(parts_.words);
    lexicons_.lemmas = LexiconMaker::lexicon(parts_.lemmas);
  }

  bool is_large() const {
    std::size_t words = 0;
    for (const Tags& some : feats_) words += some.size();
    return words > kManyWords;
  }

  /// `least` is for large treebanks.
  std::optional<SequenceWeights> learn(const SequenceTask& task, double dropout, float least) {
    return train_sequences(
        task,
        {.epochs = options_.epochs, .seed = options_.seed, .least = is_large() ? least : kLeast, .dropout = dropout},
        crew_, progress_);
  }

  bool learn_upos() {
    SequenceTask task{.tags = static_cast<int>(parts_.upos.size()), .chain = true, .gold = upos_};
    task.features = [&]() -> FeaturesOf {
      return [&](std::size_t i, SequenceKeys& keys) { find_upos_features(words_[i], parts_.morphologies, keys); };
    };
    task.transitions = Matrix::Zero(task.tags, task.tags);
    auto learnt = learn(task, kDropout, 0.1F);
    if (learnt) parts_.upos_weights = std::move(*learnt);
    return learnt.has_value();
  }

  bool learn_feats() {
    const std::vector<Morphology>& all = parts_.morphologies;
    MorphologyLabels labels(all);
    SequenceTask task{.tags = static_cast<int>(all.size()), .labels = std::move(labels.of), .gold = feats_};
    task.features = [&]() -> FeaturesOf {
      return [&](std::size_t i, SequenceKeys& keys) { find_feats_features(words_[i], upos_[i], all, keys); };
    };
    std::vector<std::vector<int>> of_upos(parts_.upos.size());
    const auto upos_of = [&](int tag) { return static_cast<std::size_t>(all[static_cast<std::size_t>(tag)].upos); };
    for (int tag = 0; tag < task.tags; ++tag) of_upos[upos_of(tag)].push_back(tag);
    task.rivals = [&](int gold) { return std::span<const int>(of_upos[upos_of(gold)]); };
    auto learnt = learn(task, kDropout, 0.08F);
    if (learnt) parts_.feats_weights = std::move(*learnt);
    return learnt.has_value();
  }

  /// Numbers the scripts of all words, first those that several words have. Whether there are any lemmas.
  bool read_scripts(Numbering& often, Numbering& all) {
    std::unordered_map<std::string, int> counts;
    std::vector<std::vector<std::string>> scripts;
    bool any = false;
    for (const Sentence& s : sentences_) {
      scripts.emplace_back();
      for (int word = 1; word <= s.size(); ++word) {
        any |= s.lemma(word) != kNothing;
        scripts.back().push_back(lemma_script(s.form(word), s.lemma(word)));
        ++counts[scripts.back().back()];
      }
    }
    for (const auto& some : scripts) {
      for (const std::string& script : some) {
        if (counts[script] >= kLeastScripts || often.size() == 0) often.add(script);
      }
    }
    all = often;
    LexiconMaker seen;
    for (std::size_t i = 0; i < scripts.size(); ++i) {
      scripts_.emplace_back();
      for (std::size_t w = 0; w < scripts[i].size(); ++w) {
        scripts_[i].push_back(all.add(scripts[i][w]));
        for (const int given : {feats_[i][w], -1 - upos_[i][w]}) {
          seen.add(script_key(words_[i][w].lower_text, given), scripts_[i][w]);
        }
      }
    }
    for (std::size_t i = 0; i < lexicon_.size(); ++i) {
      const LexiconEntry& entry = options_.lexicon[i];
      if (lexicon_[i] < 0 || entry.lemma == kNothing) continue;
      const int script = all.add(lemma_script(entry.form, entry.lemma));
      const int upos = parts_.morphologies[static_cast<std::size_t>(lexicon_[i])].upos;
      const std::string lower = evaluation::lower_case(entry.form);
      for (const int given : {lexicon_[i], -1 - upos}) seen.add(script_key(lower, given), script);
    }
    parts_.script_lexicon = seen.tables(crew_);
    lexicons_.scripts = LexiconMaker::lexicon(parts_.script_lexicon);
    return any;
  }

  bool learn_lemmas() {
    Numbering often, all;
    if (!read_scripts(often, all)) return true;
    SequenceTask task{.tags = often.size(), .gold = scripts_};
    for (Tags& some : task.gold)
      std::replace_if(
          some.begin(), some.end(), [&](int s) { return s >= task.tags; }, -1);
    task.features = [&]() -> FeaturesOf {
      return [&](std::size_t i, SequenceKeys& keys) {
        find_lemma_features(words_[i], upos_[i], feats_[i], lexicons_, own(i), keys);
      };
    };
    auto learnt = learn(task, 0.0, 0.1F);
    if (!learnt) return false;
    parts_.lemma_weights = std::move(*learnt);
    parts_.scripts = often.names();
    parts_.rare.assign(all.names().begin() + often.size(), all.names().end());
    return true;
  }

  std::span<const Sentence> sentences_;
  const TaggerTraining& options_;
  base::Crew& crew_;
  const SequenceProgress& progress_;
  TaggerParts parts_;
  TagLexicons lexicons_;
  std::vector<Tags> upos_, feats_, scripts_;
  std::vector<int> lexicon_;                      ///< The morphology of each entry; -1 where it has none.
  std::vector<std::vector<std::string>> lemmas_;  ///< In lower case.
  std::vector<std::vector<WordView>> words_;
};

}  // namespace

std::optional<TaggerParts> train_tagger(std::span<const Sentence> sentences, const TaggerTraining& training,
                                        base::Crew& crew, const SequenceProgress& progress) {
  return Training(sentences, training, crew, progress).run();
}

void add_sections(parser::ContainerWriter& writer, const TaggerParts& parts, base::Crew& crew) {
  writer.add("tag.upos", parser::write_lines(parts.upos));
  add_sections(writer, "tag", parts.upos_weights, crew);
  std::vector<std::string> lines;
  for (const Morphology& m : parts.morphologies) lines.push_back(line_of(m));
  writer.add("feats.names", parser::write_lines(lines));
  add_sections(writer, "feats", parts.feats_weights, crew);
  add_lexicon(writer, "tag.words", parts.words);
  if (!parts.paths.empty()) {
    writer.add("tag.paths", parser::write_lines(parts.paths));
    add_lexicon(writer, "tag.clust", parts.clusters);
  }
  add_lexicon(writer, "tag.lemmas", parts.lemmas);
  if (parts.scripts.empty()) return;
  writer.add("lemma.scripts", parser::write_lines(parts.scripts));
  writer.add("lemma.rare", parser::write_lines(parts.rare));
  add_sections(writer, "lemma", parts.lemma_weights, crew);
  add_lexicon(writer, "lemma.seen", parts.script_lexicon);
}

}  // namespace kirchhoff::text
