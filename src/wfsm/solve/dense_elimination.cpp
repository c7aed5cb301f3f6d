// Blocked elimination: kBlock rows are finished one by one, then all rows below are updated by one matrix product.
#include "wfsm/solve/dense_elimination.hpp"

#include "base/buffer.hpp"
#include "base/stop.hpp"
#include "numeric/simd/products.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <vector>

namespace kirchhoff::wfsm {
namespace {

constexpr std::size_t kBlock = 32;

using Row = Eigen::Map<Eigen::ArrayXd>;

double pivot_of(const double* row, std::size_t k, std::size_t n, Pivot rule) {
  return rule == Pivot::closure ? 1.0 - row[k] : Eigen::Map<const Eigen::ArrayXd>(row + k + 1, n - k).sum();
}
numeric::ExtendedWide pivot_of(const numeric::ExtendedWide* row, std::size_t k, std::size_t, Pivot) {
  return one_minus(row[k]);
}

/// Columns [first, last) of the rows below the block += their coefficients * rows of the block.
class TrailingUpdate {
 public:
  TrailingUpdate(std::size_t n, double* a, std::size_t ld) : n_(n), a_(a), ld_(ld) {
    for (std::size_t i = 0; i < n; ++i) rows_.push_back(a + i * ld);
    coefficients_ = packed_.take(base::padded(n) * kBlock);
    std::fill(coefficients_, coefficients_ + base::padded(n) * kBlock, 0.0);
  }
  void run(std::size_t k0, std::size_t k1) {
    for (std::size_t i = k1; i < n_; ++i) {
      double* row = rows_[i];
      for (std::size_t k = k0; k < k1; ++k) {
        coefficients_[numeric::packed_index(i - k1, k - k0, numeric::kRowBlock * kBlock)] = row[k];
      }
    }
    numeric::multiply_rows({coefficients_, n_ - k1, numeric::kRowBlock * kBlock}, {a_ + k0 * ld_, k1 - k0, ld_, ld_},
                           rows_.data() + k1, rows_.data() + k1, k1);
  }

 private:
  std::size_t n_;
  double* a_;
  std::size_t ld_;
  std::vector<double*> rows_;
  base::Buffer packed_;
  double* coefficients_;
};

/// Row i takes in the rows [k0, k1), up to column `last`; its entries there become coefficients.
void take_in(double* a, std::size_t ld, std::size_t i, std::size_t k0, std::size_t k1, std::size_t last,
             const double* pivots) {
  double* row = a + i * ld;
  for (std::size_t k = k0; k < k1; ++k) {
    row[k] /= pivots[k];
    if (row[k] != 0.0) Row(row + k + 1, last - k - 1) += row[k] * Row(a + k * ld + k + 1, last - k - 1);
  }
}

}  // namespace

int eliminate_dense(std::size_t n, double* a, std::size_t ld, Pivot rule, double* pivots) {
  TrailingUpdate trailing(n > kBlock ? n : 0, a, ld);
  for (std::size_t k0 = 0; k0 < n; k0 += kBlock) {
    StopScope::check();
    const std::size_t k1 = std::min(n, k0 + kBlock);
    for (std::size_t k = k0; k < k1; ++k) {
      take_in(a, ld, k, k0, k, n + 1, pivots);
      pivots[k] = pivot_of(a + k * ld, k, n, rule);
      if (!(pivots[k] > 0.0)) return static_cast<int>(k);
    }
    if (k1 == n) break;
    for (std::size_t i = k1; i < n; ++i) take_in(a, ld, i, k0, k1, k1, pivots);
    trailing.run(k0, k1);
  }
  return -1;
}

int eliminate_dense(std::size_t n, numeric::ExtendedWide* a, std::size_t ld, Pivot rule,
                    numeric::ExtendedWide* pivots) {
  for (std::size_t k = 0; k < n; ++k) {
    StopScope::check();
    pivots[k] = pivot_of(a + k * ld, k, n, rule);
    if (pivots[k].is_zero()) return static_cast<int>(k);
    for (std::size_t i = k + 1; i < n; ++i) {
      numeric::ExtendedWide* row = a + i * ld;
      if (row[k].is_zero()) continue;
      row[k] = row[k] / pivots[k];
      for (std::size_t j = k + 1; j <= n; ++j) row[j] = row[j] + row[k] * a[k * ld + j];
    }
  }
  return -1;
}

}  // namespace kirchhoff::wfsm
