// Trains the pruner as a CRF, by AdaGrad over shuffled batches.
#include "parser/training/pruner_trainer.hpp"

#include "parser/training/learner.hpp"
#include "parser/training/shuffle.hpp"

#include <algorithm>
#include <cmath>

namespace kirchhoff::parser {
namespace {

constexpr std::uint64_t kPrunerOrder = 0x7072756eULL;  // Names the random numbers that shuffle its sentences.

}  // namespace

std::vector<float> train_pruner(const std::vector<Encoded>& sentences, const ArcTables& tables,
                                const TrainOptions& options, base::Crew& crew,
                                const std::function<bool(std::size_t)>& progress) {
  StepRule rule;
  rule.rate = 0.1;
  Learner learner(tables.size(), rule);
  const auto batch_size = static_cast<std::size_t>(options.batch);
  const std::size_t round_size = batch_size * batches_together(rule, sentences.size(), batch_size);
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
        for (int h = 0; h <= s.words; ++h) {
          for (int d = 1; d <= s.words; ++d) {
            const double g = objective.gradient(h, d);
            if (h == d || std::abs(g) < 1e-3) continue;
            contribution.add(tables.indices(s, h, d), static_cast<float>(g));
          }
        }
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

}  // namespace kirchhoff::parser
