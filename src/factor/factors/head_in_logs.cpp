// HEAD's messages in logarithms, by sums or by maxima. The recursions are those of head_sum_product.cpp, whose scaled
// numbers are faster and hold less: this is for scores and messages of any size, and for transitions that are
// forbidden. O(i (k^2 + m^2)) for i arcs in, k and m arcs out.
#include "factor/factors/enumerate.hpp"
#include "factor/factors/head.hpp"

#include <algorithm>

namespace kirchhoff::factor {
namespace {

/// One side's dependents for one arc into the head. With A[i] the log-weight of the chains that end in the i-th
/// dependent, and B[i] that of what may follow it after the j-th:
///   A[j] = gain_j + sum of A[i] w(i, j)     B[i] <- B[i] + w(i, j) gain_j B[j]
struct LogChain {
  std::size_t k = 0;
  const double* scores = nullptr;          // by column
  std::span<const double> q;               // of the dependents
  std::vector<double> gains, alpha, beta;  // gains have the pairs with the arc in, and q where it is finite
  std::vector<std::size_t> first;          // of j: the last dependent before it that must be there

  double forward(HeadFactor::Add add) {
    alpha.assign(k + 1, 0.0);
    first.assign(k + 2, 0);
    for (std::size_t j = 1;; ++j) {
      first[j] = j > 1 && q[j - 2] == HUGE_VAL ? j - 1 : first[j - 1];
      const double* w = scores + chain_column(j);
      double sum = -HUGE_VAL;
      for (std::size_t i = first[j]; i < j; ++i) sum = add(sum, alpha[i] + w[i]);
      if (j > k) return sum;
      alpha[j] = q[j - 1] == -HUGE_VAL ? -HUGE_VAL : sum + gains[j - 1];
    }
  }

  /// Calls visit(j, to_j, on, off) for j = k + 1 ... 1: the transition i -> j has the log-weight alpha[i] + w(i, j) +
  /// to_j from i = first[j] on, and `on` and `off` are those of the j-th being there, without its gain, and not.
  template <class Visit>
  void backward(HeadFactor::Add add, const Visit& visit) {
    const double* w = scores + chain_column(k + 1);
    beta.assign(w, w + k + 1);
    visit(k + 1, 0.0, 0.0, 0.0);
    for (std::size_t j = k; j >= 1; --j) {
      w = scores + chain_column(j);
      const bool may_be_there = q[j - 1] != -HUGE_VAL, may_be_gone = q[j - 1] != HUGE_VAL;
      const double to_j = may_be_there ? gains[j - 1] + beta[j] : -HUGE_VAL;
      double on = -HUGE_VAL, off = -HUGE_VAL;
      for (std::size_t i = first[j]; i < j; ++i) {
        on = add(on, alpha[i] + w[i]);
        if (may_be_gone) off = add(off, alpha[i] + beta[i]);
      }
      visit(j, to_j, may_be_there ? on + beta[j] : -HUGE_VAL, off);
      for (std::size_t i = 0; i < j; ++i) beta[i] = add(may_be_gone ? beta[i] : -HUGE_VAL, w[i] + to_j);
    }
  }
};

struct LogScratch {
  std::array<LogChain, 2> chains;
  std::vector<double> totals, on, off;
  static LogScratch& get() {
    thread_local LogScratch scratch;
    return scratch;
  }
};

}  // namespace

double HeadFactor::in_logs(std::span<const double> q, Add add, std::span<double> messages, std::span<double> marginals,
                           double* expected) const {
  LogScratch& s = LogScratch::get();
  const std::size_t ins = shape_.heads, cases = std::max<std::size_t>(1, ins);
  const auto decided = std::count(q.begin(), q.begin() + static_cast<std::ptrdiff_t>(ins), HUGE_VAL);
  const auto is_out = [&](std::size_t g) {
    return ins > 0 && (q[g] == -HUGE_VAL || (decided > 0 && q[g] != HUGE_VAL));
  };
  const auto own = [&](std::size_t g) { return ins == 0 ? 0.0 : numeric::finite_part(q[g]); };
  if (decided > 1) return -HUGE_VAL;
  const auto forward = [&](std::size_t g) {  // the totals of both sides
    std::array<double, 2> totals{};
    std::size_t first = 0;
    for (std::size_t side = 0; side < 2; ++side) {
      LogChain& chain = s.chains[side];
      chain.k = shape_.dependents[side];
      chain.scores = chain_scores(side);
      chain.q = q.subspan(ins + first, chain.k);
      chain.gains.resize(chain.k);
      for (std::size_t d = 0; d < chain.k; ++d) {
        chain.gains[d] = grandparent(g, first + d) + numeric::finite_part(chain.q[d]);
      }
      totals[side] = chain.forward(add);
      first += chain.k;
    }
    return totals;
  };
  s.totals.assign(cases, -HUGE_VAL);
  double all = -HUGE_VAL;
  for (std::size_t g = 0; g < cases; ++g) {
    if (is_out(g)) continue;
    const auto [left, right] = forward(g);
    s.totals[g] = left + right;
    all = add(all, own(g) + s.totals[g]);
  }
  if (all == -HUGE_VAL) return all;
  const std::size_t outs = shape_.dependents[0] + shape_.dependents[1];
  s.on.assign(outs, -HUGE_VAL);
  s.off.assign(outs, -HUGE_VAL);
  for (std::size_t g = 0; g < cases; ++g) {
    if (s.totals[g] == -HUGE_VAL) continue;
    const std::array<double, 2> totals = forward(g);
    for (std::size_t side = 0; side < 2; ++side) {
      LogChain& chain = s.chains[side];
      const std::size_t first = side == 0 ? 0 : shape_.dependents[0];
      const double rest = own(g) + totals[1 - side];
      chain.backward(add, [&](std::size_t j, double to_j, double on, double off) {
        if (j <= chain.k) {
          s.on[first + j - 1] = add(s.on[first + j - 1], rest + on + grandparent(g, first + j - 1));
          s.off[first + j - 1] = add(s.off[first + j - 1], rest + off);
        }
        if (expected == nullptr) return;
        for (std::size_t i = chain.first[j]; i < j; ++i) {
          const double probability = std::exp(chain.alpha[i] + chain.scores[chain_column(j) + i] + to_j + rest - all);
          if (probability == 0.0) continue;
          const auto visit = [&](std::size_t part) {
            *expected += probability * part_scores_[part];
            if (!marginals.empty()) marginals[part] += probability;
          };
          visit(shape_.first_sibling[side] + transition(chain.k, i, j));
          if (j <= chain.k && ins > 0) visit(grandparent_part(g, first + j - 1));
        }
      });
    }
  }
  if (messages.empty()) return all;
  for (std::size_t g = 0; g < ins; ++g) messages[g] = s.totals[g];
  for (std::size_t d = 0; d < outs; ++d)
    messages[ins + d] = numeric::is_infinite(q[ins + d]) ? 0.0 : s.on[d] - s.off[d];
  return all;
}

/// Makes log-ratios of the log-weights of arcs into the head.
void HeadFactor::to_ratios(std::span<const double> q, Add add, std::span<double> messages) const {
  std::vector<double>& weights = LogScratch::get().totals;
  for (std::size_t g = 0; g < shape_.heads; ++g) weights[g] = messages[g];
  for (std::size_t g = 0; g < shape_.heads; ++g) {
    double others = -HUGE_VAL;
    for (std::size_t o = 0; o < shape_.heads; ++o) {
      if (o != g && q[o] != -HUGE_VAL) others = add(others, weights[o] + numeric::finite_part(q[o]));
    }
    messages[g] = numeric::is_infinite(q[g]) ? 0.0 : weights[g] - others;
  }
}

Factor::Sum HeadFactor::sum_in_logs(std::span<const double> q, std::span<double> messages,
                                    std::span<double> marginals) const {
  Sum sum;
  sum.log_partition = in_logs(q, numeric::log_add, messages, marginals, &sum.expected_score);
  return sum;
}

double HeadFactor::max_product(std::span<const double> q, std::span<double> messages) const {
  const double highest = in_logs(q, larger, messages, {}, nullptr);
  if (highest != -HUGE_VAL) to_ratios(q, larger, messages);
  return highest;
}

}  // namespace kirchhoff::factor
