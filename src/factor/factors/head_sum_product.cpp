// HEAD's sum-product: forward-backward over the chains of dependents, once for each arc into the head [Koo10]. Numbers
// are scaled, not logarithms: it takes an exp for each pair of arcs and none for a transition.
#include "factor/factors/head.hpp"

#include <algorithm>
#include <cmath>

namespace kirchhoff::factor {
namespace {

/// With log-ratios of dependents up to this, and scores up to kLargestScore, exponentials are doubles.
constexpr double kLargestRatio = 450.0;
/// The log-weights of arcs into the head may differ by this much from the largest.
constexpr double kLargestDifference = 600.0;

/// The weights of a dependent being there and not, the larger of which is 1; `scale` is the log of what was divided
/// out.
struct Chance {
  double on = 0.0;
  double off = 0.0;
  double scale = 0.0;
};
Chance chance(double q, double grandparent) {
  if (q == HUGE_VAL) return {1.0, 0.0, grandparent};
  if (q == -HUGE_VAL) return {0.0, 1.0, 0.0};
  const double x = q + grandparent;
  return x > 0.0 ? Chance{1.0, std::exp(-x), x} : Chance{std::exp(x), 1.0, 0.0};
}

double largest_of(const double* begin, std::size_t count) {
  double largest = 0.0;
  for (std::size_t i = 0; i < count; ++i) largest = std::max(largest, begin[i]);
  return largest;
}

/// One side's dependents for one arc into the head. Row j of alpha, j = 1 ... k + 1, has the weights of "the last one
/// so far is the i-th", i < j, before the j-th is looked at; rows are divided by their largest when they leave the
/// middle of the range of doubles.
struct Chain {
  std::size_t k = 0;
  const double* weights = nullptr;
  const Chance* chances = nullptr;
  double* alpha = nullptr;  // (k + 1) rows of k + 1

  double* row(std::size_t j) const { return alpha + (j - 1) * (k + 1); }

  /// Returns the log of the sum over configurations.
  double forward() const {
    double log_scale = 0.0;
    row(1)[0] = 1.0;
    for (std::size_t j = 1; j <= k; ++j) {
      const double* now = row(j);
      const double* w = weights + chain_column(j);
      double* next = row(j + 1);
      double sum = 0.0;
      for (std::size_t i = 0; i < j; ++i) {
        sum += now[i] * w[i];
        next[i] = now[i] * chances[j - 1].off;
      }
      next[j] = sum * chances[j - 1].on;
      log_scale += chances[j - 1].scale;
      const double largest = largest_of(next, j + 1);
      if (largest == 0.0) return -HUGE_VAL;
      if (largest > 1e-30 && largest < 1e30) continue;
      for (std::size_t i = 0; i <= j; ++i) next[i] /= largest;
      log_scale += std::log(largest);
    }
    const double* w = weights + chain_column(k + 1);
    double sum = 0.0;
    for (std::size_t i = 0; i <= k; ++i) sum += row(k + 1)[i] * w[i];
    return log_scale + std::log(sum);
  }

  /// Calls visit(j, to_j, rest, total) for j = k + 1 ... 1: the transition i -> j has probability
  /// row(j)[i] * weights[chain_column(j) + i] * to_j / total, and the j-th is absent with probability rest / total.
  template <class Visit>
  void backward(std::vector<double>& beta, const Visit& visit) const {
    const double* w = weights + chain_column(k + 1);
    beta.assign(w, w + k + 1);  // weight of what follows when the i-th is the last one so far
    double total = 0.0;
    for (std::size_t i = 0; i <= k; ++i) total += row(k + 1)[i] * w[i];
    visit(k + 1, 1.0, 0.0, total);
    for (std::size_t j = k; j >= 1; --j) {
      const Chance& c = chances[j - 1];
      w = weights + chain_column(j);
      const double to_j = c.on * beta[j];
      double with = 0.0, without = 0.0;
      for (std::size_t i = 0; i < j; ++i) {
        with += row(j)[i] * w[i];
        without += row(j)[i] * beta[i];
        beta[i] = beta[i] * c.off + w[i] * to_j;
      }
      without *= c.off;
      visit(j, to_j, without, with * to_j + without);
      const double largest = largest_of(beta.data(), j);
      if (largest > 1e-30 && largest < 1e30) continue;
      for (std::size_t i = 0; i < j; ++i) beta[i] /= largest;
    }
  }
};

struct Scratch {
  std::vector<Chance> chances;
  std::vector<double> alpha, beta, log_weights, on, off;
  std::vector<Chain> chains;
  double shift = 0.0;  ///< what was taken off the log-weights of the heads
  static Scratch& get() {
    thread_local Scratch scratch;
    return scratch;
  }
};

}  // namespace

bool HeadFactor::is_scalable(std::span<const double> q) const {
  if (!is_moderate_) return false;
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (std::size_t i = 0; i < q.size(); ++i) {
    if (std::isinf(q[i])) continue;
    if (i < shape_.heads) {
      low = std::min(low, q[i]);
      high = std::max(high, q[i]);
    } else if (std::abs(q[i]) > kLargestRatio) {
      return false;
    }
  }
  return high - low <= kLargestDifference || high < low;
}

/// Nothing where what is not impossible has underflowed.
std::optional<Factor::Sum> HeadFactor::sum_scaled(std::span<const double> q, std::span<double> messages,
                                                  std::span<double> marginals) const {
  Scratch& s = Scratch::get();
  const std::size_t ins = shape_.heads, outs = shape_.dependents[0] + shape_.dependents[1],
                    cases = std::max<std::size_t>(1, ins);
  const std::size_t table =
      (shape_.dependents[0] + 1) * (shape_.dependents[0] + 1) + (shape_.dependents[1] + 1) * (shape_.dependents[1] + 1);
  s.chances.resize(cases * outs);
  s.alpha.resize(cases * table);
  s.chains.resize(2 * cases);
  s.log_weights.resize(cases);
  const auto q_in = q.subspan(0, ins), q_out = q.subspan(ins);

  const bool decided = std::any_of(q_in.begin(), q_in.end(), [](double x) { return x == HUGE_VAL; });
  // Log-weights of the head's values may have any size; with the largest at 0 they have the range of doubles.
  double& shift = s.shift;
  shift = decided || ins == 0 ? 0.0 : numeric::finite_part(*std::max_element(q_in.begin(), q_in.end()));
  double largest = -HUGE_VAL;
  for (std::size_t g = 0; g < cases; ++g) {
    for (std::size_t d = 0; d < outs; ++d) s.chances[g * outs + d] = chance(q_out[d], grandparent(g, d));
    double log_weight = ins == 0 ? 0.0 : q_in[g] - shift;
    if (decided) log_weight = q_in[g] == HUGE_VAL ? 0.0 : -HUGE_VAL;
    for (std::size_t side = 0; side < 2; ++side) {
      const std::size_t skip_chances = side == 0 ? 0 : shape_.dependents[0];
      const std::size_t skip_alpha = side == 0 ? 0 : (shape_.dependents[0] + 1) * (shape_.dependents[0] + 1);
      Chain& chain = s.chains[2 * g + side];
      chain = {shape_.dependents[side], weights(side), s.chances.data() + g * outs + skip_chances,
               s.alpha.data() + g * table + skip_alpha};
      log_weight += chain.forward();
    }
    s.log_weights[g] = log_weight;
    largest = std::max(largest, log_weight);
  }
  if (largest == -HUGE_VAL || std::count(q_in.begin(), q_in.end(), HUGE_VAL) > 1) return Sum{};
  double sum = 0.0;
  for (double& w : s.log_weights) sum += w = std::exp(w - largest);
  const auto is_lost = [&](std::size_t g) { return s.log_weights[g] == 0.0 && !std::isinf(q[g]) && !decided; };
  for (std::size_t g = 0; !messages.empty() && g < ins; ++g) {
    if (is_lost(g)) return {};
  }

  // The arc into the head has probability weight / sum; those of the arcs out are sums over it.
  double expected = 0.0;
  s.on.assign(outs, 0.0);
  s.off.assign(outs, 0.0);
  for (std::size_t g = 0; g < cases; ++g) {
    const double p = s.log_weights[g] / sum;
    if (p == 0.0) continue;
    for (std::size_t side = 0; side < 2; ++side) {
      const Chain& chain = s.chains[2 * g + side];
      const std::size_t k = chain.k, first = side == 0 ? 0 : shape_.dependents[0];
      const std::size_t part = shape_.first_sibling[side];
      chain.backward(s.beta, [&](std::size_t j, double to_j, double rest, double total) {
        const double factor = p * to_j / total;
        double reached = 0.0;
        for (std::size_t i = 0; i < j; ++i) {
          const double probability = chain.row(j)[i] * chain.weights[chain_column(j) + i] * factor;
          const std::size_t t = part + transition(k, i, j);
          reached += probability;
          expected += probability * part_scores_[t];
          if (!marginals.empty()) marginals[t] += probability;
        }
        if (j > k) return;
        s.on[first + j - 1] += reached;
        s.off[first + j - 1] += p * rest / total;
        if (ins == 0) return;
        expected += reached * grandparent(g, first + j - 1);
        if (!marginals.empty()) marginals[shape_.first_grandparent + g * outs + first + j - 1] += reached;
      });
    }
  }
  if (!messages.empty()) {
    // A message leaves out what came from the arc itself.
    for (std::size_t g = 0; g < ins; ++g) messages[g] = std::log(s.log_weights[g]) - (q[g] - shift);
    for (std::size_t d = 0; d < outs; ++d) {
      if (!std::isinf(q_out[d]) && (s.on[d] == 0.0 || s.off[d] == 0.0)) return {};
      messages[ins + d] = std::isinf(q_out[d]) ? 0.0 : std::log(s.on[d] / s.off[d]) - q_out[d];
    }
  }
  return Sum{shift + largest + std::log(sum), expected};
}

Factor::Sum HeadFactor::sum_product_of_values(std::span<const double> q, std::span<double> messages) const {
  const Sum sum = run(q, messages, {});
  for (std::size_t g = 0; g < shape_.heads; ++g) {
    if (std::isinf(q[g])) messages[g] = 0.0;
  }
  return sum;
}

Factor::Sum HeadFactor::sum_product(std::span<const double> q, std::span<double> messages) const {
  const std::optional<Sum> scaled = is_scalable(q) ? sum_scaled(q, messages, {}) : std::nullopt;
  if (!scaled) {
    const Sum sum = sum_in_logs(q, messages, {});
    if (sum.log_partition != -HUGE_VAL) to_ratios(q, numeric::log_add, messages);
    return sum;
  }
  if (scaled->log_partition == -HUGE_VAL) return *scaled;
  const std::vector<double>& weights = Scratch::get().log_weights;
  for (std::size_t g = 0; g < shape_.heads; ++g) {
    double others = 0.0;  // added up, not taken from the sum: it may be the smaller part by far
    for (std::size_t o = 0; o < shape_.heads; ++o) others += o == g ? 0.0 : weights[o];
    messages[g] = std::isinf(q[g]) ? 0.0 : messages[g] - std::log(others) - Scratch::get().shift;
  }
  return *scaled;
}

Factor::Sum HeadFactor::add_marginals(std::span<const double> q, std::span<double> marginals) const {
  return run(q, {}, marginals);
}

Factor::Sum HeadFactor::run(std::span<const double> q, std::span<double> messages, std::span<double> marginals) const {
  const std::optional<Sum> scaled = is_scalable(q) ? sum_scaled(q, messages, marginals) : std::nullopt;
  return scaled ? *scaled : sum_in_logs(q, messages, marginals);
}

}  // namespace kirchhoff::factor
