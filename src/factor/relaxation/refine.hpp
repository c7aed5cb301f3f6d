// A linear program solved more exactly than the tolerances of a simplex method allow.
#pragma once

#include "factor/relaxation/linear_program.hpp"
#include "numeric/sum.hpp"

#include <optional>
#include <vector>

namespace kirchhoff::lp {

/// A first solution by the simplex method, and as many rounds of iterative refinement as the caller asks for
/// [Gleixner16]: a round solves a linear program with the same matrix for the error of the last one, whose costs and
/// bounds, of any size, are scaled to 1. x and y are sums of two doubles.
class Refined {
 public:
  explicit Refined(LinearProgram problem);

  /// Bounds of columns may change between calls of solve().
  LinearProgram& problem() { return problem_; }
  Outcome solve(factor::Clock& clock);
  /// When there is no solution: duals of which any multiple is as good, each larger one proving more.
  Outcome find_ray(factor::Clock& clock);
  /// One round. Unless it is optimal, everything stays as it was: it fails where there is no error to be seen.
  Outcome refine(factor::Clock& clock);

  double x(int column) const { return x_[column].value(); }
  const std::vector<numeric::Sum>& duals() const { return duals_; }
  /// The value of x, the sum of the sizes of its terms, and by how much x leaves a bound or a row.
  struct Value {
    double value = 0.0;
    double size = 0.0;
    double violation = 0.0;
  };
  Value value() const;
  int iterations() const { return iterations_; }

 private:
  /// Of a column or a row: what its bounds are away from x, and what a step away from x is worth.
  struct Error {
    double lower, upper, cost;
    double violation() const;
    double gain() const;
  };
  Error column_error(int c, const numeric::Sum& cost) const;
  Error row_error(int r) const;
  numeric::Sum activity(int row) const;
  std::vector<numeric::Sum> reduced_costs() const;

  LinearProgram problem_;
  double scale_ = 1.0;  ///< The costs of first_ are divided by it.
  Simplex first_;
  std::optional<Simplex> correction_, elastic_;
  std::vector<numeric::Sum> x_, duals_;
  int iterations_ = 0;
};

}  // namespace kirchhoff::lp
