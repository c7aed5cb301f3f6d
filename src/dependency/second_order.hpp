// Inference with parts of several arcs: a TREE factor over all candidate arcs, and what scores the parts.
//
// Next siblings and grandparents have a HEAD factor for each word. The head of a word is then one variable, with its
// candidates as values: with a binary variable for each arc both TREE and HEAD would say that a word has one head, and
// belief propagation would count it twice. Without next siblings every part is a PAIR of binary variables, as in
// [Martins10, fig. 1].
//
// Belief propagation gives beliefs of arcs and parts, and the log-weights of the arcs at the TREE factor: an
// arc-factored distribution over trees that has just these beliefs as marginals, from which trees can be sampled,
// listed and measured [Martins10, section 4]. AD3 and linear programming give the best tree.
#pragma once

#include "dependency/parts.hpp"
#include "kirchhoff/factor_graph.hpp"

#include <optional>
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

/// Variable i is candidate i. With HEAD factors the candidates into a word are the values of one variable. HEAD factors
/// come first, in the order of parts.heads, then a PAIR for each pair whose score is not 0, then the TREE factor.
/// Non-projective arcs are left out. The graph refers to the scores of the parts; their owner, if one is given, lives
/// as long as the factors that do.
FactorGraph part_graph(const ScoredParts& scored, const std::shared_ptr<const void>& owner = {});

struct PartBeliefs {
  double log_partition = 0.0;        ///< Bethe's approximation
  std::vector<double> arcs;          ///< the probability of each candidate
  std::vector<double> parts;         ///< the probability of each part; 0 for non-projective arcs, which are left out
  std::vector<double> tree_weights;  ///< the log-weight of each candidate at the TREE factor
  int iterations = 0;
  double residual = 0.0;  ///< by how much a probability changed in the last iteration
  bool converged = false;
};
struct BpEffort {
  int iterations = 20;        ///< at least 1
  double tolerance = 1e-3;    ///< by how much a probability may still change
  int damped_iterations = 0;  ///< how many more there may be, with damping, when that was not enough
};
/// Probabilities of parses are wanted with some care, so that there are more iterations than in training, and damped
/// ones where they do not converge: graphs of hundreds of arcs with all pairs of siblings may need 150 of these.
inline constexpr BpEffort kParsing{.iterations = 30, .tolerance = 1e-4, .damped_iterations = 200};
PartBeliefs propagate_beliefs(const ScoredParts& scored, const BpEffort& effort);

/// Numbers by candidate and by part.
struct PartNumbers {
  std::vector<double> arcs, parts;
};
/// The derivative of the beliefs when the scores of arcs and parts move along `direction`, by two propagations beside
/// the scores [Domke10]. At a fixed point it is the Hessian of Bethe's log Z times the direction. That is symmetric, so
/// it is also the gradient, by the scores, of the sum over arcs and parts of direction times belief. Nothing is
/// returned where propagation does not converge.
std::optional<PartNumbers> beliefs_along(const ScoredParts& scored, const PartNumbers& direction);
/// Expectations under propagation that are to be differentiated need fixed points.
inline constexpr BpEffort kFixedPoint{.iterations = 100, .tolerance = 1e-9, .damped_iterations = 300};

enum class MapSolver { ad3, lp, exact };
struct MapEffort {
  MapSolver solver = MapSolver::ad3;
  double gap = 1e-4;     ///< AD3 stops when the tree's score is so near the bound, relative
  int iterations = 200;  ///< of AD3, at most, in each round
  bool relaxed = false;  ///< the relaxation's solution is asked for, too
};
struct BestTree {
  Heads heads;
  double score = 0.0;
  double bound = 0.0;  ///< no tree has a higher score
  int iterations = 0;
  bool integral = false;  ///< the relaxation's solution is a tree
  /// The relaxation's solution, of candidates and of parts. Linear programming does not give those of HEAD factors.
  std::vector<double> arcs, parts;
};
/// With non-projective arcs the graph is solved again and again, each time with what the last tree has shown to be
/// missing: see crossings.hpp.
BestTree find_best_tree(const ScoredParts& scored, const MapEffort& effort);

}  // namespace kirchhoff::dependency
