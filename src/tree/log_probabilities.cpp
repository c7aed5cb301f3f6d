// Logarithms of probabilities are sums of scaled scores, in two doubles, less log Z of the scaled weights.
#include "tree/log_probabilities.hpp"

#include "tree/robust/slope_marginals.hpp"

#include <algorithm>
#include <cmath>

namespace kirchhoff::tree {

double log_prob(const TreeState& state, const Heads& heads) {
  numeric::Sum sum;
  for (int word = 1; word <= state.words; ++word) {
    const double score = state.scores[heads[word] * state.scores_stride + word];
    if (score == -HUGE_VAL) return -HUGE_VAL;
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
  const Weights& weights = state.weights;
  const Eigen::Map<const Matrix> p(state.marginals.data(), n + 1, n + 1);
  Matrix logs = Matrix::Constant(n + 1, n + 1, -HUGE_VAL);
  Slopes slopes;  // made, in extended numbers, once a marginal is too small for a double
  for (int head = 0; head <= n; ++head) {
    for (int dependent = 1; dependent <= n; ++dependent) {
      const double score = state.scores[head * state.scores_stride + dependent];
      if (head == dependent || score == -HUGE_VAL) continue;
      if (p(head, dependent) > 1e-290) {
        logs(head, dependent) = std::log(p(head, dependent));
        continue;
      }
      if (slopes.plane == 0) robust_slopes_extended(weights, nullptr, slopes);
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
  Slopes slopes;
  robust_slopes_extended(state.weights, nullptr, slopes);
  std::vector<bool> possible(static_cast<std::size_t>(size) * size, false);
  for (int head = 0; head < size; ++head) {
    for (int dependent = 1; dependent < size; ++dependent) {
      if (head == dependent || state.scores[head * state.scores_stride + dependent] == -HUGE_VAL) continue;
      const ExtendedSlope g = slope_at(slopes, state.weights.node(head), state.weights.node(dependent) - 1);
      possible[head * size + dependent] = g.m > 0.0;
    }
  }
  return possible;
}

}  // namespace kirchhoff::tree
