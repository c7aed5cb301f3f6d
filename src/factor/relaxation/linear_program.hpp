// A linear program, maximised, and the door to the solver. Only coin.cpp knows COIN-OR; a build without it links
// missing.cpp, which throws.
#pragma once

#include "factor/graph/clock.hpp"

#include <limits>
#include <memory>
#include <vector>

namespace kirchhoff::lp {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct LinearProgram {
  std::vector<double> cost, lower, upper;    ///< by column
  std::vector<double> row_lower, row_upper;  ///< by row
  // Entries by row: those of row r are first[r] ... first[r + 1] - 1.
  std::vector<int> first = {0};
  std::vector<int> column;
  std::vector<double> value;

  int columns() const { return static_cast<int>(cost.size()); }
  int rows() const { return static_cast<int>(row_lower.size()); }
  int add_column(double c, double low, double high) {
    cost.push_back(c);
    lower.push_back(low);
    upper.push_back(high);
    return columns() - 1;
  }
  void add_term(int c, double coefficient) {
    column.push_back(c);
    value.push_back(coefficient);
  }
  /// Ends the row of the terms added since the last one.
  void end_row(double low, double high) {
    row_lower.push_back(low);
    row_upper.push_back(high);
    first.push_back(static_cast<int>(column.size()));
  }
};

enum class Outcome {
  optimal,  ///< x and duals, to the solver's tolerances of about 1e-7
  infeasible,
  time_limit,
  failed,
};

struct Solution {
  Outcome outcome = Outcome::failed;
  std::vector<double> x;
  std::vector<double> duals;  ///< y, by row: cost - A'y is what is left of the costs
  int iterations = 0;
};

/// Solves one linear program again and again, with other costs and bounds, each time from the last solution.
class Simplex {
 public:
  /// Costs and bounds may change between solutions, the matrix may not.
  explicit Simplex(LinearProgram problem);
  ~Simplex();
  Simplex(const Simplex&) = delete;
  Simplex& operator=(const Simplex&) = delete;

  LinearProgram problem;
  Solution solve(factor::Clock& clock);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kirchhoff::lp
