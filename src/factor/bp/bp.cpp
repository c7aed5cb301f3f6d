// Belief propagation [Martins10, eqs. 4-7] and what comes of it: marginals, the free energy, an assignment.
//   from variable i to factor C: q = score_i + sum of the messages to i from other factors
//   from factor C to variable i: Factor::sum_product or max_product
// beliefs.cpp has the messages, propagation.cpp their order. An iteration costs one such call for each factor and a
// pass over the edges.
#include "base/check.hpp"
#include "factor/bp/counting.hpp"
#include "factor/bp/free_energy.hpp"
#include "factor/graph/propagate.hpp"
#include "factor/graph/round.hpp"

#include <algorithm>
#include <optional>
#include <string>

namespace kirchhoff {
namespace {

using factor::Beliefs;

void check_options(const FactorGraph& graph, const BpOptions& options) {
  if (!(options.damping >= 0.0 && options.damping < 1.0)) base::input_error("solve_bp", "damping: not in [0, 1)");
  if (!(options.retry_damping >= 0.0 && options.retry_damping < 1.0)) {
    base::input_error("solve_bp", "retry_damping: not in [0, 1)");
  }
  if (!(options.tolerance >= 0.0)) base::input_error("solve_bp", "tolerance: negative or not a number");
  if (options.max_iterations < 0) base::input_error("solve_bp", "max_iterations: negative");
  if (!options.start.empty() && static_cast<int>(options.start.size()) != graph.edges()) {
    base::input_error("solve_bp", "start: " + std::to_string(options.start.size()) + " messages for " +
                                      std::to_string(graph.edges()) + " edges");
  }
  for (const double m : options.start) {
    if (std::isnan(m)) base::input_error("solve_bp", "start: not a number");
  }
}

/// Each variable's likelier value; if the factors forbid that, what the hard factors make of the beliefs.
void decode(const FactorGraph& graph, BpResult& result) {
  for (const double p : result.marginals) result.assignment.push_back(static_cast<std::uint8_t>(p > 0.5));
  result.value = score(graph, result.assignment);
  if (result.value != -HUGE_VAL) return;
  factor::Rounder rounder(graph);
  const Assignment* repaired = rounder(result.marginals, {});
  if (repaired == nullptr) return;
  result.assignment = *repaired;
  result.value = score(graph, result.assignment);
}

/// Messages contradict each other where factors do, and where rounding has made certain what was only likely. The
/// hard factors alone tell which it is: what they exclude without regard to scores, messages exclude too.
void set_contradiction(const FactorGraph& graph, const factor::Incidence& incidence, BpResult& result) {
  factor::Fixed fixed(graph.variables(), -1);
  if (factor::Propagator(graph, incidence).all(fixed)) {
    result.status = Status::iteration_limit;
    if (result.assignment.empty()) decode(graph, result);
    if (result.value == -HUGE_VAL) result.assignment.clear();
    result.factor_entropies.clear();
    return;
  }
  result.status = Status::infeasible;
  result.assignment.clear();
  result.value = -HUGE_VAL;
  result.log_partition = -HUGE_VAL;
}

/// One run. The factors of `divided` have scores divided by `counting`.
BpResult run(const FactorGraph& graph, const FactorGraph& divided, const std::vector<double>& counting,
             const BpOptions& options) {
  BpResult result;
  factor::Propagation propagation(divided, options, counting);
  result.status = propagation.run();
  result.iterations = propagation.iterations();
  result.residual = propagation.residual();
  result.marginals = propagation.marginals();
  result.messages = propagation.beliefs().messages();
  result.damping = options.damping;
  result.free_energy = options.free_energy;
  result.log_odds.resize(result.marginals.size());
  propagation.beliefs().write_log_odds(result.log_odds);
  bool consistent = result.status != Status::infeasible;
  if (consistent) {
    decode(graph, result);
    if (options.product == Product::sum) consistent = factor::add_free_energy(divided, propagation, counting, result);
  }
  if (!consistent) {
    set_contradiction(graph, propagation.beliefs().incidence(), result);
    if (options.product == Product::sum) result.log_partition = result.value;  // the best that is known of it
  }
  return result;
}

}  // namespace

BpResult solve_bp(const FactorGraph& graph, const BpOptions& options) {
  check_options(graph, options);
  const std::vector<double> counting = factor::counting_numbers(graph, options.free_energy);
  std::optional<FactorGraph> own;
  if (!counting.empty()) own.emplace(factor::divided_by(graph, counting));
  const FactorGraph& divided = own ? *own : graph;
  BpResult result = run(graph, divided, counting, options);
  if (result.status != Status::iteration_limit || options.retry_damping <= options.damping) return result;
  BpOptions again = options;
  again.damping = options.retry_damping;
  const int before = result.iterations;
  result = run(graph, divided, counting, again);
  result.iterations += before;
  return result;
}

std::vector<double> factor_belief(const FactorGraph& graph, const BpResult& result, int factor) {
  if (factor < 0 || factor >= graph.factors()) base::input_error("factor_belief", "factor: not in the graph");
  const Factor& own = graph.factor(factor);
  const auto arity = static_cast<std::size_t>(own.arity());
  if (arity > Factor::kEnumerable) base::input_error("factor_belief", "factor: too many inputs to list");
  BpOptions options;
  options.start = result.messages;
  check_options(graph, options);
  const std::vector<double> counting = kirchhoff::factor::counting_numbers(graph, result.free_energy);
  const double counts = counting.empty() ? 1.0 : counting[factor];
  Beliefs beliefs(graph, options, counting);
  const auto q = beliefs.gather(factor);
  std::vector<double> belief(std::size_t{1} << arity);
  std::vector<std::uint8_t> y(arity);
  for (std::size_t e = 0; e < belief.size(); ++e) {
    for (std::size_t i = 0; i < arity; ++i) y[i] = static_cast<std::uint8_t>((e >> (arity - 1 - i)) & 1);
    kirchhoff::factor::turn(graph, factor, y);
    belief[e] = own.score(y) / counts;
    for (std::size_t i = 0; i < arity; ++i) {
      if (numeric::is_infinite(q[i]) && (q[i] > 0.0) != (y[i] != 0)) belief[e] = -HUGE_VAL;
      if (y[i]) belief[e] += numeric::finite_part(q[i]);
    }
  }
  const double highest = *std::max_element(belief.begin(), belief.end());
  if (highest == -HUGE_VAL) base::input_error("factor_belief", "the messages contradict each other");
  double sum = 0.0;
  for (double& b : belief) sum += b = std::exp(b - highest);
  for (double& b : belief) b /= sum;
  return belief;
}

}  // namespace kirchhoff
