// Inference with second-order parts: a TREE factor over all candidate arcs and a HEAD factor for each word.
//
// Belief propagation takes the head of a word as one variable with its candidates as values: with a variable for each
// arc TREE and HEAD would both say that a word has one head, and count it twice. It gives beliefs of arcs and parts,
// and the log-weights of the arcs at the TREE factor: an arc-factored distribution over trees that has just these
// beliefs as marginals, from which trees can be sampled, listed and measured [Martins10, section 4]. AD3 gives the best
// tree.
#pragma once

#include "parser/inference/second_parts.hpp"

namespace kirchhoff::parser {

struct SecondBeliefs {
  double log_partition = 0.0;   ///< Bethe approximation
  std::vector<double> arcs;     ///< probability, by candidate
  std::vector<double> parts;    ///< by part
  std::vector<double> weights;  ///< log-weights at the TREE factor, by candidate
  int iterations = 0;
  bool converged = false;
};
struct BpEffort {
  int iterations = 20;      ///< at least 1
  double tolerance = 1e-3;  ///< of probabilities
};
SecondBeliefs second_order_beliefs(const SecondParts& parts, const Candidates& candidates, Root root,
                                   std::span<const double> arc_scores, std::span<const double> part_scores,
                                   const BpEffort& effort);

struct BestTree {
  Heads heads;
  double score = 0.0;
};
enum class MapSolver { ad3, lp };
struct MapEffort {
  MapSolver solver = MapSolver::ad3;
  double gap = 1e-4;  ///< of AD3: between the tree's score and the bound, relative
};
BestTree second_order_best(const SecondParts& parts, const Candidates& candidates, Root root,
                           std::span<const double> arc_scores, std::span<const double> part_scores,
                           const MapEffort& effort);

}  // namespace kirchhoff::parser
