// Active set method for tables over two variables [Martins15, section 6]; active_set.cpp has the equations. With s
// members, which are at most one less than the values of both variables, a step takes O(s^2), or O(s^3) where a member
// has left, and one pass over the table.
#include "factor/ad3/table_set.hpp"

#include "factor/factors/pair_point.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace kirchhoff::factor {
namespace {

constexpr double kDependentCell = 1e-9;  // pivots of a Gram matrix of whole numbers are not that small
constexpr double kOptimal = 1e-12;

}  // namespace

std::optional<TableSet> TableSet::of(const Factor& factor) {
  const auto* table = dynamic_cast<const TableFactor*>(&factor);
  if (table == nullptr || !table->is_over_two_variables() || table->arity() > kMost) return {};
  return TableSet(*table);
}

TableSet::TableSet(const TableFactor& table)
    : scores_(table.log_potentials().data()), rows_(table.slots().inputs[0]), columns_(table.slots().inputs[1]) {
  is_two_by_two_ = rows_ == 2 && columns_ == 2 && std::find(scores_, scores_ + 4, -HUGE_VAL) == scores_ + 4;
}

/// Two variables of two values each are a PAIR and two single scores: with a and b for their second values, u is (1 -
/// a, a, 1 - b, b), and the problem is that of the pair, with half the weight.
double TableSet::project_two_by_two(std::span<const double> target, double weight, std::span<double> u) const {
  const double none = scores_[0], only_b = scores_[1] - none, only_a = scores_[2] - none;
  const double both = scores_[3] - none - only_a - only_b, half = 0.5 * weight;
  const PairPoint point = project_pair(0.5 * (1.0 + target[1] - target[0]) + half * only_a,
                                       0.5 * (1.0 + target[3] - target[2]) + half * only_b, half * both);
  u[0] = 1.0 - point.a;
  u[1] = point.a;
  u[2] = 1.0 - point.b;
  u[3] = point.b;
  return none + only_a * point.a + only_b * point.b + both * point.both;
}

double TableSet::project(std::span<const double> target, double weight, std::span<double> u, int max_steps) {
  if (is_two_by_two_) {
    is_optimal_ = true;
    return project_two_by_two(target, weight, u);
  }
  std::array<double, kMost> left;  // the target less u
  const auto n = static_cast<std::size_t>(rows_ + columns_);
  if (members_.empty()) {
    double value = 0.0;
    members_.push_back(best(target.data(), weight, value));
    members_.front().weight = 1.0;
  }
  is_optimal_ = false;
  for (int step = 0;; ++step) {
    const double level = solve(target, weight);
    std::fill(u.begin(), u.end(), 0.0);
    for (const Member& m : members_) {
      u[m.row] += m.weight;
      u[rows_ + m.column] += m.weight;
    }
    if (step == max_steps) break;
    for (std::size_t i = 0; i < n; ++i) left[i] = target[i] - u[i];
    double value = 0.0;
    const Member next = best(left.data(), weight, value);
    is_optimal_ = value <= level + kOptimal * std::max(1.0, std::abs(level)) ||
                  std::any_of(members_.begin(), members_.end(),
                              [&](const Member& m) { return m.row == next.row && m.column == next.column; });
    if (is_optimal_) break;
    members_.push_back(next);
  }
  double sum = 0.0;
  for (const Member& m : members_) sum += m.weight * score(m);
  return sum;
}

double TableSet::best_value(std::span<const double> q) const {
  double value = -HUGE_VAL;
  best(q.data(), 1.0, value);
  return value;
}

/// The cell with the highest left + weight * score, which goes into `value`.
TableSet::Member TableSet::best(const double* left, double weight, double& value) const {
  const double* other = left + rows_;
  Member found{0, 0, 0.0};
  value = -HUGE_VAL;
  for (int r = 0; r < rows_; ++r) {
    const double* own = scores_ + static_cast<std::ptrdiff_t>(r) * columns_;
    double highest = -HUGE_VAL;
    for (int c = 0; c < columns_; ++c) highest = std::max(highest, other[c] + weight * own[c]);
    if (left[r] + highest <= value) continue;
    value = left[r] + highest;
    found.row = r;
  }
  const double* own = scores_ + static_cast<std::ptrdiff_t>(found.row) * columns_;
  double highest = -HUGE_VAL;
  for (int c = 0; c < columns_; ++c) {
    const double v = other[c] + weight * own[c];
    if (v <= highest) continue;
    highest = v;
    found.column = c;
  }
  return found;
}

/// The row of the first member that has none; false when it depends on those before it (the row is then the
/// combination).
bool TableSet::append() {
  const std::size_t s = factored_;
  cholesky_.resize(std::max(cholesky_.size(), (s + 1) * (s + 2) / 2));
  const Member& last = members_[s];
  double* own = lower(s);
  double square = 3.0;
  for (std::size_t i = 0; i < s; ++i) {
    const Member& m = members_[i];
    double x = 1.0 + (m.row == last.row ? 1.0 : 0.0) + (m.column == last.column ? 1.0 : 0.0);
    const double* row = lower(i);
    for (std::size_t k = 0; k < i; ++k) x -= row[k] * own[k];
    own[i] = x / row[i];
    square -= own[i] * own[i];
  }
  if (square < kDependentCell) return false;
  own[s] = std::sqrt(square);
  ++factored_;
  return true;
}

/// The best mixture of members; those that get no weight leave. Returns gain - u.y, the same for all: what a better
/// cell must exceed.
double TableSet::solve(std::span<const double> target, double weight) {
  std::array<double, kMost + 1> ones, gains, x;
  for (;;) {
    const std::size_t s = members_.size();
    if (s == 1) {
      members_[0].weight = 1.0;
      return gain(members_[0], target, weight) - 2.0;
    }
    while (factored_ < s && append()) {
    }
    const std::size_t rows = factored_;
    const auto solve_transposed = [&] {  // x = inverse of L' times x, of the rows there are
      for (std::size_t i = rows; i-- > 0;) {
        const double* row = lower(i);
        x[i] /= row[i];
        for (std::size_t k = 0; k < i; ++k) x[k] -= row[k] * x[i];
      }
    };
    if (rows < s) {
      // The last member is a combination of the others: moving along it changes neither u nor the sum of the weights.
      std::copy_n(lower(s - 1), rows, x.begin());
      solve_transposed();
      double slope = gain(members_[s - 1], target, weight);
      for (std::size_t i = 0; i < rows; ++i) slope -= x[i] * gain(members_[i], target, weight);
      const double sign = slope < 0.0 ? -1.0 : 1.0;
      for (std::size_t i = 0; i < rows; ++i) x[i] *= -sign;
      x[rows] = sign;
      toward(x.data());
      continue;
    }
    double products = 0.0, squares = 0.0;
    for (std::size_t i = 0; i < s; ++i) {
      const double* row = lower(i);
      double one = 1.0, own = gain(members_[i], target, weight);
      for (std::size_t k = 0; k < i; ++k) {
        one -= row[k] * ones[k];
        own -= row[k] * gains[k];
      }
      ones[i] = one / row[i];
      gains[i] = own / row[i];
      products += ones[i] * gains[i];
      squares += ones[i] * ones[i];
    }
    const double tau = (1.0 - products) / squares;
    for (std::size_t i = 0; i < s; ++i) x[i] = gains[i] + tau * ones[i];
    solve_transposed();
    if (std::all_of(x.begin(), x.begin() + s, [](double a) { return a >= 0.0; })) {
      for (std::size_t i = 0; i < s; ++i) members_[i].weight = x[i];
      return 1.0 - tau;
    }
    for (std::size_t i = 0; i < s; ++i) x[i] -= members_[i].weight;
    toward(x.data());
  }
}

/// Moves the weights along the direction until the first is 0; that member leaves.
void TableSet::toward(const double* direction) {
  double step = HUGE_VAL;
  std::size_t leaves = 0;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (direction[i] >= 0.0) continue;
    const double limit = members_[i].weight / -direction[i];
    if (limit < step) {
      step = limit;
      leaves = i;
    }
  }
  for (std::size_t i = 0; i < members_.size(); ++i) {
    members_[i].weight = std::max(0.0, members_[i].weight + step * direction[i]);
  }
  members_.erase(members_.begin() + static_cast<std::ptrdiff_t>(leaves));
  factored_ = std::min(factored_, leaves);
}

}  // namespace kirchhoff::factor
