// TABLE: a score for every combination of the inputs' values, by enumeration of the entries (enumerate.hpp).
#include "factor/factors/factors.hpp"
#include "factor/factors/pair_point.hpp"

#include <utility>

namespace kirchhoff::factor {

TableFactor::TableFactor(Slots slots, std::vector<double> log_potentials)
    : Factor(slots.arity()),
      slots_(std::move(slots)),
      log_potentials_(std::move(log_potentials)),
      // One-hot slots forbid by themselves.
      soft_(slots_.arity() == slots_.count() &&
            std::find(log_potentials_.begin(), log_potentials_.end(), -HUGE_VAL) == log_potentials_.end()) {
  for (int k = 0; k < slots_.count(); ++k) {
    if (slots_.inputs[k] == 1) continue;
    for (int i = slots_.first[k]; i < slots_.first[k + 1]; ++i) grouped_inputs_.push_back(i);
    group_first_.push_back(static_cast<int>(grouped_inputs_.size()));
  }
}

double TableFactor::score(Configuration y) const {
  std::size_t index = 0;
  for (int k = 0; k < slots_.count(); ++k) {
    const int state = slots_.state(k, y);
    if (state < 0) return -HUGE_VAL;
    index = index * slots_.states(k) + static_cast<std::size_t>(state);
  }
  return log_potentials_[index];
}

double TableFactor::least_score() const {
  double least = HUGE_VAL;
  for (const double s : log_potentials_) {
    if (s != -HUGE_VAL) least = std::min(least, s);
  }
  return least;
}

Factor::Sum TableFactor::sum_product(std::span<const double> q, std::span<double> messages) const {
  return sum_by_enumeration(slots_, q, messages, entry_score());
}

double TableFactor::max_product(std::span<const double> q, std::span<double> messages) const {
  return max_by_enumeration(slots_, q, messages, entry_score());
}

/// With two variables the best entry is in the row with the highest sum of its log-ratio and its best entry. Log-ratios
/// are taken relative to the highest (state_weights), so that large ones take no digits from scores.
double TableFactor::best_of_two(std::span<const double> q, std::span<std::uint8_t> y) const {
  EnumerationScratch& scratch = EnumerationScratch::get();
  if (!state_weights(slots_, q, scratch)) return -HUGE_VAL;
  const int rows = slots_.inputs[0], columns = slots_.inputs[1];
  const double* own = scratch.r.data();
  const double* other = own + rows;
  const auto scores = [&](int row) { return log_potentials_.data() + static_cast<std::ptrdiff_t>(row) * columns; };
  double best = -HUGE_VAL;
  int found = 0;
  for (int r = 0; r < rows; ++r) {
    const double* row = scores(r);
    double highest = -HUGE_VAL;
    for (int c = 0; c < columns; ++c) highest = std::max(highest, other[c] + row[c]);
    if (own[r] + highest <= best) continue;
    best = own[r] + highest;
    found = r;
  }
  if (best == -HUGE_VAL) return best;
  int column = 0;
  for (int c = 1; c < columns; ++c) {
    if (other[c] + scores(found)[c] > other[column] + scores(found)[column]) column = c;
  }
  std::fill(y.begin(), y.end(), std::uint8_t{0});
  y[found] = 1;
  y[rows + column] = 1;
  return best + scratch.shift;
}

double TableFactor::best(std::span<const double> q, std::span<std::uint8_t> y) const {
  if (is_over_two_variables()) return best_of_two(q, y);
  return best_by_enumeration(slots_, q, y, entry_score());
}

/// A table of two inputs in which nothing is forbidden is a PAIR and a score for each of them.
std::optional<double> TableFactor::project(std::span<const double> target, double weight, std::span<double> u) const {
  if (arity() != 2 || !soft_) return {};
  const double none = log_potentials_[0], only_b = log_potentials_[1] - none, only_a = log_potentials_[2] - none;
  const double both = log_potentials_[3] - none - only_a - only_b;
  const PairPoint point = project_pair(target[0] + weight * only_a, target[1] + weight * only_b, weight * both);
  u[0] = point.a;
  u[1] = point.b;
  return none + only_a * point.a + only_b * point.b + both * point.both;
}

Relaxation TableFactor::relaxation() const { return relaxation_by_enumeration(slots_, entry_score()); }

}  // namespace kirchhoff::factor
