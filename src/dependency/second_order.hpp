// Inference with second-order parts: a TREE factor over all candidate arcs and a HEAD factor for each word.
//
// The head of a word is one variable, with its candidates as values: with a binary variable for each arc both TREE and
// HEAD would say that a word has one head, and belief propagation would count it twice. It gives beliefs of arcs and
// parts, and the log-weights of the arcs at the TREE factor: an arc-factored distribution over trees that has just
// these beliefs as marginals, from which trees can be sampled, listed and measured [Martins10, section 4]. AD3 and
// linear programming give the best tree.
#pragma once

#include "dependency/parts.hpp"
#include "kirchhoff/factor_graph.hpp"

#include <span>

namespace kirchhoff::dependency {

/// Scores of candidate arcs and of their parts. All that it refers to must outlive it.
struct ScoredParts {
  const DependencyParts& parts;
  const Candidates& candidates;
  Root root;
  std::span<const double> arc_scores;   ///< by candidate
  std::span<const double> part_scores;  ///< by part
};

/// Variable i is candidate i; the candidates into a word are the values of one variable. HEAD factors come first, in
/// the order of parts.heads, and the TREE factor is the last. The graph refers to the scores of the parts; their owner,
/// if one is given, lives as long as the factors that do.
FactorGraph head_and_tree_graph(const ScoredParts& scored, const std::shared_ptr<const void>& owner = {});

struct PartBeliefs {
  double log_partition = 0.0;        ///< Bethe's approximation
  std::vector<double> arcs;          ///< the probability of each candidate
  std::vector<double> parts;         ///< the probability of each part
  std::vector<double> tree_weights;  ///< the log-weight of each candidate at the TREE factor
  int iterations = 0;
  bool converged = false;
};
struct BpEffort {
  int iterations = 20;      ///< at least 1
  double tolerance = 1e-3;  ///< by how much a probability may still change
};
PartBeliefs propagate_beliefs(const ScoredParts& scored, const BpEffort& effort);

struct BestTree {
  Heads heads;
  double score = 0.0;
};
enum class MapSolver { ad3, lp };
struct MapEffort {
  MapSolver solver = MapSolver::ad3;
  double gap = 1e-4;  ///< AD3 stops when the tree's score is so near the bound, relative
};
BestTree find_best_tree(const ScoredParts& scored, const MapEffort& effort);

}  // namespace kirchhoff::dependency
