// Chooses the method that answers: the fast one, if its error bound allows, else the robust one.
#include "tree/solve.hpp"

#include "base/check.hpp"
#include "tree/elimination_order.hpp"
#include "tree/fast/refined.hpp"
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

// What the fast method made of a graph.
enum class Fast {
  stands,     // marginals, as accurate as they should be, or as they are if the method is forced
  cancelled,  // an inverse with slopes that cancel
  broken,     // nothing
};

// Writes marginals in elimination order to p.
Fast try_fast(TreeState& state, const numeric::MatrixSpan& p) {
  const bool forced = state.accuracy.method == Method::fast;
  if ((state.weights.underflowed && !forced) || !invert(state.weights, state.inverse)) return Fast::broken;
  if (!forced && surely_cancels(state.weights, state.accuracy)) return Fast::cancelled;
  const bool certified =
      inverse_marginals(state.weights, state.accuracy, state.inverse, p) && !state.weights.underflowed;
  if (!certified && !forced) return Fast::cancelled;
  if (!certified && !all_finite(p)) return Fast::broken;
  state.log_z_scaled = state.inverse.log_z;
  state.report = {Method::fast, false, certified};
  return Fast::stands;
}

// The (n+1) x n part of rows `stride` apart.
numeric::MatrixSpan marginals_at(double* p, const TreeState& state, std::size_t stride) {
  const std::size_t n = state.words;
  return {p, n + 1, n, stride};
}

// By the slopes of the inverse, if that is to be had, where all that cancel can be computed anew; else by elimination.
void solve_robustly(TreeState& state, double* p, bool has_inverse) {
  const bool refined = has_inverse && refine(state.weights, state.accuracy, state.inverse, state.slopes);
  if (!refined) robust_slopes(state.weights, nullptr, state.slopes);
  marginals_from_slopes(state.weights, state.slopes, p);
  state.log_z_scaled = state.slopes.log_z;
  state.report = {Method::robust, state.slopes.extended, true};
}

// Writes marginals by whichever method the accuracy asks for: to `fast`, and returns true, or else to p.
bool solve_fast_or_robustly(TreeState& state, const numeric::MatrixSpan& fast, double* p) {
  const Fast result = state.accuracy.method == Method::robust ? Fast::broken : try_fast(state, fast);
  if (result == Fast::stands) return true;
  solve_robustly(state, p, result == Fast::cancelled);
  return false;
}

void take_scores(const MatrixRef& scores, Root root, const Accuracy& accuracy, TreeState& state) {
  state.words = base::check_square("TreeDistribution", "scores", scores);
  state.root = root;
  state.accuracy = accuracy;
  weigh(scores, root, state.weights, state.inverse.x);
  state.scores = scores.data();
  state.scores_stride = scores.outerStride();
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
  solve_fast_or_robustly(state, marginals_at(p, state, ld), p);
  for (std::size_t r = 0; r < size; ++r) std::fill(p + r * ld + state.words, p + (r + 1) * ld, 0.0);
  add_scale_to_log_z(state);
  state.marginals.resize(size * size);
  from_elimination_order(state.weights, p, state.marginals.data(), static_cast<std::ptrdiff_t>(size));
}

LogPartition marginals_into(const MatrixRef& scores, Root root, const Accuracy& accuracy, double* out,
                            std::ptrdiff_t stride) {
  const PooledState state(acquire_state());
  take_scores(scores, root, accuracy, *state);
  double* p = state->p.take((state->words + 1) * state->weights.ld);
  if (solve_fast_or_robustly(*state, marginals_at(out + 1, *state, stride), p)) {
    put_words_back(state->weights, out, stride);
  } else {
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
