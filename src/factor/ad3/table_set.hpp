// Projection on the convex hull of a table over two variables of several values.
#pragma once

#include "factor/factors/factors.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace kirchhoff::factor {

/// The same problem and the same method as ActiveSet, where configurations are cells of a table: a cell's product with
/// another counts the values that they share, the best cell is found in one pass, and the few members' matrix is so
/// small that its rows are computed again where a member leaves. Tables of two by two cells have a closed form.
class TableSet {
 public:
  /// Nothing when the table is not over two variables of several values, or over too many of them.
  static std::optional<TableSet> of(const Factor& factor);

  /// Writes u and returns the score of the mixture. After max_steps new cells the best mixture so far is the answer.
  double project(std::span<const double> target, double weight, std::span<double> u, int max_steps);
  /// The highest q.y + score of a cell.
  double best_value(std::span<const double> q) const;
  /// True when no cell could have made the last answer better.
  bool is_optimal() const { return is_optimal_; }

 private:
  static constexpr int kMost = 64;  ///< values of both variables together

  struct Member {
    int row, column;
    double weight;  ///< its part of the mixture
  };
  explicit TableSet(const TableFactor& table);
  double project_two_by_two(std::span<const double> target, double weight, std::span<double> u) const;
  double score(const Member& m) const { return scores_[m.row * columns_ + m.column]; }
  double gain(const Member& m, std::span<const double> target, double weight) const {
    return target[m.row] + target[rows_ + m.column] + weight * score(m);
  }
  Member best(const double* left, double weight, double& value) const;
  double* lower(std::size_t i) { return cholesky_.data() + i * (i + 1) / 2; }
  double solve(std::span<const double> target, double weight);
  bool append();
  void toward(const double* direction);

  const double* scores_;  ///< by rows
  int rows_, columns_;
  bool is_two_by_two_ = false;  ///< two values each, and no cell is forbidden
  bool is_optimal_ = false;
  std::vector<Member> members_;
  std::size_t factored_ = 0;      ///< so many of them have rows in cholesky_
  std::vector<double> cholesky_;  ///< lower triangle L, packed by rows: L L' = Y Y' + 1 1'
};

}  // namespace kirchhoff::factor
