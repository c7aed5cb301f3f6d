// Learning scores from gold structures: the losses of [Martins10], from CRFs to structured SVMs, and steps that make
// them small.
//
//   const ArcObjective at = structured_loss(scores, gold, Root::single, kSoftmaxMarginLoss);
//   scores -= 0.1 * at.gradient;
//
// docs/methods/learning.md has the formulas.
#pragma once

#include "kirchhoff/names.hpp"
#include "kirchhoff/solve.hpp"
#include "kirchhoff/sparsemap.hpp"
#include "kirchhoff/types.hpp"

#include <cstdint>
#include <limits>
#include <vector>

namespace kirchhoff {

/// What training minimises. The cost of a tree is the number of words whose head is wrong.
struct Loss {
  enum class Kind {
    /// L_{beta,gamma} [Martins10, eq. 22]: 1/beta log sum over trees y of exp beta [score(y) - score(gold) + gamma
    /// cost(y)]. For beta = inf the sum becomes a maximum.
    log_sum,
    expected_cost,  ///< E[cost], which has no use for beta and gamma.
  };
  double beta = 1.0;
  double gamma = 0.0;
  Kind kind = Kind::log_sum;
};
template <>
inline constexpr std::array<std::string_view, 2> kNames<Loss::Kind> = {"log_sum", "expected_cost"};
inline constexpr Loss kCrfLoss{1.0, 0.0};
inline constexpr Loss kSvmLoss{std::numeric_limits<double>::infinity(), 1.0};
inline constexpr Loss kPerceptronLoss{std::numeric_limits<double>::infinity(), 0.0};
inline constexpr Loss kSoftmaxMarginLoss{1.0, 1.0};
inline constexpr Loss kRiskLoss{1.0, 0.0, Loss::Kind::expected_cost};

/// The losses that have a name in the literature.
enum class NamedLoss { crf, svm, perceptron, softmax_margin, risk };
template <>
inline constexpr std::array<std::string_view, 5> kNames<NamedLoss> = {"crf", "svm", "perceptron", "softmax_margin",
                                                                      "risk"};
constexpr Loss loss_of(NamedLoss name) {
  constexpr std::array<Loss, 5> kLosses = {kCrfLoss, kSvmLoss, kPerceptronLoss, kSoftmaxMarginLoss, kRiskLoss};
  return kLosses[static_cast<std::size_t>(name)];
}

/// What a wrong head, or a wrong value of a variable, costs.
enum class Cost {
  mistakes,  ///< 1 for each word whose head is wrong, or variable whose value is
  hamming,   ///< 1 for each arc that only one of the trees has, so 2 for a wrong head [Martins10, footnote 11]
};
template <>
inline constexpr std::array<std::string_view, 2> kNames<Cost> = {"mistakes", "hamming"};
/// The same loss with this cost in the place of mistakes. Over trees Hamming's cost is twice the number of mistakes, so
/// gamma doubles; expected_cost always counts mistakes.
constexpr Loss with_cost(Loss loss, Cost cost) {
  if (cost == Cost::hamming) loss.gamma *= 2.0;
  return loss;
}

/// A function of the arc scores and its gradient.
struct ArcObjective {
  double value = 0.0;
  Matrix gradient;
};
/// Throws InputError when `gold` is not a tree of this root mode, or has an impossible arc. Takes O(n^3) time, and
/// O(n^2) for beta = inf.
ArcObjective structured_loss(const MatrixRef& scores, const Heads& gold, Root root, Loss loss);
/// The same over projective trees. InputError: `gold` is none. O(n^3).
ArcObjective structured_projective_loss(const MatrixRef& scores, const Heads& gold, Root root, Loss loss);

struct Gold;  // expectation.hpp
/// The same for scores of labelled arcs.
struct LabelledArcObjective {
  double value = 0.0;
  LabelledMatrix gradient;
};
/// The losses over labelled trees, of which a word costs 1 when its head or its label is wrong, as LAS counts. Throws
/// InputError as above, and when `gold` has no labels or impossible ones. Takes O(n^2 L) more for L labels.
LabelledArcObjective structured_loss(const LabelledMatrix& scores, const Gold& gold, Root root, Loss loss);
LabelledArcObjective structured_projective_loss(const LabelledMatrix& scores, const Gold& gold, Root root, Loss loss);

/// What the maximum of a loss with beta = inf is over.
enum class Maximum {
  relaxed,  ///< The relaxation, whose optimum is the loss's upper bound; the gradient may be fractional.
  rounded,  ///< Assignments: the best one found.
};
template <>
inline constexpr std::array<std::string_view, 2> kNames<Maximum> = {"relaxed", "rounded"};

/// How the loss of a factor graph is computed.
struct GraphLossOptions {
  /// What a wrong variable costs: mistakes are 1 for each, hamming is 1 for each binary one and 2 for one of several
  /// values, two of which are wrong.
  Cost cost = Cost::mistakes;
  std::vector<double> costs = {};         ///< Multiplies that, by variable or value; empty stands for ones.
  BpOptions bp = {};                      ///< For beta < inf.
  SolveMethod method = SolveMethod::ad3;  ///< For beta = inf: ad3, lp, ilp or exact, of which the last two round.
  Ad3Options ad3 = {};                    ///< Its time limit and stop are for all of them.
  Maximum maximum = Maximum::relaxed;
};
/// A loss and its gradient.
struct GraphObjective {
  Status status = Status::converged;  ///< These three are what the solver reports.
  int iterations = 0;
  double residual = 0.0;
  double value = 0.0;             ///< Approximate inference may make it negative.
  std::vector<double> variables;  ///< The gradient by the scores of variables.
  /// By factor, the gradient by a PAIR's score (one number), a TABLE's entries, a SEQUENCE's transitions, a
  /// ROOTED-TREE's transitions and then its scores of counts, of the whole tree and of subtrees, the parts of a HEAD,
  /// or the scores of all configurations of a factor of one's own, first literal slowest; empty for hard factors, and
  /// where there are too many to list.
  std::vector<std::vector<double>> factors;
};
/// Bethe's log Z, whose gradient at a fixed point is the beliefs: exact on graphs without loops.
GraphObjective log_partition(const FactorGraph& graph, const BpOptions& options = {});
/// L_{beta,gamma} with assignments for trees: log_partition of the tempered, cost-augmented graph for beta < inf, whose
/// gradient at a fixed point is the beliefs less gold, exact on graphs without loops; and the maximum for beta = inf.
/// Throws InputError when gold is not allowed, and for Loss::Kind::expected_cost. It costs what the solver does.
GraphObjective structured_loss(const FactorGraph& graph, const Assignment& gold, Loss loss,
                               const GraphLossOptions& options = {});

/// The scores of a graph: by variable, and by factor as in GraphObjective.
struct GraphScores {
  std::vector<double> variables;
  std::vector<std::vector<double>> factors;
};
GraphScores scores_of(const FactorGraph& graph);
/// The same graph with other scores; a factor with an empty list keeps its own, and an empty `factors` keeps all. Takes
/// O(edges + entries). Throws InputError when the scores are not those of a graph of this shape.
FactorGraph with_scores(const FactorGraph& graph, const GraphScores& scores);
/// The gradient of a loss by the scores of a graph, from that by the marginals of LP-SparseMAP: sparsemap_gradient, in
/// which the configurations that a score belongs to are added up. Throws as that does.
GraphScores gradient_by_scores(const FactorGraph& graph, const SparseGraph& p, std::span<const double> gradient);
/// The transpose: the derivative of the marginals when the scores move along `direction`, in which a factor without
/// numbers stays. Throws InputError for numbers that are not finite, or not as many as there are scores.
std::vector<double> marginals_along(const FactorGraph& graph, const SparseGraph& p, const GraphScores& direction);

/// How far a step goes against the gradient.
struct StepRule {
  enum class Kind {
    aggressive,  ///< min(1 / (lambda m), loss / |gradient|^2), which needs no learning rate [Martins10, alg. 1].
    adagrad,     ///< AdaGrad [Duchi11].
  };
  Kind kind = Kind::adagrad;
  double rate = 0.03;  ///< AdaGrad's learning rate.
  double cap = 0.1;    ///< The longest aggressive step, 1 / (lambda m).
};
template <>
inline constexpr std::array<std::string_view, 2> kNames<StepRule::Kind> = {"aggressive", "adagrad"};
/// The length of the aggressive step: min(cap, loss / squared_norm), and 0 for a loss below 0, which only approximate
/// inference has. A loss of exactly 0 with a gradient is a tie, such as the perceptron's first, where all structures
/// have score 0: it takes the whole cap, because a step of 0 would never leave that point.
double aggressive_step(double loss, double squared_norm, double cap);

/// Weights that are learnt step by step, from 0, and their average [Martins10, alg. 1].
class DenseLearner {
 public:
  DenseLearner(Eigen::Index size, StepRule rule);

  const Vector& weights() const { return weights_; }
  std::int64_t steps() const { return steps_; }
  /// Takes a step against the gradient of a loss with this value. Throws InputError for a gradient of another size.
  void step(double loss, const Eigen::Ref<const Vector>& gradient);
  /// The average of the weights that losses were computed with; AdaGrad's has the last weights too.
  Vector averaged() const;

 private:
  StepRule rule_;
  std::int64_t steps_ = 0;
  Vector weights_;
  Vector drift_;    ///< the sum over steps t of t * (change at step t)
  Vector squares_;  ///< AdaGrad's sum of squared gradients
};

}  // namespace kirchhoff
