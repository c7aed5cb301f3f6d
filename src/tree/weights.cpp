// Scales scores by the best arc into each word, exactly, and exponentiates them; drops arcs too weak to matter.
#include "tree/weights.hpp"

#include "base/buffer.hpp"
#include "base/check.hpp"
#include "numeric/sum.hpp"
#include "tree/feasible.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace kirchhoff::tree {
namespace {

// By how much a word must be the better child of the root for it to be put last. Walks to the last word, along heads,
// take 1 / their probability: where they are rare, the fast method subtracts large numbers. A full stop, which often
// is the last word and seldom anyone's head, is the worst of all; a likely child of the root is good, as most words are
// below it. Differences of less than this cost fewer digits than moving a word costs time.
constexpr double kWorthMoving = 2.0;
constexpr std::size_t kOnePass =
    16;  // words from which on a pass that is saved is worth more than what it adds to the others

// Exchanges two words: rows and columns of a matrix, whose row of word 1 is `first`.
void exchange(const numeric::MatrixSpan& m, std::size_t first, std::size_t a, std::size_t b) {
  std::swap_ranges(m.row(first + a - 1), m.row(first + a - 1) + m.cols, m.row(first + b - 1));
  for (std::size_t row = 0; row < m.rows; ++row) std::swap(m(row, a - 1), m(row, b - 1));
}

// Exchanges the words `last` and n in all that weights are made of; `copy` has the root's row last.
void put_last(Weights& weights, int last, const numeric::MatrixSpan& copy) {
  if (last == weights.n) return;
  const std::size_t n = weights.n, ld = weights.ld;
  weights.last = last;
  exchange({weights.scores.data(), n + 1, n, ld}, 1, last, n);
  exchange({weights.w.data(), n + 1, n, ld}, 1, last, n);
  exchange(copy, 0, last, n);
  for (int row = 0; row < 4; ++row)
    std::swap(weights.shifts.data()[row * ld + last - 1], weights.shifts.data()[row * ld + n - 1]);
}

// Shifts columns by their maxima. In single-root graphs the root's row is shifted on top, so that its own maximum is 0.
// Returns the word that should be put last.
int choose_shifts(Weights& weights) {
  const std::size_t ld = weights.ld;
  double* column = weights.shifts.data();
  double* column_low = column + ld;
  double* root = column + 2 * ld;
  double* root_low = column + 3 * ld;
  for (std::size_t c = 0; c < ld; ++c) {
    if (weights.root == Root::multi)
      column[c] = std::max(column[c], column_low[c]);  // copy_scores left the root's maxima there
    if (column[c] <= kNoArc) column[c] = 0.0;
    column_low[c] = 0.0;
  }
  numeric::Sum total, others[3];  // side by side, since each waits for its last addition
  int first = 0;
  for (; first + 4 <= weights.n; first += 4) {
    total.add(column[first]);
    for (int i = 0; i < 3; ++i) others[i].add(column[first + 1 + i]);
  }
  for (; first < weights.n; ++first) total.add(column[first]);
  for (const numeric::Sum& other : others) {
    total.add(other.high);
    total.add(other.low);
  }
  int best = weights.n - 1;
  if (weights.root == Root::multi) {
    std::copy(column, column_low, root);
    std::fill(root_low, root_low + ld, 0.0);
  } else {
    // The best root arc is compared exactly: rounding would hide differences of 1e9 between scores of 1e25.
    const double* scores = weights.scores.data();
    best = 0;
    numeric::TwoSum most(kNoArc, 0.0);
    for (int c = 0; c < weights.n; ++c) {
      const numeric::TwoSum here(scores[c], -column[c]);
      if (here.high > most.high || (here.high == most.high && here.low > most.low)) {
        most = here;
        best = c;
      }
    }
    total.add(scores[best]);
    total.add(-column[best]);
    for (std::size_t c = 0; c < ld; ++c) {
      const numeric::TwoSum apart(column[c], -column[best]);
      const numeric::TwoSum shift(scores[best], apart.high);
      root[c] = shift.high;
      root_low[c] = shift.low + apart.low;
    }
    if (scores[weights.n - 1] - root[weights.n - 1] > -kWorthMoving) best = weights.n - 1;
  }
  weights.log_scale = total;
  return best + 1;
}

// Exponents beyond 2^53 are no longer exact integers in a double; a tree's is a sum of up to n + 1 arcs'.
double lowest_exact(int n) { return -std::exp2(51) / (n + 1); }

bool beyond(const Weights& weights, double limit) {
  if (!weights.underflowed) return false;
  for (int row = 0; row <= weights.n; ++row) {
    for (int c = 0; c < weights.n; ++c) {
      const double x = weights.scores.data()[row * weights.ld + c];
      if (x > kNoArc && x - weights.shift_high(row)[c] < limit) return true;
    }
  }
  return false;
}

// The scores without the arcs whose scaled scores are below `limit`.
Matrix without_below(const MatrixRef& scores, const Weights& weights, double limit) {
  Matrix kept = scores;
  for (int head = 0; head <= weights.n; ++head) {
    for (int dependent = 1; dependent <= weights.n; ++dependent) {
      if (head == dependent) continue;
      double& x = kept(head, dependent);
      if (x != -HUGE_VAL && weights.shifted(x, head, dependent).high < limit) x = -HUGE_VAL;
    }
  }
  return kept;
}

// Drops arcs too weak to matter, such as masks of -1e30. The graph must have a tree of arcs above limit / n, less a
// margin: it outweighs every tree with a dropped arc by far more than a double can show.
Matrix without_negligible(const MatrixRef& scores, const Weights& weights) {
  const double limit = lowest_exact(weights.n);
  try {
    require_feasible(without_below(scores, weights, (limit + 1e6) / weights.n), weights.root, weights.n);
  } catch (const Infeasible&) {
    base::input_error("TreeDistribution",
                      "scores differ too much: some arc is " + std::to_string(-limit) +
                          " below the best arc into its word, and every tree needs an arc nearly as bad; use -inf for "
                          "impossible arcs");
  }
  return without_below(scores, weights, limit);
}

}  // namespace

void weigh(const MatrixRef& matrix, Root root, Weights& weights, base::Buffer& copy) {
  const std::size_t n = matrix.rows() - 1, ld = base::padded(n);
  weights.n = static_cast<int>(n);
  weights.ld = ld;
  weights.root = root;
  weights.last = weights.n;
  weights.complete = true;
  const numeric::ConstMatrixSpan scores{matrix.data(), n + 1, n + 1, static_cast<std::size_t>(matrix.outerStride())};
  const numeric::MatrixSpan x{weights.scores.take((n + 1) * ld), n + 1, n, ld};
  double* best = weights.shifts.take(4 * ld);
  // There is memory behind the last row, which transposing reads in blocks of rows.
  const numeric::MatrixSpan w{weights.w.take((base::padded(n) + 1) * ld), n + 1, n, ld};
  const numeric::MatrixSpan second{copy.take((base::padded(n + 1) + base::kPad) * ld), n + 1, n, ld};
  if (n >= kOnePass && moderate_maxima(scores, x.data, best)) {
    const int last = choose_shifts(weights);
    weigh_moderate(scores, best, {x, w, second});
    weights.underflowed = false;
    put_last(weights, last, second);
    return;
  }
  std::fill(best, best + 2 * ld, kNoArc);
  const CopiedScores copied = copy_scores(scores, x, best);
  if (copied == CopiedScores::not_scores) base::check_scores("TreeDistribution", matrix);  // says which
  weights.complete = copied == CopiedScores::finite;
  int last = choose_shifts(weights);
  if (!weights.complete) last = require_feasible(matrix, root, last);
  weights.underflowed = exp_shifted(x.first_rows(1), weights.shift(0), w, second.from_row(n));
  weights.underflowed |= exp_shifted(x.from_row(1), weights.shift(1), w.from_row(1), second);
  put_last(weights, last, second);
  if (beyond(weights, lowest_exact(weights.n))) weigh(without_negligible(matrix, weights), root, weights, copy);
}

}  // namespace kirchhoff::tree
