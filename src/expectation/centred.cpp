#include "expectation/centred.hpp"

#include <limits>

namespace kirchhoff::detail {
namespace {

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

// For each word, what its arcs' scores are compared with: shifts of the root's and of other arcs, and the middle.
struct Columns {
  std::vector<double> high[2], low[2];  // [0] for arcs from the root, [1] for others
  std::vector<double> middle_high, middle_low;
  std::vector<double> best_p;
  std::vector<int> best;  // head * labels + label

  void resize(std::size_t size) {
    for (auto* v : {&high[0], &high[1], &low[0], &low[1], &middle_high, &middle_low}) v->assign(size, 0.0);
    best_p.assign(size, -1.0);
    best.assign(size, 0);
  }
};

// The most probable arc (under p) of those possible under q, into each word.
void find_best(const View& p, const View& q, Columns& c) {
  for (int h = 0; h <= q.words; ++h) {
    const double* marginal = p.marginals + q.index(h, 0, 0);
    const double* score = q.scores + q.index(h, 0, 0);
    if (q.labels == 1) {
      for (int d = 1; d <= q.words; ++d) {  // no branches: which head is best cannot be predicted
        const bool better = (marginal[d] > c.best_p[d]) & (score[d] != kMinusInfinity) & (h != d);
        c.best_p[d] = better ? marginal[d] : c.best_p[d];
        c.best[d] = better ? h : c.best[d];
      }
      continue;
    }
    for (int d = 1; d <= q.words; ++d) {
      for (int y = 0; h != d && y < q.labels; ++y) {
        const int i = d * q.labels + y;
        if (!(marginal[i] > c.best_p[d]) || score[i] == kMinusInfinity) continue;
        c.best_p[d] = marginal[i];
        c.best[d] = h * q.labels + y;
      }
    }
  }
}

// out = (x - high - low) - middle, to the last digit; -inf stays.
void subtract(const double* x, std::size_t count, std::size_t repeat, const double* high, const double* low,
              const double* middle_high, const double* middle_low, double* out) {
  const auto one = [&](std::size_t i, std::size_t d) {
    const double rounded = x[i] - high[d];
    const double back = rounded - x[i];
    const double error = (x[i] - (rounded - back)) + (-high[d] - back);  // Knuth's TwoSum
    const double result = (rounded - middle_high[d]) + ((error - low[d]) - middle_low[d]);
    out[i] = x[i] == kMinusInfinity ? kMinusInfinity : result;
  };
  if (repeat == 1) {
    for (std::size_t i = 0; i < count; ++i) one(i, i);  // vectorises
  } else {
    for (std::size_t i = 0; i < count * repeat; ++i) one(i, i / repeat);
  }
}

}  // namespace

core::TwoSum scaled_score(const View& v, int head, int dependent, std::size_t index) {
  const core::TwoSum own(v.scores[index], v.word_shift ? -v.word_shift[dependent] : 0.0);
  const core::TwoSum scaled = v.tree.weights.shifted(own.high, head, dependent);
  return {scaled.high, scaled.low + own.low};
}

void centre(const View& p, const View& q, Centred& out) {
  thread_local Columns c;
  const std::size_t size = q.words + 1;
  c.resize(size);
  find_best(p, q, c);
  out.scores.resize(q.size());
  out.log_z = q.tree.log_z_scaled;
  const tree::Weights& weights = q.tree.weights;
  for (int d = 1; d <= q.words; ++d) {
    const std::size_t column = weights.node(d) - 1;
    for (int from : {0, 1}) {
      // The labelled scores' own shift first; the sum is the tree's shift of the labelled score.
      const core::TwoSum shift(weights.shift_high(from)[column], q.word_shift ? q.word_shift[d] : 0.0);
      c.high[from][d] = shift.high;
      c.low[from][d] = shift.low + weights.shift_low(from)[column];
    }
    const int head = c.best[d] / q.labels;  // q has a tree: d has a possible arc
    const core::TwoSum middle = scaled_score(q, head, d, q.index(head, d, c.best[d] % q.labels));
    c.middle_high[d] = middle.high;
    c.middle_low[d] = middle.low;
    out.log_z.add(-middle.high);
    out.log_z.add(-middle.low);
  }
  for (int h = 0; h <= q.words; ++h) {
    const int from = h == 0 ? 0 : 1;
    const std::size_t row = q.index(h, 0, 0);
    subtract(q.scores + row, size, q.labels, c.high[from].data(), c.low[from].data(), c.middle_high.data(),
             c.middle_low.data(), out.scores.data() + row);
    // Not arcs, whatever the scores there.
    for (int y = 0; y < q.labels; ++y) out.scores[row + y] = out.scores[q.index(h, h, y)] = kMinusInfinity;
  }
}

double minus_expectation(const View& p, const Centred& q) {
  double sum = 0.0;
  for (std::size_t i = 0; i < q.scores.size(); ++i) {
    const bool counts = (p.marginals[i] > 0.0) & (q.scores[i] != kMinusInfinity);
    sum += counts ? p.marginals[i] * q.scores[i] : 0.0;
  }
  core::Sum result = q.log_z;
  result.add(-sum);
  return result.value();
}

}  // namespace kirchhoff::detail
