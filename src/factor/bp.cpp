// Belief propagation [Martins10, eqs. 4-7], with messages as log-ratios, one number for each edge.
//   from variable i to factor C: q = score_i + sum of the messages to i from other factors
//   from factor C to variable i: Factor::sum_product or max_product
// An iteration costs one such call for each factor and a pass over the edges, and allocates nothing.
// The residual schedule orders factors by how much their incoming messages changed since they were updated last, which
// bounds their own residual [Sutton07], so that no message is computed that is not sent.
#include "core/check.hpp"
#include "factor/heap.hpp"
#include "factor/local.hpp"
#include "factor/round.hpp"

#include <algorithm>
#include <string>

namespace kirchhoff {
namespace {

using factor::Incidence;
using factor::is_infinite;
using factor::oriented;
using factor::sigmoid;

double change(double from, double to) { return from == to ? 0.0 : std::abs(sigmoid(from) - sigmoid(to)); }

/// Sum of log-ratios, infinite ones counted apart so that they can be taken out again.
struct Total {
  double finite = 0.0;
  int plus = 0;
  int minus = 0;

  void add(double x) {
    if (is_infinite(x)) {
      ++(x > 0.0 ? plus : minus);
    } else {
      finite += x;
    }
  }
  void remove(double x) {
    if (is_infinite(x)) {
      --(x > 0.0 ? plus : minus);
    } else {
      finite -= x;
    }
  }
  bool contradicts() const { return plus > 0 && minus > 0; }
  double value() const { return plus > 0 ? HUGE_VAL : minus > 0 ? -HUGE_VAL : finite; }
};

class Propagation {
 public:
  Propagation(const FactorGraph& graph, const BpOptions& options)
      : graph_(graph),
        options_(options),
        incidence_(graph),
        messages_(options.start.empty() ? Messages(graph.edges(), 0.0) : options.start),
        fresh_(graph.edges()),
        q_(graph.edges()),
        totals_(graph.variables()),
        heap_(graph.factors()) {
    for (int f = 0; f < graph.factors(); ++f) {
      if (!sends(f)) {
        heap_.lower(f, -1.0);
        std::fill(messages_.begin() + graph.first_edge(f), messages_.begin() + graph.first_edge(f + 1), 0.0);
      }
    }
    sum_up();
  }

  void run(BpResult& result) {
    result.residual = graph_.factors() == 0 ? 0.0 : 1.0;
    while (result.residual > options_.tolerance && result.iterations < options_.max_iterations && feasible_) {
      result.residual = iterate();
      ++result.iterations;
      sum_up();
    }
    result.status = !feasible_                              ? Status::infeasible
                    : result.residual <= options_.tolerance ? Status::converged
                                                            : Status::iteration_limit;
    result.messages = messages_;
    for (int i = 0; i < graph_.variables(); ++i) {
      result.log_odds.push_back(against_other_values(i, totals_[i].value()));
      result.marginals.push_back(sigmoid(result.log_odds.back()));
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
      const auto q = gather(f);
      const auto out = outgoing(f);
      const Factor::Sum sum = graph_.factor(f).sum_product(q, out);
      feasible_ = feasible_ && sum.log_partition != -HUGE_VAL;
      if (!feasible_) {
        result.status = Status::infeasible;
        return;
      }
      energy += sum.expected_score;
      result.factor_entropies.push_back(entropy(sum, q, out));
    }
    result.bethe_entropy = factor::bethe_entropy(graph_, result.marginals, result.factor_entropies);
    result.log_partition = energy + result.bethe_entropy;
  }

  std::span<const double> gather(int f) {
    for (int e = graph_.first_edge(f); e < graph_.first_edge(f + 1); ++e) {
      const Literal literal = graph_.edge(e);
      Total total = totals_[literal.variable];
      total.remove(messages_[e]);
      feasible_ = feasible_ && !total.contradicts();
      const double own = total.value();
      q_[e] = oriented(literal, graph_.is_value_edge(e) ? own : against_other_values(literal.variable, own));
    }
    return {q_.data() + graph_.first_edge(f), static_cast<std::size_t>(graph_.factor(f).arity())};
  }

 private:
  /// From scratch once in an iteration, so that rounding errors of the updates do not pile up.
  void sum_up() {
    for (int i = 0; i < graph_.variables(); ++i) {
      totals_[i] = {};
      totals_[i].add(graph_.scores()[i]);
      for (const int e : incidence_.edges_of(i)) totals_[i].add(messages_[e]);
      feasible_ = feasible_ && !totals_[i].contradicts();
    }
    for (int f = 0; f < graph_.factors(); ++f) {
      if (!sends(f)) feasible_ = feasible_ && log_sum(f, -1, Product::max) != -HUGE_VAL && required_values(f) <= 1;
    }
  }

  /// All but the XOR factors of multi-valued variables.
  bool sends(int f) const { return graph_.values_of(graph_.edge(graph_.first_edge(f)).variable) != f; }

  int required_values(int f) const {
    int count = 0;
    for (int e = graph_.first_edge(f); e < graph_.first_edge(f + 1); ++e) {
      count += totals_[graph_.edge(e).variable].plus > 0 ? 1 : 0;
    }
    return count;
  }

  /// Of the log-weights of the values of XOR factor f without that of variable `without`; for max, the largest.
  double log_sum(int f, int without, Product product) const {
    double sum = -HUGE_VAL;
    for (int e = graph_.first_edge(f); e < graph_.first_edge(f + 1); ++e) {
      const int i = graph_.edge(e).variable;
      if (i == without) continue;
      const double w = totals_[i].value();
      sum = product == Product::sum ? factor::log_add(sum, w) : std::max(sum, w);
    }
    return sum;
  }

  /// Log-ratio of a variable: its log-weight, and if it is a value of a multi-valued variable, against the other
  /// values.
  double against_other_values(int i, double own) const {
    const int f = graph_.values_of(i);
    if (f < 0 || own == -HUGE_VAL) return own;
    const double others = log_sum(f, i, options_.product);
    return others == HUGE_VAL ? -HUGE_VAL : own - others;
  }

  /// On value edges, from e on, the log-weights that the factor gives the values, the largest 0: from the log-ratio o
  /// of a value against the others, the log of its share, less what the factor was told. Returns the edge after them.
  int make_value_messages(int e) {
    const int end = e + graph_.factor(graph_.values_of(graph_.edge(e).variable)).arity();
    double largest = -HUGE_VAL;
    for (int k = e; k < end; ++k) {
      const double o = q_[k] + fresh_[k];
      const double share = options_.product == Product::sum ? -factor::softplus(-o) : std::min(o, 0.0);
      fresh_[k] = is_infinite(q_[k]) ? -HUGE_VAL : share - q_[k];
      largest = std::max(largest, fresh_[k]);
    }
    for (int k = e; k < end; ++k) fresh_[k] = is_infinite(q_[k]) || largest == -HUGE_VAL ? 0.0 : fresh_[k] - largest;
    return end;
  }

  std::span<double> outgoing(int f) {
    return {fresh_.data() + graph_.first_edge(f), static_cast<std::size_t>(graph_.factor(f).arity())};
  }

  /// New messages of factor f into fresh_, in the variables' orientation.
  void compute(int f) {
    const auto q = gather(f);
    const auto out = outgoing(f);
    const Factor& factor = graph_.factor(f);
    const double z =
        options_.product == Product::sum ? factor.sum_product(q, out).log_partition : factor.max_product(q, out);
    if (z == -HUGE_VAL || !feasible_) {
      feasible_ = false;
      return;
    }
    for (int e = graph_.first_edge(f); e < graph_.first_edge(f + 1);) {
      if (graph_.is_value_edge(e)) {
        e = make_value_messages(e);
      } else {
        fresh_[e] = oriented(graph_.edge(e), fresh_[e]);
        ++e;
      }
    }
  }

  /// Sends fresh_[e]; returns how much it differs from the message before.
  double send(int e) {
    const double difference = change(messages_[e], fresh_[e]);
    double next = fresh_[e];
    if (options_.damping > 0.0 && !is_infinite(next) && !is_infinite(messages_[e])) {
      next += options_.damping * (messages_[e] - next);
    }
    Total& total = totals_[graph_.edge(e).variable];
    total.remove(messages_[e]);
    total.add(next);
    messages_[e] = next;
    return difference;
  }

  double send_all(int f) {
    double largest = 0.0;
    for (int e = graph_.first_edge(f); e < graph_.first_edge(f + 1); ++e) largest = std::max(largest, send(e));
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
    for (int f = 0; f < graph_.factors() && feasible_; ++f) {
      if (sends(f)) compute(f);
    }
    for (int f = 0; f < graph_.factors() && feasible_; ++f) {
      if (sends(f)) largest = std::max(largest, send_all(f));
    }
    return largest;
  }

  double sweep() {
    double largest = 0.0;
    for (int f = 0; f < graph_.factors() && feasible_; ++f) {
      if (!sends(f)) continue;
      compute(f);
      if (feasible_) largest = std::max(largest, send_all(f));
    }
    return largest;
  }

  double update_by_residual() {
    for (int updates = 0; updates < graph_.factors() && feasible_ && heap_.highest() > options_.tolerance; ++updates) {
      const int f = heap_.top();
      compute(f);
      heap_.lower(f, 0.0);
      for (int e = graph_.first_edge(f); e < graph_.first_edge(f + 1) && feasible_; ++e) {
        const double difference = send(e);
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
    for (const int e : incidence_.edges_of(i)) {
      const int other = incidence_.factor_of(e);
      if (other != f && sends(other)) heap_.raise(other, difference);
    }
  }

  const FactorGraph& graph_;
  const BpOptions& options_;
  Incidence incidence_;
  Messages messages_;
  std::vector<double> fresh_, q_;
  std::vector<Total> totals_;
  factor::Heap heap_;
  bool feasible_ = true;
};

void check_options(const FactorGraph& graph, const BpOptions& options) {
  if (!(options.damping >= 0.0 && options.damping < 1.0)) core::input_error("solve_bp", "damping: not in [0, 1)");
  if (!(options.tolerance >= 0.0)) core::input_error("solve_bp", "tolerance: negative or not a number");
  if (options.max_iterations < 0) core::input_error("solve_bp", "max_iterations: negative");
  if (!options.start.empty() && static_cast<int>(options.start.size()) != graph.edges()) {
    core::input_error("solve_bp", "start: " + std::to_string(options.start.size()) + " messages for " +
                                      std::to_string(graph.edges()) + " edges");
  }
  for (const double m : options.start) {
    if (std::isnan(m)) core::input_error("solve_bp", "start: not a number");
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
  if (factor < 0 || factor >= graph.factors()) core::input_error("factor_belief", "factor: not in the graph");
  const Factor& own = graph.factor(factor);
  const auto arity = static_cast<std::size_t>(own.arity());
  if (arity > Factor::kEnumerable) core::input_error("factor_belief", "factor: too many inputs to list");
  BpOptions options;
  options.start = result.messages;
  check_options(graph, options);
  Propagation propagation(graph, options);
  const auto q = propagation.gather(factor);
  std::vector<double> belief(std::size_t{1} << arity);
  std::vector<std::uint8_t> y(arity);
  for (std::size_t e = 0; e < belief.size(); ++e) {
    for (std::size_t i = 0; i < arity; ++i) y[i] = static_cast<std::uint8_t>((e >> (arity - 1 - i)) & 1);
    belief[e] = own.score(y);
    for (std::size_t i = 0; i < arity; ++i) {
      if (is_infinite(q[i]) && (q[i] > 0.0) != (y[i] != 0)) belief[e] = -HUGE_VAL;
      if (y[i]) belief[e] += factor::finite_part(q[i]);
    }
  }
  const double highest = *std::max_element(belief.begin(), belief.end());
  if (highest == -HUGE_VAL) core::input_error("factor_belief", "the messages contradict each other");
  double sum = 0.0;
  for (double& b : belief) sum += b = std::exp(b - highest);
  for (double& b : belief) b /= sum;
  return belief;
}

}  // namespace kirchhoff
