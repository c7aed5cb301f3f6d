// Bethe's free energy, one sum_product() for each factor: log Z = energy + entropy [Martins10, section 4.1]. Both are
// sums of terms as large as the messages, which cancel. Where messages are large and the beliefs are those of a
// distribution, which they are without loops, log Z is computed from the probability of one assignment y instead:
//   log Z = score(y) - log p(y),  p(y) = product over factors of b_C(y_C) / product over variables of b_i(y_i)^(d_i -
//   1)
// and b_C(y_C) as a product of conditional probabilities, whose log-ratios have small relative error.
#include "factor/bp/free_energy.hpp"

#include "factor/factors/factors.hpp"
#include "numeric/sum.hpp"

#include <algorithm>

namespace kirchhoff::factor {
namespace {

constexpr double kLargeRatio = 1e4;

using numeric::log_probability;

/// The logarithm of the factor's belief in y. Unless the factor knows better, its inputs are fixed one by one, first
/// those that are 1, with at most one sum_product() for each input.
double log_belief(const Factor& factor, std::vector<double> q, std::span<const std::uint8_t> y) {
  if (const auto* hard = dynamic_cast<const HardFactor*>(&factor)) {
    if (const std::optional<double> log_p = hard->log_belief(q, y)) return *log_p;
  }
  std::vector<double> messages(q.size());
  double log_p = 0.0;
  for (;;) {
    if (factor.sum_product(q, messages).log_partition == -HUGE_VAL) return -HUGE_VAL;
    std::size_t next = q.size();
    for (std::size_t k = 0; k < q.size(); ++k) {
      const bool open = !numeric::is_infinite(q[k]) && !numeric::is_infinite(q[k] + messages[k]);
      if (open && (next == q.size() || y[k] > y[next])) next = k;
    }
    if (next == q.size()) return log_p;
    log_p += log_probability(q[next] + messages[next], y[next] != 0);
    q[next] = y[next] ? HUGE_VAL : -HUGE_VAL;
  }
}

/// Nothing when the assignment is none of the distribution.
std::optional<double> log_partition_at(const FactorGraph& graph, Beliefs& beliefs, const BpResult& result) {
  if (result.value == -HUGE_VAL) return {};
  const Incidence& incidence = beliefs.incidence();
  numeric::Sum sum;
  sum.add(result.value);
  std::vector<std::uint8_t> y;
  for (int f = 0; f < graph.factors(); ++f) {
    gather(graph, f, result.assignment, y);
    const auto q = beliefs.gather(f);
    sum.add(-log_belief(graph.factor(f), {q.begin(), q.end()}, y));
  }
  for (int i = 0; i < graph.variables(); ++i) {
    const bool on = result.assignment[i] != 0;
    const double log_p = log_probability(result.log_odds[i], on);
    int uses = incidence.is_multi_valued(i) ? 0 : -1;
    for (const int e : incidence.edges_of(i)) uses += incidence.is_whole(e) ? 0 : 1;
    if (uses != 0) sum.add(uses * log_p);
    if (!incidence.is_multi_valued(i) || !on) continue;
    int holds = 0;
    for (const int e : incidence.edges_of(i)) holds += incidence.is_whole(e) ? 1 : 0;
    if (holds != 1) sum.add((holds - 1) * log_p);
  }
  if (!std::isfinite(sum.value())) return {};
  return sum.value();
}

}  // namespace

bool add_free_energy(const FactorGraph& graph, Propagation& propagation, const std::vector<double>& counting,
                     BpResult& result) {
  Beliefs& beliefs = propagation.beliefs();
  double energy = 0.0, largest = 0.0;
  for (int i = 0; i < graph.variables(); ++i) {
    if (result.marginals[i] > 0.0 && graph.scores()[i] != -HUGE_VAL) energy += graph.scores()[i] * result.marginals[i];
  }
  for (int f = 0; f < graph.factors(); ++f) {
    const auto q = beliefs.gather(f);
    const auto out = beliefs.outgoing(f);
    const Factor::Sum sum = graph.factor(f).sum_product(q, out);
    if (sum.log_partition == -HUGE_VAL || !beliefs.feasible()) return false;
    energy += (counting.empty() ? 1.0 : counting[f]) * sum.expected_score;
    result.factor_entropies.push_back(entropy(sum, q, out));
    for (const double x : q) largest = std::max(largest, std::abs(numeric::finite_part(x)));
    largest = std::max(largest, std::abs(sum.expected_score));
  }
  result.bethe_entropy = bethe_entropy(graph, result.marginals, result.factor_entropies, counting);
  result.log_partition = energy + result.bethe_entropy;
  if (!propagation.is_acyclic() || result.status != Status::converged) return true;
  if (largest > kLargeRatio) {
    result.log_partition = log_partition_at(graph, beliefs, result).value_or(result.log_partition);
  }
  result.log_partition = std::max(result.log_partition, result.value);
  return true;
}

}  // namespace kirchhoff::factor
