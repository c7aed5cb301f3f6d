// Cross-entropy and KL of pairs of graphs of the same words, from what the lanes give for p and from log Z and the
// marginals of q, for the files that instantiate them.
//
// With share = 1 for KL and 0 for cross-entropy and r = share theta - phi, the value is E_p[r] - share log Z_p + log
// Z_q, its gradient for p the marginals along r, and for q the difference of the marginals
// (docs/methods/expectations.md).
#pragma once

#include "base/buffer.hpp"
#include "base/stop.hpp"
#include "kirchhoff/expectation.hpp"
#include "numeric/sum.hpp"
#include "tree/batch/along.hpp"
#include "tree/batch/rows.hpp"
#include "tree/marginals_along.hpp"
#include "tree/state.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

namespace kirchhoff::expectations {

// Beyond this a rounded log Z has fewer digits than centred scores would keep.
inline constexpr double kLargeLogZ = 1e4;
inline constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// Writes r = share theta - phi, and 0 where there is no arc, to rows of n + 1. False when some arc of p is none of q.
inline bool write_direction(const GraphView& p, const GraphView& q, double share, double* out) {
  const int words = p.words;
  bool supported = true;
  const auto write = [&](std::ptrdiff_t p_step, std::ptrdiff_t q_step) {
    for (int head = 0; head <= words; ++head) {
      const double* const theta = p.scores + head * p.head_stride;
      const double* const phi = q.scores + head * q.head_stride;
      double* const row = out + head * (words + 1);
      for (int d = 1; d <= words; ++d) {
        const double x = theta[d * p_step], y = phi[d * q_step];
        const bool arc = (x != -HUGE_VAL) & (head != d);
        supported &= !arc | (y != -HUGE_VAL);
        row[d] = arc ? share * x - y : 0.0;
      }
      row[0] = 0.0;
    }
  };
  if (p.dependent_stride == 1 && q.dependent_stride == 1) {
    write(1, 1);
  } else {
    write(p.dependent_stride, q.dependent_stride);
  }
  return supported;
}

// E_p[r], where r counts from the most probable arc into each word: numbers of the size of log-probabilities are added.
inline numeric::Sum mean_of(const double* r, const MatrixView& marginals) {
  const std::size_t size = marginals.rows();
  const double* const p = marginals.data();
  thread_local base::Buffer storage;
  double* const best = storage.take(3 * size);
  double *const middle = best + size, *const rest = middle + size;
  std::fill_n(best, size, -1.0);
  std::fill_n(rest, size, 0.0);
  for (std::size_t k = 0; k < size; ++k) {
    for (std::size_t d = 0; d < size; ++d) {
      const bool better = p[k * size + d] > best[d];
      best[d] = better ? p[k * size + d] : best[d];
      middle[d] = better ? r[k * size + d] : middle[d];
    }
  }
  for (std::size_t k = 0; k < size; ++k) {
    for (std::size_t d = 0; d < size; ++d) rest[d] += p[k * size + d] * (r[k * size + d] - middle[d]);
  }
  numeric::Sum sum;
  for (std::size_t d = 1; d < size; ++d) {
    sum.add(middle[d]);
    sum.add(rest[d]);
  }
  return sum;
}

inline void subtract_from(std::span<const double> a, std::span<double> out) {
  for (std::size_t k = 0; k < out.size(); ++k) out[k] = a[k] - out[k];
}

// The answers for all pairs of graphs that they can be given for from log Z and the marginals of q.
class AlikePairs {
 public:
  AlikePairs(double share, const TreeBatch& p, const TreeBatch& q, std::span<double> values, const PairSpans& gradients)
      : share_(share), p_(p), q_(q), values_(values), gradients_(gradients), answered_(p.size(), 0) {}

  // Returns the pairs that are left, in order.
  std::vector<std::size_t> solve(const Stop& stop) {
    q_.solve(stop);
    const std::vector<std::size_t> rest = solve_in_lanes(stop);
    const auto alone = [&](std::size_t i, const TreeDistribution& p) { solve_alone(i, p); };
    p_.visit(rest, alone, {}, stop);
    std::vector<std::size_t> left = tree::every_graph(p_.size());
    std::erase_if(left, [&](std::size_t i) { return answered_[i]; });
    return left;
  }

 private:
  // Returns the pairs that the lanes leave.
  std::vector<std::size_t> solve_in_lanes(const Stop& stop) {
    std::vector<double> log_z(p_.size(), kUnknown);
    std::vector<numeric::Sum> means(p_.size());
    const bool difference = share_ == 1.0;
    const double sign = difference ? 1.0 : -1.0;
    const std::vector<std::size_t> rest =
        tree::along_in_lanes(p_, {q_.graphs(), sign, gradients_.p, {}, difference, gradients_.q, log_z, means}, stop);
    parallel_for(p_.size(), p_.options().threads, [&](std::size_t i) {
      if (std::isnan(log_z[i])) return;
      answer(i, {sign * means[i].high, sign * means[i].low}, log_z[i]);
      if (!gradients_.q.empty()) subtract_from(q_.marginals(i), q_.part(gradients_.q, i));
    });
    return rest;
  }

  void solve_alone(std::size_t i, const TreeDistribution& p) {
    const int size = p.words() + 1;
    thread_local base::Buffer storage;
    double* const r = storage.take(2 * size * size);
    double* const gradient = r + size * size;
    if (!write_direction(p_.graphs()[i], q_.graphs()[i], share_, r)) return;
    answer(i, mean_of(r, p.marginals()), p.log_partition());
    if (!gradients_.p.empty()) {
      tree::marginals_along(TreeAccess::state(p), MatrixView(r, size, size), gradient);
      write(gradient, gradients_.p, i);
    }
    if (gradients_.q.empty()) return;
    write(p.marginals().data(), gradients_.q, i);
    subtract_from(q_.marginals(i), q_.part(gradients_.q, i));
  }
  void write(const double* array, std::span<double> out, std::size_t i) {
    const int words = p_.words(i);
    const std::size_t size = words + std::size_t{1};
    tree::write_rows({array, size * size}, words, p_.part(out, i), p_.row_length(i));
  }

  void answer(std::size_t i, numeric::Sum mean, double log_zp) {
    const double log_zq = q_.log_partition()[i];
    if (!(std::max(std::abs(log_zp), std::abs(log_zq)) <= kLargeLogZ)) return;
    mean.add(-share_ * log_zp);
    mean.add(log_zq);
    values_[i] = numeric::not_negative(mean.value());
    answered_[i] = 1;
  }

  const double share_;
  const TreeBatch &p_, &q_;
  const std::span<double> values_;
  const PairSpans gradients_;
  std::vector<char> answered_;
};

}  // namespace kirchhoff::expectations
