// The set-up of Colbourn's sampler: one subtraction-free inverse (tree/fast/fast.cpp), in an order of its own.
//
// For a single root, let D be the inverse of the Laplacian without root arcs, without row and column t, and g_j = (D
// w_Et)_j, g_t = 1. Then the inverse grounded at any other word c, which is K given the arc 0 -> c, is
//     K^c_ji = (D_ji - D_jc) - g_j / g_c (D_ci - D_cc),   D_t. = D_.t = 0.
// t is the word that the walk visits most, g_t >= g_j, so that D is small.
#include "sample/laplacian_inverse.hpp"

#include "tree/kernels/gauss_jordan.hpp"
#include "tree/state.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>

namespace kirchhoff::sample {
namespace {

constexpr double kSmallestPivot = 1e-90;

// p(0 -> c) is proportional to w_0c g_c.
int most_visited(const TreeDistribution& p) {
  const tree::Weights& weights = TreeAccess::state(p).weights;
  int best = p.words();
  double most = 0.0;
  for (int word = 1; word <= p.words(); ++word) {
    const double w = weights.w.data()[weights.node(word) - 1];
    const double visits = w > 0.0 ? p.marginals()(0, word) / w : 0.0;
    if (visits > most) {
      most = visits;
      best = word;
    }
  }
  return best;
}

std::vector<int> certain_first(const TreeDistribution& p) {
  std::vector<int> order(p.words());
  std::iota(order.begin(), order.end(), 1);
  const Eigen::RowVectorXd certainty = p.marginals().colwise().maxCoeff();
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return certainty[a] > certainty[b]; });
  if (p.root() == Root::single) {
    const auto t = std::find(order.begin(), order.end(), most_visited(p));
    std::rotate(t, t + 1, order.end());
  }
  return order;
}

std::uint64_t next_id() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

}  // namespace

LaplacianInverse::LaplacianInverse(const TreeDistribution& distribution)
    : id(next_id()),
      p(distribution),
      n(p.words()),
      single(p.root() == Root::single),
      heads(base::padded(n + 1)),
      ld(base::padded(n + 2)),
      order(certain_first(p)) {
  const tree::Weights& scaled = TreeAccess::state(p).weights;
  double* w = weights.take((n + 1) * heads);
  std::fill(w, w + (n + 1) * heads, 0.0);
  for (int head = single ? 1 : 0; head <= n; ++head) {
    const double* from = scaled.w.data() + scaled.node(head) * scaled.ld;
    for (int word = 1; word <= n; ++word) w[word * heads + head] = from[scaled.node(word) - 1];
  }
  total.assign(n + 1, 0.0);
  for (int word = 1; word <= n; ++word) total[word] = std::accumulate(weights_of(word), weights_of(word) + n + 1, 0.0);
  if (single) {
    const auto marginals = p.marginals().row(0);
    root.assign(marginals.data(), marginals.data() + n + 1);
  }
  const std::size_t cols = base::padded(n), rows = base::padded(n + 1) + base::kPad;
  base::Buffer storage;
  double* x = storage.take(rows * cols);
  std::fill(x, x + rows * cols, 0.0);
  for (int j = 0; j < n; ++j) {
    const double* into = weights_of(order[j]);
    for (int i = 0; i < n; ++i) x[i * cols + j] = into[order[i]];
    x[n * cols + j] = into[0];
  }
  base::Buffer work;
  double* pivots = work.take(cols + tree::gauss_jordan_work(n));
  const std::size_t size = n;
  const tree::Elimination elimination{single ? size - 1 : size, !single, kSmallestPivot};
  usable = tree::gauss_jordan({x, size + 1, size, cols}, elimination, pivots, pivots + cols);
  double* out = k.take(n * ld);
  std::fill(out, out + n * ld, 0.0);
  const int known = single ? n - 1 : n;  // D has no row and no column of t
  for (int j = 0; j < known; ++j) std::copy_n(x + j * cols, known, out + j * ld);
  if (!single) return;
  for (int j = 0; j < known; ++j) out[j * ld + n + 1] = x[j * cols + known];
  out[known * ld + n + 1] = 1.0;
}

double LaplacianInverse::expected_draws(int top) const {
  if (!usable) return HUGE_VAL;
  const int c = top == 0 ? -1 : static_cast<int>(std::find(order.begin(), order.end(), top) - order.begin());
  double draws = 0.0;
  for (int j = 0; j < n; ++j) {
    if (j == c) continue;
    const double visits = c < 0 ? row(j)[j] : (row(j)[j] - row(j)[c]) - g(j) / g(c) * (row(c)[j] - row(c)[c]);
    draws += total[order[j]] * visits;
  }
  return std::isfinite(draws) ? std::max(draws, n - (c < 0 ? 0.0 : 1.0)) : HUGE_VAL;
}

}  // namespace kirchhoff::sample
