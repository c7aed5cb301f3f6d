#include "tree/state.hpp"

#include "base/buffer.hpp"
#include "base/check.hpp"
#include "numeric/simd/products.hpp"
#include "tree/kernels/derivative.hpp"
#include "tree/kernels/exponential.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace kirchhoff::detail {
namespace {

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

// m 2^e for any e, rounding to 0 or infinity where a double must.
double to_double(double m, double e) {
  if (e < -2000.0) return 0.0;
  return std::ldexp(m, static_cast<int>(std::min(e, 3000.0)));
}

// Calls visit(row, column, m, e) for every arc, its weight being m 2^e.
template <class Visit>
void for_each_extended_weight(const tree::Weights& weights, Visit visit) {
  thread_local base::Buffer storage;
  double* m = storage.take(2 * weights.ld);
  double* e = m + weights.ld;
  for (int r = 0; r <= weights.n; ++r) {
    tree::exp_shifted_extended(weights.ld, weights.scores.data() + r * weights.ld, weights.shift_high(r),
                               weights.shift_low(r), m, e);
    for (int c = 0; c < weights.n; ++c) visit(r, c, m[c], e[c]);
  }
}

struct ExtendedSlope {
  double m, e, t;
};
ExtendedSlope slope_at(const tree::Slopes& slopes, int row, int column) {
  const double* base = row == 0 ? slopes.root.data() : slopes.rows.data() + column * slopes.stride();
  const int index = row == 0 ? column : row - 1;
  const double t = slopes.tangent ? base[slopes.stride() - slopes.plane + index] : 0.0;
  return {base[index], slopes.extended ? base[slopes.plane + index] : 0.0, t};
}

// p = w G in elimination order; tangents: r p + w dG.
void combine(const tree::Weights& weights, const tree::Slopes& slopes, double* p) {
  const std::size_t ld = weights.ld;
  const int n = weights.n;
  if (slopes.extended || weights.underflowed) {
    for_each_extended_weight(weights, [&](int r, int c, double m, double e) {
      const ExtendedSlope g = slope_at(slopes, r, c);
      p[r * ld + c] = m == 0.0 ? 0.0 : std::min(to_double(m * g.m, e + g.e), 1.0);
    });
    return;
  }
  thread_local base::Buffer storage;
  double* gt = storage.take(base::padded(n) * ld);
  numeric::transpose(n, n, slopes.rows.data(), ld, gt, ld);
  const double* w = weights.w.data();
  for (int c = 0; c < n; ++c) p[c] = std::min(w[c] * slopes.root.data()[c], 1.0);
  for (int r = 1; r <= n; ++r) {
    for (int c = 0; c < n; ++c) p[r * ld + c] = std::min(w[r * ld + c] * gt[(r - 1) * ld + c], 1.0);
  }
}

void combine_tangent(const TreeState& state, const tree::Slopes& slopes, const double* direction, double* out) {
  const tree::Weights& weights = state.weights;
  const std::size_t ld = weights.ld;
  const double* p = state.p.data();
  const double* w = weights.w.data();
  const bool wide = slopes.extended || weights.underflowed;
  if (wide) {
    for_each_extended_weight(weights, [&](int r, int c, double m, double e) {
      const ExtendedSlope g = slope_at(slopes, r, c);
      out[r * ld + c] = m == 0.0 ? 0.0 : p[r * ld + c] * direction[r * ld + c] + to_double(m * g.t, e + g.e);
    });
    return;
  }
  for (int r = 0; r <= weights.n; ++r) {
    for (int c = 0; c < weights.n; ++c) {
      const std::size_t i = r * ld + c;
      out[i] = w[i] == 0.0 ? 0.0 : p[i] * direction[i] + w[i] * slope_at(slopes, r, c).t;
    }
  }
}

bool all_finite(const double* x, std::size_t rows, std::size_t cols, std::size_t ld) {
  double sum = 0.0;
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < cols; ++c) sum += x[r * ld + c];
  }
  return std::isfinite(sum);
}

// Marginals in elimination order to p, rows `stride` apart. True when the fast method's answer stands.
bool try_fast(TreeState& state, double* p, std::size_t stride) {
  bool broken = false;
  const bool certified = tree::fast_marginals(state.weights, state.accuracy, state.inverse, p, stride, broken);
  if (broken) return false;
  if (state.accuracy.method == Method::automatic && (!certified || state.weights.underflowed)) return false;
  if (!certified && !all_finite(p, state.words + 1, state.words, stride)) return false;
  state.log_z_scaled = state.inverse.log_z;
  state.report = {Method::fast, false, certified};
  return true;
}

void do_robust(TreeState& state, double* p) {
  tree::robust_slopes(state.weights, nullptr, state.slopes);
  combine(state.weights, state.slopes, p);
  state.log_z_scaled = state.slopes.log_z;
  state.report = {Method::robust, state.slopes.extended, true};
}

}  // namespace

void to_elimination_order(const TreeState& state, const double* matrix, std::ptrdiff_t stride, double* rows) {
  const tree::Weights& weights = state.weights;
  for (int r = 0; r <= weights.n; ++r) {
    double* out = rows + r * weights.ld;
    const double* in = matrix + weights.node(r) * stride;
    std::memcpy(out, in + 1, weights.n * sizeof(double));
    std::swap(out[weights.last - 1], out[weights.n - 1]);
    std::fill(out + weights.n, out + weights.ld, 0.0);
  }
}

void from_elimination_order(const TreeState& state, const double* rows, double* matrix, std::ptrdiff_t stride) {
  const tree::Weights& weights = state.weights;
  for (int r = 0; r <= weights.n; ++r) {
    double* out = matrix + weights.node(r) * stride;
    out[0] = 0.0;
    std::memcpy(out + 1, rows + r * weights.ld, weights.n * sizeof(double));
    std::swap(out[weights.last], out[weights.n]);
    if (r > 0) out[weights.node(r)] = 0.0;
  }
}

namespace {

void start(const MatrixRef& scores, Root root, const Accuracy& accuracy, TreeState& state) {
  state.words = base::check_square("TreeDistribution", "scores", scores);
  state.root = root;
  state.accuracy = accuracy;
  tree::load(scores, root, state.weights, state.inverse.x);
  state.scores = scores.data();
  state.scores_stride = scores.outerStride();
}

void finish(TreeState& state) {
  numeric::Sum log_z = state.weights.log_scale;
  log_z.add(state.log_z_scaled.high);
  log_z.add(state.log_z_scaled.low);
  state.log_z = log_z.value();
}

}  // namespace

void compute(const MatrixRef& scores, Root root, const Accuracy& accuracy, TreeState& state) {
  start(scores, root, accuracy, state);
  const std::size_t size = state.words + 1, ld = state.weights.ld;
  double* p = state.p.take(size * ld);
  if (accuracy.method == Method::robust || !try_fast(state, p, ld)) do_robust(state, p);
  for (std::size_t r = 0; r < size; ++r) std::fill(p + r * ld + state.words, p + (r + 1) * ld, 0.0);
  finish(state);
  state.marginals.resize(size * size);
  from_elimination_order(state, p, state.marginals.data(), static_cast<std::ptrdiff_t>(size));
}

Solved marginals_into(const MatrixRef& scores, Root root, const Accuracy& accuracy, double* out,
                      std::ptrdiff_t stride) {
  const PooledState state(acquire_state());
  start(scores, root, accuracy, *state);
  const bool fast = accuracy.method != Method::robust;
  const bool in_order = state->weights.last == state->words;  // no word was moved: elimination order is the caller's
  if (fast && in_order && try_fast(*state, out + 1, stride)) {
    for (int r = 0; r <= state->words; ++r) out[r * stride] = 0.0;
  } else {
    double* p = state->p.take((state->words + 1) * state->weights.ld);
    if (!fast || in_order || !try_fast(*state, p, state->weights.ld)) do_robust(*state, p);
    from_elimination_order(*state, p, out, stride);
  }
  finish(*state);
  return {state->log_z, state->report};
}

void own_scores(TreeState& state) {
  const std::size_t size = state.words + 1;
  state.owned_scores.resize(size * size);
  double* copy = state.owned_scores.data();
  Eigen::Map<Matrix>(copy, size, size) = Eigen::Map<const Matrix, 0, Eigen::OuterStride<>>(
      state.scores, size, size, Eigen::OuterStride<>(state.scores_stride));
  for (std::size_t i = 0; i < size; ++i) copy[i * size] = copy[i * size + i] = kMinusInfinity;
  state.scores = state.owned_scores.data();
  state.scores_stride = static_cast<std::ptrdiff_t>(size);
}

double log_prob(const TreeState& state, const Heads& heads) {
  numeric::Sum sum;
  for (int word = 1; word <= state.words; ++word) {
    const double score = state.scores[heads[word] * state.scores_stride + word];
    if (score == kMinusInfinity) return kMinusInfinity;
    const numeric::TwoSum log_w = state.weights.shifted(score, heads[word], word);
    sum.add(log_w.high);
    sum.low += log_w.low;
  }
  sum.add(-state.log_z_scaled.high);
  sum.add(-state.log_z_scaled.low);
  return std::min(sum.value(), 0.0);
}

Matrix log_marginals(const TreeState& state) {
  const int n = state.words;
  const tree::Weights& weights = state.weights;
  const Eigen::Map<const Matrix> p(state.marginals.data(), n + 1, n + 1);
  Matrix logs = Matrix::Constant(n + 1, n + 1, kMinusInfinity);
  tree::Slopes slopes;  // extended, once a marginal is too small for a double
  for (int head = 0; head <= n; ++head) {
    for (int dependent = 1; dependent <= n; ++dependent) {
      const double score = state.scores[head * state.scores_stride + dependent];
      if (head == dependent || score == kMinusInfinity) continue;
      if (p(head, dependent) > 1e-290) {
        logs(head, dependent) = std::log(p(head, dependent));
        continue;
      }
      if (slopes.plane == 0) tree::robust_slopes_extended(weights, nullptr, slopes);
      // log p = log w + log G; for an arc dropped as negligible that is its first order.
      const ExtendedSlope g = slope_at(slopes, weights.node(head), weights.node(dependent) - 1);
      if (g.m == 0.0) continue;
      const numeric::TwoSum log_w = weights.shifted(score, head, dependent);
      numeric::Sum log_p{log_w.high, log_w.low};
      log_p.add(g.e * 0.69314718055994530942);
      log_p.add(std::log(g.m));
      logs(head, dependent) = std::min(log_p.value(), 0.0);
    }
  }
  return logs;
}

std::vector<bool> possible_arcs(const TreeState& state) {
  const int size = state.words + 1;
  tree::Slopes slopes;
  tree::robust_slopes_extended(state.weights, nullptr, slopes);
  std::vector<bool> possible(static_cast<std::size_t>(size) * size, false);
  for (int head = 0; head < size; ++head) {
    for (int dependent = 1; dependent < size; ++dependent) {
      if (head == dependent || state.scores[head * state.scores_stride + dependent] == kMinusInfinity) continue;
      const ExtendedSlope g = slope_at(slopes, state.weights.node(head), state.weights.node(dependent) - 1);
      possible[head * size + dependent] = g.m > 0.0;
    }
  }
  return possible;
}

namespace {

base::Buffer& direction_storage() {
  thread_local base::Buffer storage;
  return storage;
}

// r: (n+1) x ld in elimination order, changed; room for as many doubles again behind it.
void marginals_along_rows(const TreeState& state, double* r, double* out) {
  const int n = state.words;
  const std::size_t ld = state.weights.ld;
  double* result = r + (n + 1) * ld;
  // Adding a constant to a column changes r(tree) by a constant and no covariance: centre it, so that what follows
  // works with deviations and not with the size of r.
  const double* p = state.p.data();
  tree::centre_columns(n + 1, ld, p, r);
  if (state.report.method == Method::fast) {
    thread_local tree::KooInverse inverse;
    tree::koo_inverse(state.weights, state.inverse, inverse);
    tree::fast_marginals_along(state.weights, inverse, p, r, result);
  } else {
    thread_local tree::Slopes slopes;
    tree::robust_slopes(state.weights, r, slopes);
    combine_tangent(state, slopes, r, result);
  }
  from_elimination_order(state, result, out, n + 1);
}

}  // namespace

void marginals_along(const TreeState& state, const MatrixRef& direction, double* out) {
  double* r = direction_storage().take(2 * (state.words + 1) * state.weights.ld);
  to_elimination_order(state, direction.data(), direction.outerStride(), r);
  marginals_along_rows(state, r, out);
}

double fast_pair_marginal(const TreeState& state, Arc a, Arc b) {
  const tree::Weights& weights = state.weights;
  if (state.report.method != Method::fast) return -1.0;
  const std::size_t ld = weights.ld;
  const int t = weights.n - 1;
  const bool single = weights.root == Root::single;
  const double* d = state.inverse.x.data();
  const double* u = state.inverse.small.data();
  const double* g = u + ld;
  // Entry (j, i) of K (tree/fast.cpp) and the size of what it is computed from.
  struct Term {
    double value, size;
  };
  auto entry = [&](int j, int i) -> Term {
    if (!single) return {d[j * ld + i], d[j * ld + i]};
    if (i == t) return {g[j], g[j]};
    const double first_order = g[j] * u[i];
    return j == t ? Term{-first_order, first_order} : Term{d[j * ld + i] - first_order, d[j * ld + i] + first_order};
  };
  // (K a_arc)_j: docs/methods/trees.md.
  auto column = [&](Arc arc, int j) -> Term {
    const int head = weights.node(arc.head) - 1, dependent = weights.node(arc.dependent) - 1;
    if (arc.head == 0) return entry(j, single ? t : dependent);
    Term sum{0.0, 0.0};
    if (!single || dependent != t) sum = entry(j, dependent);
    if (!single || head != t) {
      const Term minus = entry(j, head);
      sum = {sum.value - minus.value, sum.size + minus.size};
    }
    return sum;
  };
  auto weight = [&](Arc arc) {
    const int row = arc.head == 0 ? 0 : weights.node(arc.head);
    return weights.w.data()[row * ld + weights.node(arc.dependent) - 1];
  };
  const int j = weights.node(a.dependent) - 1, l = weights.node(b.dependent) - 1;
  const Term aj = column(a, j), bl = column(b, l), bj = column(b, j), al = column(a, l);
  const double ww = weight(a) * weight(b);
  const double p = ww * (aj.value * bl.value - bj.value * al.value);
  const double error = 2.0 * tree::error_scale(weights.n) * ww * (aj.size * bl.size + bj.size * al.size);
  const bool good = error <= state.accuracy.tolerance * std::max(p, state.accuracy.floor);
  if (good || state.accuracy.method == Method::fast) return std::clamp(p, 0.0, 1.0);
  return -1.0;
}

}  // namespace kirchhoff::detail
