// The best tree with parts of several arcs, by AD3, by linear programming, or by AD3 with branch and bound.
#include "dependency/crossings.hpp"
#include "factor/factors/pair_point.hpp"
#include "kirchhoff/decode.hpp"
#include "kirchhoff/solve.hpp"

#include <algorithm>
#include <cmath>

namespace kirchhoff::dependency {
namespace {

constexpr double kSeconds = 10.0;  ///< Branch and bound, whose time has no other bound, ends after these in each round.
constexpr int kRounds = 10;        ///< How many times cuts are added. Most trees of real sentences need one.

/// What is left of the gap after branch and bound is rounding.
double gap_of(const MapEffort& effort) {
  constexpr double kExact = 1e-9;
  return effort.solver == MapSolver::exact ? std::min(kExact, effort.gap) : effort.gap;
}

MapResult solve(const FactorGraph& graph, const MapEffort& effort) {
  if (effort.solver == MapSolver::lp) return solve_lp(graph);
  Ad3Options options;
  options.gap = gap_of(effort);
  if (effort.solver == MapSolver::exact) {
    options.search = Search::exact;
    options.time_limit = kSeconds;
  } else {
    options.max_iterations = effort.iterations;
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

/// Adds the values of the parts that HEAD factors score: those of the mixture of configurations that is each factor's
/// part of the solution.
void add_head_parts(const ScoredParts& scored, const FactorGraph& graph, const MapResult& map,
                    std::vector<double>& values) {
  int f = 0;
  for (const HeadParts& head : scored.parts.heads) {
    if (head.empty()) continue;
    const auto& factor = static_cast<const factor::HeadFactor&>(graph.factor(f));
    const FactorPosterior posterior = factor_posterior(graph, map, f++);
    for (std::size_t c = 0; c < posterior.configurations.size(); ++c) {
      factor.add_parts(posterior.configurations[c], posterior.weights[c], values);
    }
  }
}

/// Those of pairs are the best ones for the score, given the arcs.
std::vector<double> relaxed_parts(const ScoredParts& scored, const Crossings& crossings, const FactorGraph& graph,
                                  const MapResult& map) {
  std::vector<double> values(scored.parts.first_pair(), 0.0);
  if (scored.parts.has_heads && !map.duals.empty()) add_head_parts(scored, graph, map, values);
  for (std::size_t i = 0; i < scored.parts.pairs.size(); ++i) {
    const double a = map.point[scored.parts.pairs[i][0]], b = map.point[scored.parts.pairs[i][1]];
    const double score = scored.part_scores[scored.parts.first_pair() + i];
    values.push_back(factor::best_pair(score, a, b));
  }
  const std::vector<double> crossing = crossings.values(map.point);
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
      if (effort.relaxed) {
        best.arcs.assign(map.point.begin(), map.point.begin() + static_cast<std::ptrdiff_t>(scored.candidates.size()));
        best.parts = relaxed_parts(scored, crossings, graph, map);
      }
    }
    if (best.bound - best.score <= gap_of(effort) * std::max(1.0, std::abs(best.bound))) break;
    if (!crossings.cut(heads, map.assignment)) break;
  }
  if (best.heads.empty()) {
    best.heads = best_by_arcs(scored);
    best.score = score_of(scored, best.heads);
  }
  return best;
}

}  // namespace kirchhoff::dependency
