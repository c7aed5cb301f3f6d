// Belief propagation [Martins10, eqs. 4-7], with messages as log-ratios, one number for each edge.
//   from variable i to factor C: q = score_i + sum of the messages to i from other factors
//   from factor C to variable i: Factor::sum_product or max_product
// beliefs.cpp has the messages, this file their order. An iteration costs one such call for each factor and a pass over
// the edges, and allocates nothing.
// The residual schedule orders factors by how much their incoming messages changed since they were updated last, which
// bounds their own residual [Sutton07], so that no message is computed that is not sent.
#include "base/check.hpp"
#include "factor/bp/beliefs.hpp"
#include "factor/bp/heap.hpp"
#include "factor/graph/round.hpp"

#include <algorithm>
#include <string>

namespace kirchhoff {
namespace {

using factor::Beliefs;
using numeric::is_infinite;
using numeric::sigmoid;

class Propagation {
 public:
  Propagation(const FactorGraph& graph, const BpOptions& options)
      : graph_(graph), options_(options), beliefs_(graph, options), heap_(graph.factors()) {
    for (int f = 0; f < graph.factors(); ++f) {
      if (!beliefs_.sends(f)) heap_.lower(f, -1.0);
    }
  }

  void run(BpResult& result) {
    result.residual = graph_.factors() == 0 ? 0.0 : 1.0;
    bool stopped = false;
    while (result.residual > options_.tolerance && result.iterations < options_.max_iterations && beliefs_.feasible() &&
           !stopped) {
      result.residual = iterate();
      ++result.iterations;
      beliefs_.sum_up();
      stopped = options_.stop && options_.stop();
    }
    result.status = !beliefs_.feasible()                    ? Status::infeasible
                    : result.residual <= options_.tolerance ? Status::converged
                    : stopped                               ? Status::time_limit
                                                            : Status::iteration_limit;
    result.messages = beliefs_.messages();
    for (int i = 0; i < graph_.variables(); ++i) {
      result.log_odds.push_back(beliefs_.log_odds(i));
      result.marginals.push_back(numeric::sigmoid(result.log_odds.back()));
    }
  }

  /// Sets factor_entropies, bethe_entropy and log_partition.
  void add_free_energy(BpResult& result) {
    double energy = 0.0;
    for (int i = 0; i < graph_.variables(); ++i) {
      if (result.marginals[i] > 0.0 && graph_.scores()[i] != -HUGE_VAL)
        energy += graph_.scores()[i] * result.marginals[i];
    }
    for (int f = 0; f < graph_.factors(); ++f) {
      const auto q = beliefs_.gather(f);
      const auto out = beliefs_.outgoing(f);
      const Factor::Sum sum = graph_.factor(f).sum_product(q, out);
      if (sum.log_partition == -HUGE_VAL || !beliefs_.feasible()) {
        result.status = Status::infeasible;
        return;
      }
      energy += sum.expected_score;
      result.factor_entropies.push_back(entropy(sum, q, out));
    }
    result.bethe_entropy = factor::bethe_entropy(graph_, result.marginals, result.factor_entropies);
    result.log_partition = energy + result.bethe_entropy;
  }

 private:
  double send_all(int f) {
    double largest = 0.0;
    for (int e = graph_.first_edge(f); e < graph_.first_edge(f + 1); ++e) largest = std::max(largest, beliefs_.send(e));
    return largest;
  }

  double iterate() {
    switch (options_.schedule) {
      case Schedule::flooding:
        return flood();
      case Schedule::sequential:
        return sweep();
      case Schedule::residual:
        break;
    }
    return update_by_residual();
  }

  double flood() {
    double largest = 0.0;
    for (int f = 0; f < graph_.factors() && beliefs_.feasible(); ++f) {
      if (beliefs_.sends(f)) beliefs_.compute(f);
    }
    for (int f = 0; f < graph_.factors() && beliefs_.feasible(); ++f) {
      if (beliefs_.sends(f)) largest = std::max(largest, send_all(f));
    }
    return largest;
  }

  double sweep() {
    double largest = 0.0;
    for (int f = 0; f < graph_.factors() && beliefs_.feasible(); ++f) {
      if (!beliefs_.sends(f)) continue;
      beliefs_.compute(f);
      if (beliefs_.feasible()) largest = std::max(largest, send_all(f));
    }
    return largest;
  }

  double update_by_residual() {
    for (int updates = 0; updates < graph_.factors() && beliefs_.feasible() && heap_.highest() > options_.tolerance;
         ++updates) {
      const int f = heap_.top();
      beliefs_.compute(f);
      heap_.lower(f, 0.0);
      for (int e = graph_.first_edge(f); e < graph_.first_edge(f + 1) && beliefs_.feasible(); ++e) {
        const double difference = beliefs_.send(e);
        // A damped factor has not said all it has to say.
        if (options_.damping > 0.0) heap_.raise(f, options_.damping * difference);
        const int values = graph_.values_of(graph_.edge(e).variable);
        if (values < 0) wake(graph_.edge(e).variable, f, difference);
        for (int k = graph_.first_edge(values < 0 ? 0 : values); values >= 0 && k < graph_.first_edge(values + 1);
             ++k) {
          wake(graph_.edge(k).variable, f, difference);
        }
      }
    }
    return std::max(0.0, heap_.highest());
  }

  /// The factors at variable i other than f have something new to listen to.
  void wake(int i, int f, double difference) {
    for (const int e : beliefs_.incidence().edges_of(i)) {
      const int other = beliefs_.incidence().factor_of(e);
      if (other != f && beliefs_.sends(other)) heap_.raise(other, difference);
    }
  }

  const FactorGraph& graph_;
  const BpOptions& options_;
  Beliefs beliefs_;
  factor::Heap heap_;
};

void check_options(const FactorGraph& graph, const BpOptions& options) {
  if (!(options.damping >= 0.0 && options.damping < 1.0)) base::input_error("solve_bp", "damping: not in [0, 1)");
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

}  // namespace

BpResult solve_bp(const FactorGraph& graph, const BpOptions& options) {
  check_options(graph, options);
  BpResult result;
  Propagation propagation(graph, options);
  propagation.run(result);
  if (result.status != Status::infeasible && options.product == Product::sum) propagation.add_free_energy(result);
  if (result.status == Status::infeasible) {
    result.value = result.log_partition = -HUGE_VAL;
    return result;
  }
  decode(graph, result);
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
  Beliefs beliefs(graph, options);
  const auto q = beliefs.gather(factor);
  std::vector<double> belief(std::size_t{1} << arity);
  std::vector<std::uint8_t> y(arity);
  for (std::size_t e = 0; e < belief.size(); ++e) {
    for (std::size_t i = 0; i < arity; ++i) y[i] = static_cast<std::uint8_t>((e >> (arity - 1 - i)) & 1);
    belief[e] = own.score(y);
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
