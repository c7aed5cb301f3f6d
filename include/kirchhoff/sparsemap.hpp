// SparseMAP: a few structures with probabilities, the mixture of which is nearest to the scores, and its derivatives.
//
//   const SparseTrees p = sparsemap(scores, Root::single);  // p.trees[0] has probability p.probabilities[0]
//   const Matrix gradient = marginals_along(p, loss_gradient);  // backwards through p.marginals
//
// Where a distribution gives every tree some probability, SparseMAP gives most of them none: u minimises |u - s|^2 / 2
// among the mixtures of trees, s being the scores. Multiply the scores by a number to have fewer trees or more. Methods
// are in docs/methods/sparsemap.md.
#pragma once

#include "kirchhoff/solve.hpp"
#include "kirchhoff/tree_batch.hpp"

#include <span>
#include <vector>

namespace kirchhoff {

struct SparseMapOptions {
  /// The gap may be this times the larger of n and the largest difference of scores that matters.
  double tolerance = 1e-12;
  int max_iterations = 100000;
  Stop stop = {};
};

/// Trees, no one of which is a mixture of others, and their probabilities. Arrays A of arcs are a Matrix, or a
/// LabelledMatrix: see SparseTrees and LabelledSparseTrees below.
template <class A>
struct SparseTreesOf {
  Status status = Status::iteration_limit;
  int iterations = 0;  ///< trees that joined the mixture after the first; some left it again
  /// max over trees y of (s - u).y - (s - u).u: no mixture is better by more, and none that is optimal is further from
  /// u than the square root of this.
  double gap = 0.0;
  std::vector<Heads> trees;              ///< the likeliest first
  std::vector<std::vector<int>> labels;  ///< of the arcs of each tree, as in Tree; empty for unlabelled graphs
  std::vector<double> probabilities;     ///< positive, with sum 1
  A marginals;                           ///< u, the probability of each arc, or of each arc with each label
  Root root = Root::multi;
  /// s - u, with each word's scores shifted by a number; -inf for arcs that no tree near the optimum has.
  A slopes;
};
using SparseTrees = SparseTreesOf<Matrix>;
using LabelledSparseTrees = SparseTreesOf<LabelledMatrix>;

/// Finds the mixture of trees nearest to the scores, which are those of tree.hpp: -inf forbids an arc. Throws
/// InputError (shape, NaN, +inf, size, options) or Infeasible. An iteration takes O(n^2 + k^2) for k trees in the
/// mixture, and about as many are needed as trees are found.
SparseTrees sparsemap(const MatrixRef& scores, Root root, const SparseMapOptions& options = {});
/// The same over arcs with labels: u has an entry for each head, dependent and label. This is not the mixture for the
/// best label of each arc, since labels of an arc share its probability. O(n^2 L + k^2) an iteration.
LabelledSparseTrees sparsemap(const LabelledMatrix& scores, Root root, const SparseMapOptions& options = {});
/// The same for many graphs in parallel; errors name the graph. `stop` is asked by all threads.
std::vector<SparseTrees> sparsemap(std::span<const GraphView> graphs, Root root, const SparseMapOptions& options = {},
                                   int threads = kAllCores);

/// The derivative of the marginals when the scores move along `direction`, which is finite. It is symmetric, so the
/// gradient of a loss with respect to the scores is the same function of its gradient with respect to the marginals.
/// O(k n (k + n)), and more where trees tie that are not in the mixture.
Matrix marginals_along(const SparseTrees& p, const MatrixRef& direction);
LabelledMatrix marginals_along(const LabelledSparseTrees& p, const LabelledMatrix& direction);

struct LpSparseMapOptions {
  double tolerance = 1e-9;  ///< by how much factors may disagree about a variable, and multipliers still change
  int max_iterations = 20000;
  Stop stop = {};
};

struct SparseGraph {
  Status status = Status::iteration_limit;
  int iterations = 0;
  double residual = 0.0;          ///< the largest disagreement between a factor and a variable
  double gap = 0.0;               ///< no point of the relaxation is better by more, as far as the factors agree
  std::vector<double> marginals;  ///< u
  /// What each factor mixes, none being a mixture of others. The mean is u on the literals that the factor was given.
  std::vector<FactorPosterior> factors;
};

/// Minimises |u - scores|^2 / 2 - (the factors' scores of u) in the local polytope: u is a mixture of configurations of
/// every factor. A variable without factors is anywhere between 0 and 1. An iteration costs a projection for each
/// factor. Throws InputError for bad options or scores.
SparseGraph lp_sparsemap(const FactorGraph& graph, const LpSparseMapOptions& options = {});
/// The same with other scores of the variables.
SparseGraph lp_sparsemap(const FactorGraph& graph, std::span<const double> scores,
                         const LpSparseMapOptions& options = {});

/// The derivatives of a loss.
struct SparseGradient {
  std::vector<double> scores;  ///< with respect to the score of each variable
  /// With respect to the score of each configuration in SparseGraph::factors. Those of other configurations are 0.
  std::vector<std::vector<double>> configurations;
};
/// From the gradient of a loss with respect to the marginals. The part by scores is symmetric: it is the derivative of
/// the marginals along `gradient` too. Throws InputError unless `p` is of this graph and `gradient` is finite.
SparseGradient sparsemap_gradient(const FactorGraph& graph, const SparseGraph& p, std::span<const double> gradient);
/// The transpose: the derivative of the marginals when scores of variables and of configurations move along
/// `direction`. A factor without numbers stays as it is.
std::vector<double> marginals_along(const FactorGraph& graph, const SparseGraph& p, const SparseGradient& direction);

}  // namespace kirchhoff
