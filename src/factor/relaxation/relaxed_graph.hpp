// The linear programming relaxation of a factor graph [Martins10, eq. 20], with answers that are proved rather than
// believed.
#pragma once

#include "factor/graph/clock.hpp"
#include "factor/graph/round.hpp"
#include "factor/relaxation/certificate.hpp"
#include "factor/relaxation/refine.hpp"

#include <vector>

namespace kirchhoff::factor {

class RelaxedGraph {
 public:
  explicit RelaxedGraph(const FactorGraph& graph);

  /// Solves the relaxation in which variables are fixed. converged: point() is a solution, and its value the optimum as
  /// far as bound() can tell, which holds in any case. infeasible: proved. iteration_limit: nothing could be proved.
  Status run(const Fixed& fixed, Clock& clock);

  // What the last run found:
  double bound() const { return bound_.value; }
  std::span<const double> point() const { return point_; }
  const Fixed& fixed() const { return fixed_; }
  // What all runs together found:
  int iterations() const { return lp_.iterations(); }
  const Assignment& best() const { return best_; }
  double value() const { return value_; }
  /// True when the bound is not above value() by more than rounding can tell.
  bool is_closed(double bound) const { return bound - value_ <= tolerance(size_); }
  /// The sum of the sizes of what value() adds up.
  double size() const { return size_; }

 private:
  bool fix(const Fixed& fixed);
  Status solve(Clock& clock);
  Status verify(Clock& clock);
  Status prove_infeasible(Clock& clock);
  void set_parts(double scale);
  void try_rounding();
  double tolerance(double size) const;

  const FactorGraph& graph_;
  std::vector<int> edge_of_term_;  ///< by term of the linear program; -1 for a factor's own columns
  lp::Refined lp_;
  Certifier certify_;
  Rounder rounder_;
  std::vector<double> parts_;
  Fixed fixed_;
  Bound bound_;
  std::vector<double> point_;
  double least_value_ = 0.0;  ///< no assignment has a lower score; -inf: not known
  double gain_ = 0.0;         ///< what there is to gain at most
  double smallest_ = 1.0;     ///< the size of the smallest score, or 1
  Assignment best_;
  double value_ = -HUGE_VAL;
  double size_ = 0.0;  ///< of value_, as size_of_score() has it
};

}  // namespace kirchhoff::factor
