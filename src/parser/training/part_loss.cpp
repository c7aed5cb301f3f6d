// Losses of parts as tree_loss.cpp has those of arcs, with what propagation or a solver knows of the trees.
#include "parser/training/part_loss.hpp"

#include <algorithm>
#include <cmath>

namespace kirchhoff::parser {
namespace {

using dependency::ScoredParts;

/// For each word, from 0, the candidate that is its gold arc.
std::vector<std::size_t> gold_candidates(const ScoredParts& scored, const Heads& heads) {
  std::vector<std::size_t> gold(heads.size() - 1, 0);
  for (std::size_t c = 0; c < scored.candidates.size(); ++c) {
    const auto d = static_cast<std::size_t>(scored.parts.dependents[c]);
    if (heads[d] == scored.candidates.heads[c]) gold[d - 1] = c;
  }
  return gold;
}

PartObjective expected_cost(const ScoredParts& scored, const std::vector<std::size_t>& gold,
                            std::span<const double> right) {
  const dependency::PartBeliefs b = dependency::propagate_beliefs(scored, dependency::kFixedPoint);
  dependency::PartNumbers wrong{std::vector<double>(scored.candidates.size(), 0.0),
                                std::vector<double>(scored.parts.size(), 0.0)};
  PartObjective result{0.0, wrong.arcs, wrong.parts, {}};
  for (const std::size_t c : gold) {
    const double share = right.empty() ? 1.0 : right[c];
    wrong.arcs[c] = -share;
    result.of_gold.push_back(b.arcs[c] * share);
    result.value += 1.0 - result.of_gold.back();
  }
  auto gradient = b.converged ? dependency::beliefs_along(scored, wrong) : std::nullopt;
  if (gradient) {
    result.arcs = std::move(gradient->arcs);
    result.parts = std::move(gradient->parts);
  } else {
    std::fill(result.of_gold.begin(), result.of_gold.end(), 0.0);
  }
  return result;
}

/// The best tree, or the relaxation's solution, and their score.
PartObjective best(const ScoredParts& scored, const GoldParts& gold, double gold_score, bool relaxed) {
  // A hundredth is near enough for a step, and takes a third of the iterations.
  dependency::BestTree best = dependency::find_best_tree(scored, {.gap = 1e-2, .relaxed = relaxed});
  if (relaxed) return {best.bound, std::move(best.arcs), std::move(best.parts), {}};
  // A search that has missed the gold tree, though that scores better, has nothing to teach.
  if (best.score < gold_score) {
    best.heads = gold.heads;
    best.score = gold_score;
  }
  const std::vector<char> has = dependency::parts_in_tree(scored.parts, scored.candidates, best.heads);
  PartObjective result{best.score, {}, {has.begin(), has.end()}, {}};
  for (std::size_t c = 0; c < scored.candidates.size(); ++c) {
    result.arcs.push_back(best.heads[scored.parts.dependents[c]] == scored.candidates.heads[c] ? 1.0 : 0.0);
  }
  return result;
}

}  // namespace

PartObjective part_loss(const ScoredParts& scored, const GoldParts& gold, const Loss& loss, bool relaxed,
                        std::span<const double> right) {
  const std::vector<std::size_t> gold_arcs = gold_candidates(scored, gold.heads);
  if (loss.kind == Loss::Kind::expected_cost) return expected_cost(scored, gold_arcs, right);
  const bool soft = !std::isinf(loss.beta);
  const double beta = soft ? loss.beta : 1.0;
  std::vector<double> arcs(scored.arc_scores.begin(), scored.arc_scores.end());
  std::vector<double> parts(scored.part_scores.begin(), scored.part_scores.end());
  for (double& s : arcs) s = beta * (s + loss.gamma);
  for (double& s : parts) s *= beta;
  double gold_score = 0.0;
  for (const std::size_t c : gold_arcs) gold_score += arcs[c] = beta * scored.arc_scores[c];
  for (std::size_t p = 0; p < parts.size(); ++p) gold_score += gold.parts[p] != 0 ? parts[p] : 0.0;
  const ScoredParts augmented{scored.parts, scored.candidates, scored.root, arcs, parts};
  PartObjective result;
  if (soft) {
    dependency::PartBeliefs b = dependency::propagate_beliefs(augmented, {});
    result = {b.log_partition, std::move(b.arcs), std::move(b.parts), {}};
  } else {
    result = best(augmented, gold, gold_score, relaxed);
  }
  result.value = (result.value - gold_score) / beta;
  for (const std::size_t c : gold_arcs) result.arcs[c] -= 1.0;
  for (std::size_t p = 0; p < parts.size(); ++p) result.parts[p] -= static_cast<double>(gold.parts[p]);
  result.of_gold.assign(gold_arcs.size(), 1.0);
  return result;
}

}  // namespace kirchhoff::parser
