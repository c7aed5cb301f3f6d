// The three models of a tagger, each learnt from gold answers of those before it.
#include "text/train_tagger.hpp"

#include "base/check.hpp"
#include "text/numbering.hpp"
#include "text/scripts.hpp"
#include "text/token_model.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace kirchhoff::text {
namespace {

constexpr int kLeastScripts = 2;  // Scripts that fewer words have are left out.

class Training {
 public:
  Training(std::span<const Sentence> sentences, const TaggerTraining& options, base::Crew& crew,
           const SequenceProgress& progress)
      : sentences_(sentences), options_(options), crew_(crew), progress_(progress) {
    for (const Sentence& s : sentences) words_.emplace_back(s);
    read_tags();
  }

  std::optional<TaggerParts> run() && {
    TaggerParts parts;
    if (!learn_upos(parts) || !learn_feats(parts)) return std::nullopt;
    if (options_.lemmas && !learn_lemmas(parts)) return std::nullopt;
    return parts;
  }

 private:
  static constexpr std::string_view kNothing = "_";

  /// Words without a universal tag count as X.
  void read_tags() {
    bool any = false;
    for (const Sentence& s : sentences_) {
      upos_.emplace_back();
      feats_.emplace_back();
      for (int word = 1; word <= s.size(); ++word) {
        any |= s.upos(word) != kNothing;
        upos_.back().push_back(upos_names_.add(s.upos(word) == kNothing ? "X" : std::string(s.upos(word))));
        const Morphology m{upos_.back().back(), std::string(s.xpos(word)), std::string(s.feats(word))};
        feats_.back().push_back(feats_names_.add(line_of(m)));
        if (feats_.back().back() == static_cast<int>(morphologies_.size())) morphologies_.push_back(m);
      }
    }
    if (!any) base::input_error("train_pipeline", "no word has a universal tag (UPOS), so no tagger can be learnt");
  }

  std::optional<SequenceWeights> learn(const SequenceTask& task) {
    return train_sequences(task, {.epochs = options_.epochs, .seed = options_.seed}, crew_, progress_);
  }

  bool learn_upos(TaggerParts& parts) {
    SequenceTask task{.tags = upos_names_.size(), .chain = true, .gold = upos_};
    task.features = [&]() -> FeaturesOf {
      return [&](std::size_t i, SequenceKeys& keys) { find_upos_features(words_[i], keys); };
    };
    task.transitions = Matrix::Zero(task.tags, task.tags);
    auto learnt = learn(task);
    if (!learnt) return false;
    parts.upos_weights = std::move(*learnt);
    parts.upos = upos_names_.names();
    return true;
  }

  bool learn_feats(TaggerParts& parts) {
    SequenceTask task{.tags = feats_names_.size(), .gold = feats_};
    task.features = [&]() -> FeaturesOf {
      return [&](std::size_t i, SequenceKeys& keys) { find_feats_features(words_[i], upos_[i], keys); };
    };
    task.forbid = [&](std::size_t i, Matrix& emissions) {
      for (std::size_t t = 0; t < upos_[i].size(); ++t) {
        for (int tag = 0; tag < feats_names_.size(); ++tag) {
          if (morphologies_[static_cast<std::size_t>(tag)].upos != upos_[i][t]) {
            emissions(static_cast<Eigen::Index>(t), tag) = -HUGE_VAL;
          }
        }
      }
    };
    auto learnt = learn(task);
    if (!learnt) return false;
    parts.feats_weights = std::move(*learnt);
    parts.morphologies = morphologies_;
    return true;
  }

  bool learn_lemmas(TaggerParts& parts) {
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
    if (!any) return true;
    Numbering names;
    SequenceTask task;
    for (const auto& some : scripts) {
      Tags& gold = task.gold.emplace_back();
      for (const std::string& script : some) {
        const bool often = counts[script] >= kLeastScripts || names.size() == 0;
        gold.push_back(often ? names.add(script) : names.find(script));
      }
    }
    task.tags = names.size();
    task.features = [&]() -> FeaturesOf {
      return [&](std::size_t i, SequenceKeys& keys) { find_lemma_features(words_[i], upos_[i], feats_[i], keys); };
    };
    auto learnt = learn(task);
    if (!learnt) return false;
    parts.lemma_weights = std::move(*learnt);
    parts.scripts = names.names();
    return true;
  }

  std::span<const Sentence> sentences_;
  const TaggerTraining& options_;
  base::Crew& crew_;
  const SequenceProgress& progress_;
  std::vector<WordForms> words_;
  Numbering upos_names_, feats_names_;
  std::vector<Morphology> morphologies_;
  std::vector<Tags> upos_, feats_;
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
  if (parts.scripts.empty()) return;
  writer.add("lemma.scripts", parser::write_lines(parts.scripts));
  add_sections(writer, "lemma", parts.lemma_weights, crew);
}

}  // namespace kirchhoff::text
