// The best tree with parts of several arcs, by AD3, by linear programming, or by AD3 with branch and bound.
#include "dependency/crossings.hpp"
#include "kirchhoff/decode.hpp"
#include "kirchhoff/solve.hpp"

#include <algorithm>
#include <cmath>

namespace kirchhoff::dependency {
namespace {

constexpr int kAd3Iterations = 200;
constexpr int kRounds = 10;  ///< How many times cuts are added. Most trees of real sentences need one.

MapResult solve(const FactorGraph& graph, const MapEffort& effort) {
  if (effort.solver == MapSolver::lp) return solve_lp(graph);
  Ad3Options options;
  options.gap = effort.gap;
  if (effort.solver == MapSolver::exact) {
    options.search = Search::exact;
  } else {
    options.max_iterations = kAd3Iterations;
  }
  return solve_ad3(graph, options);
}

Heads heads_of(const ScoredParts& scored, const Assignment& assignment) {
  Heads heads(static_cast<std::size_t>(scored.parts.words) + 1, -1);
  for (std::size_t c = 0; c < scored.candidates.size() && c < assignment.size(); ++c) {
    if (assignment[c] != 0) heads[scored.parts.dependents[c]] = scored.candidates.heads[c];
  }
  return heads;
}

/// The score of a tree by all its arcs and parts.
double score_of(const ScoredParts& scored, const Heads& heads) {
  double sum = 0.0;
  for (std::size_t c = 0; c < scored.candidates.size(); ++c) {
    if (heads[scored.parts.dependents[c]] == scored.candidates.heads[c]) sum += scored.arc_scores[c];
  }
  const std::vector<char> has = parts_in_tree(scored.parts, scored.candidates, heads);
  for (std::size_t p = 0; p < has.size(); ++p) sum += has[p] != 0 ? scored.part_scores[p] : 0.0;
  return sum;
}

/// The values of the parts that are best for the score, given those of the arcs [Martins10, eq. 12].
std::vector<double> relaxed_parts(const ScoredParts& scored, const Crossings& crossings,
                                  const std::vector<double>& point) {
  std::vector<double> values;
  if (scored.parts.has_heads) return values;
  for (std::size_t p = 0; p < scored.parts.pairs.size(); ++p) {
    const double a = point[scored.parts.pairs[p][0]], b = point[scored.parts.pairs[p][1]];
    values.push_back(scored.part_scores[p] > 0.0 ? std::min(a, b) : std::max(0.0, a + b - 1.0));
  }
  const std::vector<double> crossing = crossings.values(point);
  values.insert(values.end(), crossing.begin(), crossing.end());
  return values;
}

/// What is left when a solver has found no tree within its limits.
Heads best_by_arcs(const ScoredParts& scored) {
  const int n = scored.parts.words;
  Matrix scores = Matrix::Constant(n + 1, n + 1, -HUGE_VAL);
  for (std::size_t c = 0; c < scored.candidates.size(); ++c) {
    scores(scored.candidates.heads[c], scored.parts.dependents[c]) = scored.arc_scores[c];
  }
  return best_tree(scores, scored.root).heads;
}

}  // namespace

BestTree find_best_tree(const ScoredParts& scored, const MapEffort& effort) {
  Crossings crossings(scored);
  BestTree best;
  best.score = -HUGE_VAL;
  best.bound = HUGE_VAL;
  for (int round = 0; round < kRounds; ++round) {
    FactorGraph graph =
        part_graph({scored.parts, scored.candidates, scored.root, crossings.arc_scores(), scored.part_scores});
    crossings.add_to(graph);
    const MapResult map = solve(graph, effort);
    best.iterations += map.iterations;
    if (map.assignment.empty()) break;  // not with a tree over the candidates, unless the search was cut short
    const Heads heads = heads_of(scored, map.assignment);
    const double value = scored.parts.arc_parts.empty() ? map.value : score_of(scored, heads);
    if (value > best.score) {
      best.score = value;
      best.heads = heads;
    }
    if (map.bound < best.bound) {
      best.bound = map.bound;
      best.integral = map.integral;
      best.arcs.assign(map.point.begin(), map.point.begin() + static_cast<std::ptrdiff_t>(scored.candidates.size()));
      best.parts = relaxed_parts(scored, crossings, map.point);
    }
    if (best.bound - best.score <= effort.gap * std::max(1.0, std::abs(best.bound))) break;
    if (!crossings.cut(heads, map.assignment)) break;
  }
  if (best.heads.empty()) {
    best.heads = best_by_arcs(scored);
    best.score = score_of(scored, best.heads);
  }
  return best;
}

}  // namespace kirchhoff::dependency
