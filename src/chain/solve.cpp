// Chooses the method for one chain: doubles as scores are, doubles of centred scores, or numbers of extended range.
#include "chain/solve.hpp"

#include "base/check.hpp"
#include "chain/robust.hpp"
#include "numeric/sum.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace kirchhoff::chain {
namespace {

/// The middle of the finite numbers seen, and how far they reach from it.
struct ScoreRange {
  double low = HUGE_VAL, high = -HUGE_VAL;
  void see(const double* x, int count) {
    for (int i = 0; i < count; ++i) {
      if (x[i] == -HUGE_VAL) continue;
      low = std::min(low, x[i]);
      high = std::max(high, x[i]);
    }
  }
  double middle() const { return low > high ? 0.0 : low + (high - low) / 2.0; }
  bool is_moderate() const { return low > high || high - low < 1.99 * kModerateScore; }
};

/// The chain with moderate scores and what was subtracted; `is_moderate` is false if there are none.
struct Centred {
  bool is_moderate = true;
  ChainView chain;
  numeric::Sum shift;
};

void copy_less(const double* from, int count, double shift, double* to) {
  for (int i = 0; i < count; ++i) to[i] = from[i] - shift;
}

Centred centred(const ChainView& chain, base::Buffer& memory) {
  const auto tags = static_cast<std::size_t>(chain.tags), length = static_cast<std::size_t>(chain.length);
  const bool shared = chain.transition_stride == 0;
  const std::size_t matrices = length == 1 ? 0 : shared ? 1 : length - 1;
  double* const emissions = memory.take(length * tags + matrices * tags * tags);
  double* const transitions = emissions + length * tags;
  const auto stride = static_cast<std::ptrdiff_t>(tags);
  Centred out{
      true, {emissions, transitions, chain.length, chain.tags, stride, shared ? 0 : stride * stride, stride}, {}};
  for (std::size_t t = 0; t < length && out.is_moderate; ++t) {
    const double* const from = chain.emissions + static_cast<std::ptrdiff_t>(t) * chain.emission_stride;
    ScoreRange range;
    range.see(from, chain.tags);
    copy_less(from, chain.tags, range.middle(), emissions + t * tags);
    out.shift.add(range.middle());
    out.is_moderate = range.is_moderate();
  }
  for (std::size_t t = 0; t < matrices && out.is_moderate; ++t) {
    const double* const from = chain.transitions + static_cast<std::ptrdiff_t>(t) * chain.transition_stride;
    ScoreRange range;
    for (std::size_t i = 0; i < tags; ++i)
      range.see(from + static_cast<std::ptrdiff_t>(i) * chain.row_stride, chain.tags);
    for (std::size_t i = 0; i < tags; ++i) {
      copy_less(from + static_cast<std::ptrdiff_t>(i) * chain.row_stride, chain.tags, range.middle(),
                transitions + (t * tags + i) * tags);
    }
    for (std::size_t k = 0; k < (shared ? length - 1 : 1); ++k) out.shift.add(range.middle());
    out.is_moderate = range.is_moderate();
  }
  return out;
}

[[noreturn]] void no_sequence() { throw Infeasible("no tag sequence is possible: every one has a score of -inf"); }

}  // namespace

void check_scores(const char* function, const ChainView& chain) {
  if (chain.length < 1 || chain.tags < 1) {
    base::input_error(function, "a chain of " + std::to_string(chain.length) + " positions and " +
                                    std::to_string(chain.tags) + " tags, expected at least one of each");
  }
  for (int t = 0; t < chain.length; ++t) {
    for (int j = 0; j < chain.tags; ++j) {
      const double x = chain.emissions[t * chain.emission_stride + j];
      if (base::is_score(x)) continue;
      base::bad_score(function, "emissions[" + std::to_string(t) + ", " + std::to_string(j) + "]", x);
    }
  }
  for (int t = 1; t < (chain.transition_stride == 0 ? std::min(chain.length, 2) : chain.length); ++t) {
    for (int i = 0; i < chain.tags; ++i) {
      const double* const row = chain.transitions + (t - 1) * chain.transition_stride + i * chain.row_stride;
      for (int j = 0; j < chain.tags; ++j) {
        if (base::is_score(row[j])) continue;
        base::bad_score(
            function,
            "transitions[" + std::to_string(t - 1) + ", " + std::to_string(i) + ", " + std::to_string(j) + "]", row[j]);
      }
    }
  }
}

Report solve(const char* function, const ChainView& chain, Method method, Workspace& workspace,
             const FastAnswers& answers) {
  if (chain.length < 1 || chain.tags < 1) check_scores(function, chain);
  if (method != Method::robust) {
    double* const scratch = workspace.scratch.take(forward_backward_scratch(chain.length, chain.tags));
    const FastOutcome outcome = forward_backward(chain, scratch, answers);
    if (outcome == FastOutcome::done) return {};
    check_scores(function, chain);  // what is left to find may come after the row that ended it
    if (outcome == FastOutcome::no_path) no_sequence();
    const Centred other = centred(chain, workspace.centred);
    if (other.is_moderate && forward_backward(other.chain, scratch, answers) == FastOutcome::done) {
      numeric::Sum sum = other.shift;
      sum.add(*answers.log_partition);
      *answers.log_partition = sum.value();
      return {};
    }
  } else {
    check_scores(function, chain);
  }
  const RobustChain robust(chain);
  *answers.log_partition = robust.log_partition();
  if (answers.emissions != nullptr) {
    const ChainArrays marginals = robust.marginals();
    std::copy_n(marginals.emissions.data(), marginals.emissions.size(), answers.emissions);
    std::copy_n(marginals.transitions.data(), marginals.transitions.size(), answers.transitions);
  }
  return {.method = Method::robust, .extended = true, .certified = true};
}

}  // namespace kirchhoff::chain
