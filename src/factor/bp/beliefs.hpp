// The messages of belief propagation and the beliefs that they add up to.
#pragma once

#include "factor/graph/incidence.hpp"
#include "numeric/sum.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace kirchhoff::factor {

/// A sum of log-ratios of which any one can be taken out again: infinite ones are counted apart, and beside large ones
/// no digits of small ones are lost.
struct Total {
  numeric::Sum finite;
  int plus = 0;
  int minus = 0;

  void add(double x) {
    if (numeric::is_infinite(x)) {
      ++(x > 0.0 ? plus : minus);
    } else {
      finite.add(x);
    }
  }
  void remove(double x) {
    if (numeric::is_infinite(x)) {
      --(x > 0.0 ? plus : minus);
    } else {
      finite.add(-x);
    }
  }
  bool contradicts() const { return plus > 0 && minus > 0; }
  double value() const { return plus > 0 ? HUGE_VAL : minus > 0 ? -HUGE_VAL : finite.value(); }
};

class Beliefs {
 public:
  /// `counting` has how often each factor counts (counting.hpp), or is empty when all count once.
  Beliefs(const FactorGraph& graph, const BpOptions& options, std::vector<double> counting = {});

  const Messages& messages() const { return messages_; }
  const Incidence& incidence() const { return incidence_; }
  /// True while no factor has been left without a configuration.
  bool feasible() const { return feasible_; }
  /// False for an XOR over all the values of one variable: it says nothing that the variable does not know.
  bool sends(int f) const { return silent_.empty() || silent_[f] == 0; }

  /// Writes the log-ratio of each binary variable, and of each value against the others, in linear time.
  void write_log_odds(std::span<double> odds) const;
  /// Writes the probability of each variable being 1.
  void write_marginals(std::span<double> p) const;
  /// The sum over variables of (1 - d) log Z, with d the number of messages to the variable and Z the sum of its
  /// values' weights: the variables' part of Bethe's log Z.
  double log_partition_of_variables() const;

  /// Sums up messages from scratch, once in an iteration, so that rounding errors of the updates do not pile up.
  void sum_up();
  /// What factor f is told: log-ratios of its inputs, and log-weights where it holds a variable as a whole.
  std::span<const double> gather(int f);
  /// The logarithm of what the last gather() divided the weights by to make ratios of them.
  double log_divisor() const { return log_divisor_; }
  /// Storage for what factor f answers.
  std::span<double> outgoing(int f) {
    return {fresh_.data() + graph_.first_edge(f), static_cast<std::size_t>(graph_.factor(f).arity())};
  }
  /// Computes the factor's new messages, in the variables' orientation, which send() sends.
  void compute(int f);
  /// The log Z of factor f when its messages were computed last, what was divided out included.
  double log_partition_of(int f) const { return log_partitions_[f]; }
  void send(int e);
  /// By how much send() is going to change the message.
  double difference(int e) const {
    const double from = messages_[e], to = fresh_[e];
    return from == to ? 0.0 : std::abs(from - to);
  }
  /// The same less what rounding alone may do.
  double difference_beyond_rounding(int e) const {
    return std::max(0.0, difference(e) - noise_[incidence_.factor_of(e)]);
  }
  /// By how much a message that differs so much could change a probability, whatever else is known of it.
  static double change(double difference) { return std::tanh(0.25 * difference); }
  /// The size of the largest message sent so far, but for infinite ones.
  double largest_message() const { return largest_; }

 private:
  /// The weights of all the values of a variable, so added up that any one of them can be left out.
  struct Others {
    int top = -1;  ///< the value with the largest log-weight
    double largest = -HUGE_VAL;
    double second = -HUGE_VAL;  ///< the largest log-weight but for that of `top`
    double rest = 0.0;          ///< the sum of all weights but that of `top`, relative to the second
  };

  /// How many of the variables whose values a factor has it holds as a whole.
  enum class Holds : char { none, some, all };

  void find_silent_factors();
  void find_whole_variables();
  /// What the variable is told by all but edge e.
  Total without(int e) const {
    Total total = totals_[graph_.edge(e).variable];
    total.remove(messages_[e]);  // once, however often it counts
    return total;
  }
  /// A message as it counts in the sums at its variable.
  double counted(int e, double message) const {
    return counting_.empty() ? message : counting_[incidence_.factor_of(e)] * message;
  }
  Others others_of(Incidence::Values values) const;
  double log_sum_of_others(const Others& all, int i) const;
  bool can_have_a_value(Incidence::Values values) const;
  void keep_certain_messages(int f);
  void normalise_whole_messages(int f);
  double answer(int f, std::span<const double> q, std::span<double> messages) const;

  const FactorGraph& graph_;
  Product product_;
  double damping_;
  double harmless_constant_;  ///< Constants in log-weights up to this size are left alone.
  Incidence incidence_;
  std::vector<double> counting_;
  Messages messages_;
  std::vector<double> fresh_, q_, log_partitions_;
  std::vector<double> noise_;  ///< by factor: what rounding alone may change its messages by
  std::vector<Total> totals_;
  std::vector<char> silent_;  ///< by factor; empty when there is none
  std::vector<Holds> holds_;  ///< by factor
  double log_divisor_ = 0.0;
  double largest_ = 0.0;
  bool has_certain_ = false;  ///< whether a message has been infinite
  bool feasible_ = true;
};

}  // namespace kirchhoff::factor
