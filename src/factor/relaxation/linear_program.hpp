// A linear program, maximised, and the door to the solver. Only coin.cpp knows COIN-OR; a build without it links
// missing.cpp, which throws.
#pragma once

#include "kirchhoff/types.hpp"

#include <limits>
#include <optional>
#include <vector>

namespace kirchhoff::lp {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct LinearProgram {
  struct Column {
    double cost = 0.0;
    double lower = 0.0;
    double upper = kInfinity;
    bool integer = false;
  };
  std::vector<Column> columns;
  std::vector<double> row_lower, row_upper;
  // Entries by row: those of row r are first[r] ... first[r + 1] - 1.
  std::vector<int> first = {0};
  std::vector<int> column;
  std::vector<double> value;

  void add_term(int c, double coefficient) {
    column.push_back(c);
    value.push_back(coefficient);
  }
  /// Ends the row of the terms added since the last one.
  void end_row(double lower, double upper) {
    row_lower.push_back(lower);
    row_upper.push_back(upper);
    first.push_back(static_cast<int>(column.size()));
  }
};

enum class Outcome { optimal, infeasible, time_limit, failed };

struct Solution {
  Outcome outcome = Outcome::failed;
  std::vector<double> x;  ///< empty: none was found
  double value = 0.0;     ///< the value of x
  double bound = 0.0;     ///< no solution has a higher value
  int iterations = 0;
};

/// Ignores `integer`. When stopped, here and below: Outcome::time_limit, and a bound that holds.
Solution solve_relaxed(const LinearProgram& problem, const Stop& stop);
/// Branch and bound.
Solution solve_integer(const LinearProgram& problem, std::optional<double> time_limit, const Stop& stop);

}  // namespace kirchhoff::lp
