// Sums the losses of the best tags at all temperatures.
#include "text/calibrate.hpp"

#include "kirchhoff/chain_paths.hpp"
#include "text/token_model.hpp"

#include <algorithm>
#include <cmath>

namespace kirchhoff::text {
namespace {

constexpr std::size_t kMost = 400;  // Sentences.

double loss_of(double probability, bool right) {
  constexpr double kLeast = 1e-4;
  return -std::log(std::max(kLeast, right ? probability : 1.0 - probability));
}

void add_sentence(const TagModel& model, const Sentence& gold, TagLosses& losses) {
  if (gold.size() == 0) return;
  const std::vector<WordView> words = views_of(gold, model.lexicons, model.morphologies);
  const ChainDistribution p = upos_distribution(model, words);
  const Tags upos = best_tags(p).tags;
  const auto right = [&](int word) {
    return model.upos[static_cast<std::size_t>(upos[static_cast<std::size_t>(word - 1)])] == gold.upos(word);
  };
  for (std::size_t k = 0; k < TagLosses::kGrid; ++k) {
    const double temperature = TagLosses::temperature(k);
    const Matrix emissions = p.scores().emissions / temperature;
    const Matrix transitions = model.upos_model.transitions() / temperature;
    const ChainDistribution scaled(emissions, transitions);
    for (int word = 1; word <= gold.size(); ++word) {
      losses.upos[k] +=
          loss_of(scaled.marginals().emission(word - 1, upos[static_cast<std::size_t>(word - 1)]), right(word));
    }
  }
  SequenceKeys keys;
  find_feats_features(words, upos, model.morphologies, keys);
  std::vector<float> scores;
  for (int word = 1; word <= gold.size(); ++word) {
    if (!right(word)) continue;  // The probability is that given the universal tag.
    const auto i = static_cast<std::size_t>(word - 1);
    model.feats_model.score(keys.of(i), scores);
    const std::vector<int>& tags = model.of_upos[static_cast<std::size_t>(upos[i])];
    const std::vector<double> own = morphology_scores(model, tags, scores);
    const auto best = static_cast<std::size_t>(std::max_element(own.begin(), own.end()) - own.begin());
    const Morphology& m = model.morphologies[static_cast<std::size_t>(tags[best])];
    for (std::size_t k = 0; k < TagLosses::kGrid; ++k) {
      double sum = 0.0;
      for (const double score : own) sum += std::exp((score - own[best]) / TagLosses::temperature(k));
      losses.feats[k] += loss_of(1.0 / sum, m.xpos == gold.xpos(word) && m.feats == gold.feats(word));
    }
  }
}

double best_of(const std::array<double, TagLosses::kGrid>& losses) {
  const auto best = static_cast<std::size_t>(std::min_element(losses.begin(), losses.end()) - losses.begin());
  return losses[best] == 0.0 ? 1.0 : TagLosses::temperature(best);
}

}  // namespace

double TagLosses::temperature(std::size_t i) { return std::exp2(static_cast<double>(i) / 6.0 - 1.0); }

void TagLosses::add(const TagLosses& other) {
  for (std::size_t k = 0; k < kGrid; ++k) {
    upos[k] += other.upos[k];
    feats[k] += other.feats[k];
  }
}

TagTemperatures TagLosses::best() const { return {best_of(upos), best_of(feats)}; }

TagLosses tag_losses(const Tagger& tagger, std::span<const Sentence> gold, base::Crew& crew) {
  const TagModel& model = TextAccess::model_of(tagger);
  const std::size_t every = (gold.size() + kMost - 1) / kMost;
  const std::size_t count = every == 0 ? 0 : (gold.size() + every - 1) / every;
  std::vector<TagLosses> losses(count);
  crew.loop(count, [&](std::size_t i) { add_sentence(model, gold[i * every], losses[i]); });
  TagLosses sum;
  for (const TagLosses& one : losses) sum.add(one);
  return sum;
}

}  // namespace kirchhoff::text
