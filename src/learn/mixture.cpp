// Maximises s.t subject to t >= 0, sum of all t_e = 1, and sum of the t_e with y_i = 1 equal to means[i] for each i,
// by the revised simplex method with a dense inverse of the basis. Every row may be missed on both sides at a price
// that is higher than any score is worth, so that there is a basis to begin with and means that are only nearly those
// of a mixture are answered too. A pivot costs O(entries * inputs + inputs^2).
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
};

class Simplex {
 public:
  Simplex(const std::vector<Entry>& entries, Vector means) : entries_(entries), x_(std::move(means)) {
    const Eigen::Index rows = x_.size();
    double low = 0.0, high = 0.0;
    for (const Entry& entry : entries_) {
      low = std::min(low, entry.score);
      high = std::max(high, entry.score);
    }
    price_ = 4.0 * (1.0 + high - low) * static_cast<double>(rows);
    inverse_ = Matrix::Identity(rows, rows);
    for (Eigen::Index r = 0; r < rows; ++r) basis_.push_back(missing(r, 0));
  }

  void run() {
    const std::size_t most = 100 * (entries_.size() + basis_.size());
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
      if (basis_[r] < entries_.size()) visit(entries_[basis_[r]], std::max(0.0, x_[static_cast<Eigen::Index>(r)]));
    }
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  /// The column that says by how much row r is missed, from below (side 0) or from above (side 1).
  std::size_t missing(Eigen::Index r, std::size_t side) const {
    return entries_.size() + 2 * static_cast<std::size_t>(r) + side;
  }
  double score(std::size_t column) const { return column < entries_.size() ? entries_[column].score : -price_; }

  void set_prices() {
    Vector scores(x_.size());
    for (Eigen::Index r = 0; r < scores.size(); ++r) scores[r] = score(basis_[r]);
    prices_ = inverse_.transpose() * scores;
  }

  /// The column that gains most; Bland's first one when it has taken long, which cannot cycle.
  std::size_t entering(bool first) const {
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
      offer(e, gain);
    }
    for (Eigen::Index r = 0; r < x_.size(); ++r) {
      offer(missing(r, 0), -price_ - prices_[r]);
      offer(missing(r, 1), -price_ + prices_[r]);
    }
    return best;
  }

  Vector direction(std::size_t column) const {
    Vector d = Vector::Zero(x_.size());
    if (column < entries_.size()) {
      for (const int r : entries_[column].rows) d += inverse_.col(r);
      return d;
    }
    const auto which = column - entries_.size();
    return (which % 2 == 0 ? 1.0 : -1.0) * inverse_.col(static_cast<Eigen::Index>(which / 2));
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

  const std::vector<Entry>& entries_;
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
  for_each_entry(factor, [&](std::size_t index, Configuration y, double score) {
    ++count;
    if (score == -HUGE_VAL) return;
    Entry& entry = entries.emplace_back(Entry{index, {}, score});
    for (std::size_t i = 0; i < y.size(); ++i) {
      if (y[i] != 0) entry.rows.push_back(static_cast<int>(i));
    }
    entry.rows.push_back(factor.arity());
  });
  Vector right(factor.arity() + 1);
  for (int i = 0; i < factor.arity(); ++i) right[i] = means[i];
  right[factor.arity()] = 1.0;
  Simplex simplex(entries, right);
  simplex.run();
  std::vector<double> weights(count, 0.0);
  double sum = 0.0;
  simplex.for_each_weight([&](const Entry& entry, double weight) { sum += weights[entry.index] = weight; });
  for (double& weight : weights) weight /= sum > 0.0 ? sum : 1.0;
  return weights;
}

}  // namespace kirchhoff::learn
