// Chooses the method that answers: the fast one, if its error bound allows, else the robust one.
#include "tree/solve.hpp"

#include "base/check.hpp"
#include "tree/elimination_order.hpp"
#include "tree/robust/slope_marginals.hpp"

#include <algorithm>
#include <cmath>

namespace kirchhoff::tree {
namespace {

bool all_finite(numeric::ConstMatrixSpan x) {
  double sum = 0.0;
  for (std::size_t r = 0; r < x.rows; ++r) {
    for (std::size_t c = 0; c < x.cols; ++c) sum += x(r, c);
  }
  return std::isfinite(sum);
}

// Writes marginals in elimination order to p. Returns true when the fast method's answer stands.
bool try_fast(TreeState& state, numeric::MatrixSpan p) {
  if (state.accuracy.method == Method::automatic && is_hopeless(state.weights, state.accuracy)) return false;
  const FastResult result = fast_marginals(state.weights, state.accuracy, state.inverse, p);
  if (result == FastResult::broken) return false;
  const bool certified = result == FastResult::certified && !state.weights.underflowed;
  if (state.accuracy.method == Method::automatic && !certified) return false;
  if (!certified && !all_finite(p)) return false;
  state.log_z_scaled = state.inverse.log_z;
  state.report = {Method::fast, false, certified};
  return true;
}

void solve_robustly(TreeState& state, double* p) {
  robust_slopes(state.weights, nullptr, state.slopes);
  marginals_from_slopes(state.weights, state.slopes, p);
  state.log_z_scaled = state.slopes.log_z;
  state.report = {Method::robust, state.slopes.extended, true};
}

void take_scores(const MatrixRef& scores, Root root, const Accuracy& accuracy, TreeState& state) {
  state.words = base::check_square("TreeDistribution", "scores", scores);
  state.root = root;
  state.accuracy = accuracy;
  weigh(scores, root, state.weights, state.inverse.x);
  state.scores = scores.data();
  state.scores_stride = scores.outerStride();
}

// The (n+1) x n part of rows `stride` apart.
numeric::MatrixSpan marginals_at(double* p, const TreeState& state, std::size_t stride) {
  const std::size_t n = state.words;
  return {p, n + 1, n, stride};
}

void add_scale_to_log_z(TreeState& state) {
  numeric::Sum log_z = state.weights.log_scale;
  log_z.add(state.log_z_scaled.high);
  log_z.add(state.log_z_scaled.low);
  state.log_z = log_z.value();
}

}  // namespace

void solve(const MatrixRef& scores, Root root, const Accuracy& accuracy, TreeState& state) {
  take_scores(scores, root, accuracy, state);
  const std::size_t size = state.words + 1, ld = state.weights.ld;
  double* p = state.p.take(size * ld);
  if (accuracy.method == Method::robust || !try_fast(state, marginals_at(p, state, ld))) solve_robustly(state, p);
  for (std::size_t r = 0; r < size; ++r) std::fill(p + r * ld + state.words, p + (r + 1) * ld, 0.0);
  add_scale_to_log_z(state);
  state.marginals.resize(size * size);
  from_elimination_order(state.weights, p, state.marginals.data(), static_cast<std::ptrdiff_t>(size));
}

LogPartition marginals_into(const MatrixRef& scores, Root root, const Accuracy& accuracy, double* out,
                            std::ptrdiff_t stride) {
  const PooledState state(acquire_state());
  take_scores(scores, root, accuracy, *state);
  const bool fast = accuracy.method != Method::robust;
  const bool in_order = state->weights.last == state->words;  // no word was moved: elimination order is the caller's
  if (fast && in_order && try_fast(*state, marginals_at(out + 1, *state, stride))) {
    for (int r = 0; r <= state->words; ++r) out[r * stride] = 0.0;
  } else {
    double* p = state->p.take((state->words + 1) * state->weights.ld);
    if (!fast || in_order || !try_fast(*state, marginals_at(p, *state, state->weights.ld))) solve_robustly(*state, p);
    from_elimination_order(state->weights, p, out, stride);
  }
  add_scale_to_log_z(*state);
  return {state->log_z, state->report};
}

void keep_scores(TreeState& state) {
  const std::size_t size = state.words + 1;
  state.owned_scores.resize(size * size);
  double* copy = state.owned_scores.data();
  Eigen::Map<Matrix>(copy, size, size) = Eigen::Map<const Matrix, 0, Eigen::OuterStride<>>(
      state.scores, size, size, Eigen::OuterStride<>(state.scores_stride));
  for (std::size_t i = 0; i < size; ++i) copy[i * size] = copy[i * size + i] = -HUGE_VAL;
  state.scores = state.owned_scores.data();
  state.scores_stride = static_cast<std::ptrdiff_t>(size);
}

}  // namespace kirchhoff::tree
