// Makes weights of scores and solves for log Z and the marginals: by the fast method if it may be believed, else by the
// robust one.
#include "base/buffer.hpp"
#include "base/check.hpp"
#include "projective/kernels/spans.hpp"
#include "projective/state.hpp"
#include "tree/feasible.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace kirchhoff::projective {

void throw_infeasible(const MatrixRef& scores, Root root) {
  tree::require_feasible(scores, root);
  throw Infeasible(std::string("no projective tree") + (root == Root::single ? " with one root child" : "") +
                   ": every tree of possible arcs has arcs that cross");
}

namespace {

// Exponents of extended numbers are exact integers up to 2^53, and a tree's is a sum of n of them.
constexpr double kLowestLog = -1e14, kLowestTotal = -1e12;

// Each word's largest score and the sum of exp(score - largest) over its arcs; the normalised weights at `weights`.
struct Normalised {
  std::vector<double> top, sum;
};

// Throws Infeasible for a word without arcs.
Normalised normalise(const MatrixRef& scores, double* weights, std::size_t stride) {
  const auto size = static_cast<std::size_t>(scores.rows());
  Normalised out{std::vector<double>(size, -HUGE_VAL), std::vector<double>(size, 0.0)};
  double* const top = out.top.data();
  double* const sum = out.sum.data();
  for (std::size_t h = 0; h < size; ++h) {
    const double* row = scores.data() + h * scores.outerStride();
    const double own = top[h];
    for (std::size_t d = 1; d < size; ++d) top[d] = std::max(top[d], row[d]);
    top[h] = own;  // there is no arc from a word to itself
  }
  for (std::size_t d = 1; d < size; ++d) {
    if (top[d] == -HUGE_VAL) throw Infeasible("no projective tree: word " + std::to_string(d) + " has no possible arc");
  }
  top[0] = 0.0;
  for (std::size_t h = 0; h < size; ++h) {
    const double* row = scores.data() + h * scores.outerStride();
    double* w = weights + h * stride;
    for (std::size_t d = 1; d < size; ++d) w[d] = row[d] - top[d];
    w[0] = w[h] = -HUGE_VAL;
    exponentials(w, size);
    for (std::size_t d = 1; d < size; ++d) sum[d] += w[d];
  }
  std::vector<double> inverse(size, 0.0);
  for (std::size_t d = 1; d < size; ++d) inverse[d] = 1.0 / sum[d];
  for (std::size_t h = 0; h < size; ++h) {
    for (std::size_t d = 1; d < size; ++d) weights[h * stride + d] *= inverse[d];
  }
  return out;
}

// Keeps what Normalised says, and log Z of the scores less each word's largest.
void keep(const Normalised& normalised, const numeric::Sum& log_z_scaled, ProjectiveState& state) {
  const int n = state.words;
  state.shifts.n = state.shifts.last = n;
  state.shifts.root = state.root;
  state.shifts.ld = base::padded(n);
  double* shifts = state.shifts.shifts.take(4 * state.shifts.ld);
  std::fill_n(shifts, 4 * state.shifts.ld, 0.0);
  for (const std::size_t row : {0, 2}) {
    std::copy_n(normalised.top.data() + 1, n, shifts + row * state.shifts.ld);
  }
  state.log_sums = Vector::Zero(n + 1);
  for (int d = 1; d <= n; ++d) state.log_sums(d) = std::log(normalised.sum[d]);
  state.log_z_scaled = log_z_scaled;
  numeric::Sum log_z = log_z_scaled;
  for (int d = 1; d <= n; ++d) log_z.add(normalised.top[d]);
  state.log_z = log_z.value();
}

numeric::Sum scaled_log_z(const Normalised& normalised, double log_z_normalised) {
  numeric::Sum sum;
  sum.add(log_z_normalised);
  for (std::size_t d = 1; d < normalised.sum.size(); ++d) sum.add(std::log(normalised.sum[d]));
  return sum;
}

// Leaves out arcs that no projective tree has, or that are too weak to matter, and solves for the others.
void solve_robust(ProjectiveState& state) {
  const int n = state.words;
  const std::vector<bool> usable = usable_arcs(state.scores, state.root);
  if (std::find(usable.begin(), usable.end(), true) == usable.end()) throw_infeasible(state.scores, state.root);
  Matrix left = Matrix::Constant(n + 1, n + 1, -HUGE_VAL);
  for_each_place(n, [&](int h, int d) {
    if (usable[h * (n + 1) + d]) left(h, d) = state.scores(h, d);
  });
  state.marginals.resize(n + 1, n + 1);
  const Normalised normalised = normalise(left, state.marginals.data(), n + 1);
  keep(normalised, {}, state);
  state.left_out.resize(usable.size());
  for_each_place(
      n, [&](int h, int d) { state.left_out[h * (n + 1) + d] = !(left(h, d) - normalised.top[d] >= kLowestLog); });
  state.report = {Method::robust, true, true};
  Matrix log_marginals;
  const numeric::Sum log_z = robust_log_marginals(log_weights(state), state.root, log_marginals);
  if (log_z.value() < kLowestTotal) {
    base::input_error("ProjectiveTreeDistribution",
                      "scores differ too much: every projective tree needs arcs some 1e12 below the best arcs into "
                      "their words; use -inf for impossible arcs");
  }
  keep(normalised, log_z, state);
  state.marginals = log_marginals.unaryExpr([](double x) { return std::exp(x); });  // Eigen's own exp(-inf) is not 0
}

}  // namespace

void solve(const MatrixRef& scores, Root root, const Accuracy& accuracy, ProjectiveState& state) {
  const int n = state.words = base::check_square("ProjectiveTreeDistribution", "scores", scores);
  base::check_scores("ProjectiveTreeDistribution", scores);
  state.root = root;
  state.accuracy = accuracy;
  state.scores = scores;
  state.scores.col(0).setConstant(-HUGE_VAL);  // there are no arcs here, whatever the scores
  state.scores.diagonal().setConstant(-HUGE_VAL);
  if (accuracy.method == Method::robust) return solve_robust(state);
  state.marginals.resize(n + 1, n + 1);
  const Normalised normalised = normalise(scores, state.marginals.data(), n + 1);
  const FastAnswer fast = fast_marginals(n, root, state.marginals.data(), n + 1);
  if (!fast.certified) return solve_robust(state);
  keep(normalised, scaled_log_z(normalised, fast.log_z), state);
  state.report = {Method::fast, false, true};
}

Solved marginals_into(const MatrixRef& scores, Root root, const Accuracy& accuracy, double* marginals,
                      std::size_t stride) {
  const int n = base::check_square("ProjectiveTreeDistribution", "scores", scores);
  base::check_scores("ProjectiveTreeDistribution", scores);
  if (accuracy.method != Method::robust) {
    const Normalised normalised = normalise(scores, marginals, stride);
    const FastAnswer fast = fast_marginals(n, root, marginals, stride);
    if (fast.certified) {
      numeric::Sum log_z = scaled_log_z(normalised, fast.log_z);  // as in keep(), for the same bits
      for (int d = 1; d <= n; ++d) log_z.add(normalised.top[d]);
      return {log_z.value(), {Method::fast, false, true}};
    }
  }
  const ProjectiveTreeDistribution p(scores, root, accuracy);
  for (int h = 0; h <= n; ++h) std::copy_n(p.marginals().row(h).data(), n + 1, marginals + h * stride);
  return {p.log_partition(), p.report()};
}

LogWeights log_weights(const ProjectiveState& state) {
  const int n = state.words;
  LogWeights out{Matrix::Constant(n + 1, n + 1, -HUGE_VAL), Matrix::Zero(n + 1, n + 1)};
  for_each_place(n, [&](int h, int d) {
    const bool possible = state.scores(h, d) != -HUGE_VAL;
    if (!possible || (!state.left_out.empty() && state.left_out[h * (n + 1) + d])) return;
    const numeric::TwoSum shifted = state.shifts.shifted(state.scores(h, d), h, d);
    out.high(h, d) = shifted.high;
    out.low(h, d) = shifted.low;
  });
  return out;
}

Matrix normalised_log_weights(const ProjectiveState& state) {
  Matrix result = Matrix::Constant(state.words + 1, state.words + 1, -HUGE_VAL);
  const double* top = state.shifts.shift_high(1);
  for_each_place(state.words,
                 [&](int h, int d) { result(h, d) = (state.scores(h, d) - top[d - 1]) - state.log_sums(d); });
  return result;
}

}  // namespace kirchhoff::projective
