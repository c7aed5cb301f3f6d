// Centres scores on the most probable arc into each word.
#include "expectation/centred.hpp"

#include "tree/arc_labels.hpp"

#include <limits>

namespace kirchhoff::expectations {
namespace {

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

// Holds, for each word, the score of its reference arc, and what else to subtract from the scores of the root's arcs
// [0] and of others [1], which are scaled differently when there is a single root child.
struct ColumnShifts {
  std::vector<double> middle, extra[2];
  std::vector<double> best_p;
  std::vector<int> best;  // head * labels + label

  void resize(std::size_t size) {
    for (auto* v : {&middle, &extra[0], &extra[1]}) v->assign(size, 0.0);
    best_p.assign(size, -1.0);
    best.assign(size, 0);
  }
};

// Finds, for each word, the arc that is most probable under p among those possible under q.
void find_best(const View& p, const View& q, ColumnShifts& c) {
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

// Computes out = x - middle - extra, label by label; -inf stays as it is.
void subtract(const double* x, std::size_t words, std::size_t labels, const double* middle, const double* extra,
              double* out) {
  if (labels == 1) {
    for (std::size_t d = 0; d < words; ++d) {
      out[d] = x[d] == kMinusInfinity ? kMinusInfinity : (x[d] - middle[d]) - extra[d];
    }
    return;
  }
  for (std::size_t i = 0; i < words * labels; ++i) {
    const std::size_t d = i / labels;
    out[i] = x[i] == kMinusInfinity ? kMinusInfinity : (x[i] - middle[d]) - extra[d];
  }
}

}  // namespace

numeric::TwoSum scaled_score(const View& v, int head, int dependent, std::size_t index) {
  if (v.arcs == nullptr) return v.weights.shifted(v.scores[index], head, dependent);
  // An arc's score is a rounded sum over its labels, which is what log Z was made of: a label has its share of that.
  const auto cell = static_cast<std::size_t>(head) * (v.words + 1) + dependent;
  const tree::ArcLabels labels(v.scores + cell * v.labels, v.labels);
  const numeric::TwoSum scaled = v.weights.shifted(v.arcs[cell], head, dependent);
  return {scaled.high, scaled.low + labels.log_share(static_cast<int>(index - cell * v.labels))};
}

void centre(const View& p, const View& q, Centred& out) {
  thread_local ColumnShifts c;
  const std::size_t size = q.words + 1;
  c.resize(size);
  find_best(p, q, c);
  out.scores.resize(q.size());
  out.log_z = q.log_z_scaled;
  const tree::Weights& weights = q.weights;
  for (int d = 1; d <= q.words; ++d) {
    const int head = c.best[d] / q.labels;  // q has a tree: d has a possible arc
    const std::size_t best = q.index(head, d, c.best[d] % q.labels);
    c.middle[d] = q.scores[best];
    const std::size_t column = weights.node(d) - 1;
    const double root_shift =
        (weights.shift_high(0)[column] - weights.shift_high(1)[column]) + weights.shift_low(0)[column];
    c.extra[head == 0 ? 1 : 0][d] = head == 0 ? -root_shift : root_shift;
    const numeric::TwoSum middle = scaled_score(q, head, d, best);
    out.log_z.add(-middle.high);
    out.log_z.add(-middle.low);
  }
  for (int h = 0; h <= q.words; ++h) {
    const std::size_t row = q.index(h, 0, 0);
    subtract(q.scores + row, size, q.labels, c.middle.data(), c.extra[h == 0 ? 0 : 1].data(), out.scores.data() + row);
    // There are no arcs here, whatever the scores.
    for (int y = 0; y < q.labels; ++y) out.scores[row + y] = out.scores[q.index(h, h, y)] = kMinusInfinity;
  }
}

void score_gap(const View& p, const View& q, double* out) {
  thread_local ColumnShifts c;
  thread_local std::vector<double> q_middle;
  const std::size_t size = q.words + 1;
  c.resize(size);
  q_middle.assign(size, 0.0);
  find_best(p, q, c);
  for (int d = 1; d <= q.words; ++d) {
    const std::size_t best = q.index(c.best[d] / q.labels, d, c.best[d] % q.labels);
    c.middle[d] = p.scores[best];
    q_middle[d] = q.scores[best];
  }
  std::size_t i = 0;
  for (std::size_t h = 0; h < size; ++h) {
    for (std::size_t d = 0; d < size; ++d) {
      for (int y = 0; y < q.labels; ++y, ++i) {
        const bool possible = (p.scores[i] != kMinusInfinity) & (q.scores[i] != kMinusInfinity);
        out[i] = possible ? (p.scores[i] - c.middle[d]) - (q.scores[i] - q_middle[d]) : 0.0;
      }
    }
  }
}

double minus_expectation(const View& p, const Centred& q) {
  double sum = 0.0;
  for (std::size_t i = 0; i < q.scores.size(); ++i) {
    const bool counts = (p.marginals[i] > 0.0) & (q.scores[i] != kMinusInfinity);
    sum += counts ? p.marginals[i] * q.scores[i] : 0.0;
  }
  numeric::Sum result = q.log_z;
  result.add(-sum);
  return result.value();
}

}  // namespace kirchhoff::expectations
