// What LP-SparseMAP iterates on: what each factor would have its inputs be, and what they agree on.
#pragma once

#include "factor/ad3/active_set.hpp"
#include "factor/graph/incidence.hpp"
#include "kirchhoff/sparsemap.hpp"

#include <memory>
#include <vector>

namespace kirchhoff::factor {

class Consensus {
 public:
  /// `scores`, instead of the graph's, live as long as this.
  Consensus(const FactorGraph& graph, std::span<const double> scores);

  /// False when a factor has no configuration in which variables of score -inf are 0.
  bool is_possible() const { return possible_; }
  /// One iteration: a projection for each factor.
  void iterate();
  void adapt_penalty();

  /// The largest disagreement |u - p|, and the largest change of a multiplier in units of their size.
  double residual() const { return residual_; }
  double dual_residual() const { return dual_residual_; }
  std::span<const double> point() const { return p_; }
  /// By how much the dual function is above the value of the factors' points, less what their disagreement is worth.
  /// One best() for each factor.
  double gap();
  /// True when the dual function shows that the local polytope is empty.
  bool is_empty();
  /// The factor's configurations with weights, the projection of what the last iteration left.
  FactorPosterior mixture(int factor);

 private:
  struct Local {
    const Factor* factor = nullptr;           ///< the graph's, or `restricted`
    std::unique_ptr<Factor> restricted = {};  ///< the graph's, in which inputs are fixed
    double score = 0.0;                       ///< of what it would have
    ActiveSet active = {};
  };
  void add(int f);
  std::span<double> target(int f);
  double best(int f);
  bool is_fixed(int variable) const { return scores_[variable] == -HUGE_VAL; }

  const FactorGraph& graph_;
  std::span<const double> scores_;
  Incidence incidence_;
  std::vector<Local> locals_;
  std::vector<double> p_;     ///< by variable
  std::vector<double> sums_;  ///< by variable: sum of penalty * u - q
  std::vector<double> u_;     ///< by edge, in the variable's orientation
  std::vector<double> q_;     ///< by edge: the factor's part of score - p
  std::vector<double> local_, own_;
  std::vector<std::uint8_t> y_;
  double penalty_ = 1.0;
  double residual_ = 0.0, dual_residual_ = 0.0;
  double squares_ = 0.0, moves_ = 0.0;  ///< sums of squares of u - p and of changes of p, over the edges
  bool possible_ = true;
};

}  // namespace kirchhoff::factor
