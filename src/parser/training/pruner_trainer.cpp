// Trains the pruner as a CRF, by AdaGrad over shuffled batches, and prunes by all threads.
#include "parser/training/pruner_trainer.hpp"

#include "parser/training/model_card.hpp"
#include "parser/training/shuffle.hpp"

#include <algorithm>
#include <cmath>

namespace kirchhoff::parser {
namespace {

constexpr std::uint64_t kPrunerOrder = 0x7072756eULL;  // Names the random numbers that shuffle its sentences.

}  // namespace

void add_table_updates(const ArcTables& tables, const Encoded& s, const Matrix& gradient, Contribution& updates) {
  constexpr double kWrongEnough = 1e-3;
  for (int h = 0; h <= s.words; ++h) {
    for (int d = 1; d <= s.words; ++d) {
      const double g = gradient(h, d);
      if (h != d && std::abs(g) >= kWrongEnough) updates.add(tables.indices(s, h, d), static_cast<float>(g));
    }
  }
}

std::vector<float> train_pruner(const std::vector<Encoded>& sentences, const ArcTables& tables,
                                const TrainOptions& options, base::Crew& crew,
                                const std::function<bool(std::size_t)>& progress) {
  Learner learner(tables.size(), kPrunerRule);
  const auto batch_size = static_cast<std::size_t>(options.batch);
  const std::size_t round_size = batch_size * batches_together(kPrunerRule, sentences.size(), batch_size);
  std::vector<Contribution> contributions(round_size);
  for (int epoch = 0; epoch < options.pruner_epochs; ++epoch) {
    const auto order = shuffled(sentences.size(), options.seed, epoch, kPrunerOrder);
    for (std::size_t from = 0; from < order.size(); from += round_size) {
      const std::size_t count = std::min(round_size, order.size() - from);
      const auto next = longest_first(sentences, std::span(order).subspan(from, count));
      crew.loop(count, [&](std::size_t k) {
        const std::size_t i = next[k];
        const Encoded& s = sentences[order[from + i]];
        Contribution& contribution = contributions[i];
        const auto objective =
            structured_loss(table_scores(tables, learner.weights(), s), s.heads, options.root, kCrfLoss);
        contribution.clear();
        add_table_updates(tables, s, objective.gradient, contribution);
        contribution.sort();
      });
      std::vector<Gradient> gradients((count + batch_size - 1) / batch_size);
      for (std::size_t i = 0; i < count; ++i) gradients[i / batch_size].contributions.push_back(&contributions[i]);
      learner.step(gradients, crew);
      if (!progress(static_cast<std::size_t>(epoch) * order.size() + from + count)) return learner.averaged(crew);
    }
  }
  return learner.averaged(crew);
}

std::vector<Candidates> prune_all(const std::vector<Encoded>& sentences, const PrunerWeights& pruner, Root root,
                                  const Pruning& pruning, base::Crew& crew) {
  std::vector<Candidates> kept(sentences.size());
  crew.loop(sentences.size(), [&](std::size_t i) {
    kept[i] = prune(table_scores(pruner.tables, pruner.weights, sentences[i]), root, pruning);
  });
  return kept;
}

std::string add_gold_heads(std::vector<Candidates>& candidates, const std::vector<Encoded>& trees) {
  double heads = 0.0, words = 0.0, lost = 0.0;
  for (std::size_t i = 0; i < trees.size(); ++i) {
    const std::size_t kept = candidates[i].size();
    candidates[i] = with_tree(candidates[i], trees[i].heads);
    heads += static_cast<double>(kept);
    lost += static_cast<double>(candidates[i].size() - kept);
    words += trees[i].words;
  }
  return "pruner: " + fixed(heads / words, 2) + " heads per word, recall on train " +
         fixed(100.0 * (1.0 - lost / words), 2) + " %";
}

}  // namespace kirchhoff::parser
