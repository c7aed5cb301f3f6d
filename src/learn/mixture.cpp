// Maximises s.t subject to t >= 0, sum of all t_e = 1, and sum of the t_e with y_i = 1 equal to means[i] for each i,
// by the revised simplex method with a dense inverse of the basis. Every row may be missed on both sides at a price
// that is higher than any score is worth, so that there is a basis to begin with and means that are only nearly those
// of a mixture are answered too. A pivot costs O(entries * inputs + inputs^2). Where entries are too many to list they
// are generated: the one that gains most is the factor's best configuration under the prices of the rows.
#include "learn/mixture.hpp"

#include "learn/entries.hpp"

#include <algorithm>
#include <cmath>

namespace kirchhoff::learn {
namespace {

constexpr double kOptimal = 1e-10;  // relative to the price of a miss
constexpr double kPivot = 1e-9;

struct Entry {
  std::size_t index;
  std::vector<int> rows;  ///< the inputs that are 1, and the row of the sum
  double score;

  Entry(std::size_t own_index, Configuration y, double own_score) : index(own_index), score(own_score) {
    for (std::size_t i = 0; i < y.size(); ++i) {
      if (y[i] != 0) rows.push_back(static_cast<int>(i));
    }
    rows.push_back(static_cast<int>(y.size()));
  }
};

Vector with_sum(std::span<const double> means) {
  Vector right(static_cast<Eigen::Index>(means.size()) + 1);
  std::copy(means.begin(), means.end(), right.data());
  right[right.size() - 1] = 1.0;
  return right;
}

/// generate(prices, gain) adds the entry that gains most to the list, if it gains more than `gain`, and returns whether
/// it did.
template <class Generate>
class Simplex {
 public:
  /// The scores of any two entries differ by `range` at most.
  Simplex(std::vector<Entry>& entries, Vector means, double range, Generate generate)
      : entries_(entries), generate_(generate), x_(std::move(means)) {
    const Eigen::Index rows = x_.size();
    price_ = 4.0 * (1.0 + range) * static_cast<double>(rows);
    inverse_ = Matrix::Identity(rows, rows);
    for (Eigen::Index r = 0; r < rows; ++r) basis_.push_back(missing(r, 0));
  }

  void run() {
    const std::size_t most = 100 * (entries_.size() + basis_.size() * basis_.size());
    for (std::size_t step = 0; step < most; ++step) {
      set_prices();
      const std::size_t column = entering(step > most / 2);
      if (column == kNone || !pivot(column)) return;
    }
  }

  /// Calls visit(entry, weight) for the entries of the basis.
  template <class Visit>
  void for_each_weight(Visit visit) const {
    for (std::size_t r = 0; r < basis_.size(); ++r) {
      if (basis_[r] < first_entry()) continue;
      visit(entries_[basis_[r] - first_entry()], std::max(0.0, x_[static_cast<Eigen::Index>(r)]));
    }
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  /// The column that says by how much row r is missed, from below (side 0) or from above (side 1).
  std::size_t missing(Eigen::Index r, std::size_t side) const { return 2 * static_cast<std::size_t>(r) + side; }
  std::size_t first_entry() const { return 2 * basis_.size(); }
  double score(std::size_t column) const {
    return column < first_entry() ? -price_ : entries_[column - first_entry()].score;
  }

  void set_prices() {
    Vector scores(x_.size());
    for (Eigen::Index r = 0; r < scores.size(); ++r) scores[r] = score(basis_[r]);
    prices_ = inverse_.transpose() * scores;
  }

  /// The column that gains most; Bland's first one when it has taken long, which cannot cycle.
  std::size_t entering(bool first) {
    double most = kOptimal * price_;
    std::size_t best = kNone;
    const auto offer = [&](std::size_t column, double gain) {
      if (gain <= most || (first && best != kNone)) return;
      most = gain;
      best = column;
    };
    for (std::size_t e = 0; e < entries_.size(); ++e) {
      double gain = entries_[e].score;
      for (const int r : entries_[e].rows) gain -= prices_[r];
      offer(first_entry() + e, gain);
    }
    for (Eigen::Index r = 0; r < x_.size(); ++r) {
      offer(missing(r, 0), -price_ - prices_[r]);
      offer(missing(r, 1), -price_ + prices_[r]);
    }
    if (best == kNone && generate_(prices_, most)) best = first_entry() + entries_.size() - 1;
    return best;
  }

  Vector direction(std::size_t column) const {
    Vector d = Vector::Zero(x_.size());
    if (column >= first_entry()) {
      for (const int r : entries_[column - first_entry()].rows) d += inverse_.col(r);
      return d;
    }
    return (column % 2 == 0 ? 1.0 : -1.0) * inverse_.col(static_cast<Eigen::Index>(column / 2));
  }

  bool pivot(std::size_t column) {
    const Vector d = direction(column);
    Eigen::Index leaves = -1;
    double step = HUGE_VAL;
    for (Eigen::Index r = 0; r < d.size(); ++r) {
      if (d[r] <= kPivot) continue;
      const double ratio = std::max(0.0, x_[r]) / d[r];
      if (ratio < step || (ratio == step && basis_[r] < basis_[leaves])) {
        step = ratio;
        leaves = r;
      }
    }
    if (leaves < 0) return false;
    x_ -= step * d;
    x_[leaves] = step;
    const Eigen::RowVectorXd row = inverse_.row(leaves) / d[leaves];
    inverse_ -= d * row;
    inverse_.row(leaves) = row;
    basis_[leaves] = column;
    return true;
  }

  std::vector<Entry>& entries_;
  Generate generate_;
  double price_ = 0.0;
  Vector x_;  ///< the values of the basis
  std::vector<std::size_t> basis_;
  Matrix inverse_;
  Vector prices_;
};

}  // namespace

std::vector<double> best_mixture(const Factor& factor, std::span<const double> means) {
  std::vector<Entry> entries;
  std::size_t count = 0;
  double low = 0.0, high = 0.0;
  for_each_entry(factor, [&](std::size_t index, Configuration y, double score) {
    ++count;
    if (score == -HUGE_VAL) return;
    low = std::min(low, score);
    high = std::max(high, score);
    entries.emplace_back(index, y, score);
  });
  Simplex simplex(entries, with_sum(means), high - low, [](const Vector&, double) { return false; });
  simplex.run();
  std::vector<double> weights(count, 0.0);
  double sum = 0.0;
  simplex.for_each_weight([&](const Entry& entry, double weight) { sum += weights[entry.index] = weight; });
  for (double& weight : weights) weight /= sum > 0.0 ? sum : 1.0;
  return weights;
}

std::vector<double> best_parts(const factor::PartsFactor& factor, std::span<const double> means) {
  const std::vector<double> scores = factor.own_scores();
  std::vector<double> opposite = scores, q(means.size(), 0.0);
  for (double& s : opposite) s = s == -HUGE_VAL ? s : -s;
  std::vector<std::uint8_t> y(means.size());
  const double range = factor.best(q, y) + factor.with_own_scores(opposite)->best(q, y);
  std::vector<Entry> entries;
  Simplex simplex(entries, with_sum(means), range, [&](const Vector& prices, double gain) {
    for (std::size_t i = 0; i < q.size(); ++i) q[i] = -prices[static_cast<Eigen::Index>(i)];
    if (!(factor.best(q, y) - prices[prices.size() - 1] > gain)) return false;
    entries.emplace_back(entries.size(), y, factor.score(y));
    return true;
  });
  simplex.run();
  double sum = 0.0;
  simplex.for_each_weight([&](const Entry&, double weight) { sum += weight; });
  std::vector<double> parts(scores.size(), 0.0);
  simplex.for_each_weight([&](const Entry& entry, double weight) {
    std::fill(y.begin(), y.end(), std::uint8_t{0});
    for (const int i : entry.rows) {
      if (i < factor.arity()) y[static_cast<std::size_t>(i)] = 1;
    }
    if (weight > 0.0) factor.add_own_parts(y, weight / sum, parts);
  });
  return parts;
}

}  // namespace kirchhoff::learn
