// Messages of belief propagation [Martins10, eqs. 4-7], one number for each edge, kept with their sums at the
// variables: what a variable tells a factor is the sum without the factor's own message. A variable of k values is one
// variable with k sums. A factor that holds it as a whole is told them, and answers with k log-weights; a factor that
// has only one of its values is told the ratio of that value to the sum of the others.
#include "factor/bp/beliefs.hpp"

#include "factor/factors/factors.hpp"
#include "factor/graph/value_messages.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace kirchhoff::factor {
namespace {

/// A message changes by so much, relative to what its factor was told, for no other reason than rounding.
constexpr double kNoise = 8.0 * std::numeric_limits<double>::epsilon();

double log_ratio(double own, double others) {
  return own == -HUGE_VAL || others == HUGE_VAL ? -HUGE_VAL : own - others;
}

}  // namespace

Beliefs::Beliefs(const FactorGraph& graph, const BpOptions& options, std::vector<double> counting)
    : graph_(graph),
      product_(options.product),
      damping_(options.damping),
      harmless_constant_(options.convergence == Convergence::beliefs ? 1e6 : 0.0),
      incidence_(graph),
      counting_(std::move(counting)),
      messages_(options.start.empty() ? Messages(graph.edges(), 0.0) : options.start),
      fresh_(graph.edges()),
      q_(graph.edges()),
      log_partitions_(graph.factors(), 0.0),
      noise_(graph.factors(), 0.0),
      totals_(graph.variables()) {
  has_certain_ = std::any_of(messages_.begin(), messages_.end(), [](double m) { return numeric::is_infinite(m); });
  find_silent_factors();
  find_whole_variables();
  sum_up();
}

void Beliefs::find_whole_variables() {
  holds_.assign(graph_.factors(), Holds::none);
  for (int f = 0; f < graph_.factors(); ++f) {
    const Factor::OneHot groups = graph_.factor(f).one_hot();
    std::size_t whole = 0;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      whole += incidence_.is_whole(graph_.first_edge(f) + groups[g][0]) ? 1 : 0;
    }
    if (whole > 0) holds_[f] = whole == groups.size() ? Holds::all : Holds::some;
  }
}

void Beliefs::find_silent_factors() {
  for (int f = 0; f < graph_.factors(); ++f) {
    const int first = graph_.first_edge(f), end = graph_.first_edge(f + 1);
    if (!incidence_.is_whole(first) || dynamic_cast<const OneFactor*>(&graph_.factor(f)) == nullptr) continue;
    if (silent_.empty()) silent_.resize(graph_.factors(), 0);
    silent_[f] = 1;
    std::fill(messages_.begin() + first, messages_.begin() + end, 0.0);
  }
}

void Beliefs::sum_up() {
  for (int i = 0; i < graph_.variables(); ++i) {
    totals_[i] = {};
    totals_[i].add(graph_.scores()[i]);
    for (const int e : incidence_.edges_of(i)) totals_[i].add(counted(e, messages_[e]));
    feasible_ = feasible_ && !totals_[i].contradicts();
  }
  for (int i = 0; i < graph_.variables(); i = incidence_.values_of(i).end) {
    if (incidence_.is_multi_valued(i)) feasible_ = feasible_ && can_have_a_value(incidence_.values_of(i));
  }
}

/// Some value is possible, and no two are required.
bool Beliefs::can_have_a_value(Incidence::Values values) const {
  int possible = 0, required = 0;
  for (int i = values.first; i < values.end; ++i) {
    possible += totals_[i].value() != -HUGE_VAL ? 1 : 0;
    required += totals_[i].plus > 0 ? 1 : 0;
  }
  return possible > 0 && required <= 1;
}

Beliefs::Others Beliefs::others_of(Incidence::Values values) const {
  Others result;
  for (int k = values.first; k < values.end; ++k) {
    const double weight = totals_[k].value();
    if (result.top < 0 || weight > result.largest) {
      result.second = result.top < 0 ? -HUGE_VAL : result.largest;
      result.largest = weight;
      result.top = k;
    } else {
      result.second = std::max(result.second, weight);
    }
  }
  if (product_ == Product::max || numeric::is_infinite(result.second)) return result;
  for (int k = values.first; k < values.end; ++k) {
    if (k != result.top) result.rest += std::exp(totals_[k].value() - result.second);
  }
  return result;
}

/// The logarithm of the weights of the other values of i's variable; for max-product, of the largest of them. What is
/// subtracted is never the largest weight, so that at least half of what it is subtracted from remains.
double Beliefs::log_sum_of_others(const Others& all, int i) const {
  const double largest = i == all.top ? all.second : all.largest;
  if (product_ == Product::max || numeric::is_infinite(largest) || all.second == -HUGE_VAL) return largest;
  if (i == all.top) return all.second + std::log(all.rest);
  const double rest = std::max(0.0, all.rest - std::exp(totals_[i].value() - all.second));
  return all.largest + std::log1p(rest * std::exp(all.second - all.largest));
}

void Beliefs::write_log_odds(std::span<double> odds) const {
  for (int i = 0; i < graph_.variables();) {
    if (!incidence_.is_multi_valued(i)) {
      odds[i] = totals_[i].value();
      ++i;
      continue;
    }
    const Incidence::Values values = incidence_.values_of(i);
    const Others all = others_of(values);
    for (; i < values.end; ++i) odds[i] = log_ratio(totals_[i].value(), log_sum_of_others(all, i));
  }
}

void Beliefs::write_marginals(std::span<double> p) const {
  if (product_ == Product::max) {
    write_log_odds(p);
    for (double& x : p) x = numeric::sigmoid(x);
    return;
  }
  for (int i = 0; i < graph_.variables();) {
    const Incidence::Values values = incidence_.values_of(i);
    if (!incidence_.is_multi_valued(i)) {
      p[i] = numeric::sigmoid(totals_[i].value());
      ++i;
      continue;
    }
    double largest = -HUGE_VAL, sum = 0.0;
    for (; i < values.end; ++i) largest = std::max(largest, totals_[i].value());
    for (i = values.first; i < values.end; ++i) {
      const double own = totals_[i].value();
      sum += p[i] = own == largest ? 1.0 : std::exp(own - largest);
    }
    for (i = values.first; i < values.end; ++i) p[i] /= sum;
  }
}

double Beliefs::log_partition_of_variables() const {
  double log_z = 0.0;
  for (int i = 0; i < graph_.variables();) {
    const Incidence::Values values = incidence_.values_of(i);
    if (!incidence_.is_multi_valued(i)) {
      log_z += (1 - incidence_.degree(i)) * numeric::softplus(totals_[i].value());
      ++i;
      continue;
    }
    double largest = -HUGE_VAL, sum = 0.0;
    int messages = 0;
    for (; i < values.end; ++i) {
      largest = std::max(largest, totals_[i].value());
      for (const int e : incidence_.edges_of(i)) messages += i == values.first || !incidence_.is_whole(e) ? 1 : 0;
    }
    for (i = values.first; i < values.end; ++i) sum += std::exp(totals_[i].value() - largest);
    log_z += (1 - messages) * (largest + std::log(sum));
  }
  return log_z;
}

std::span<const double> Beliefs::gather(int f) {
  log_divisor_ = 0.0;
  Others all;
  int all_of = -1;  // the first value of the variable that `all` is of
  for (int e = graph_.first_edge(f); e < graph_.first_edge(f + 1); ++e) {
    const Literal literal = graph_.edge(e);
    const Total total = without(e);
    feasible_ = feasible_ && !total.contradicts();
    const double own = total.value();
    if (incidence_.is_whole(e)) {
      q_[e] = own;
      continue;
    }
    double others = 0.0;
    if (incidence_.is_multi_valued(literal.variable)) {
      const Incidence::Values values = incidence_.values_of(literal.variable);
      if (values.first != all_of) all = others_of(values);
      all_of = values.first;
      others = log_sum_of_others(all, literal.variable);
    }
    const double ratio = log_ratio(own, others);
    q_[e] = oriented(literal, ratio);
    log_divisor_ += numeric::is_infinite(ratio) ? (ratio > 0.0 ? own : others) : literal.negated ? own : others;
  }
  return {q_.data() + graph_.first_edge(f), static_cast<std::size_t>(graph_.factor(f).arity())};
}

/// Messages with log-weights on the edges that hold a variable as a whole; returns log Z or the best value.
double Beliefs::answer(int f, std::span<const double> q, std::span<double> messages) const {
  const Factor& factor = graph_.factor(f);
  const bool sums = product_ == Product::sum;
  if (holds_[f] == Holds::all) {
    return sums ? factor.sum_product_of_values(q, messages).log_partition : factor.max_product_of_values(q, messages);
  }
  const double z = sums ? factor.sum_product(q, messages).log_partition : factor.max_product(q, messages);
  if (holds_[f] == Holds::none) return z;
  const Factor::OneHot groups = factor.one_hot();
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (incidence_.is_whole(graph_.first_edge(f) + groups[g][0])) to_log_weights(groups[g], product_, q, messages);
  }
  return z;
}

void Beliefs::compute(int f) {
  const auto q = gather(f);
  const double z = answer(f, q, outgoing(f));
  double largest = 0.0;
  for (const double x : q) largest = std::max(largest, std::abs(numeric::finite_part(x)));
  noise_[f] = kNoise * largest;
  log_partitions_[f] = z + log_divisor_;
  if (z == -HUGE_VAL || !feasible_) {
    feasible_ = false;
    return;
  }
  for (int e = graph_.first_edge(f); e < graph_.first_edge(f + 1); ++e) fresh_[e] = oriented(graph_.edge(e), fresh_[e]);
  if (has_certain_) keep_certain_messages(f);
  if (holds_[f] != Holds::none) normalise_whole_messages(f);
}

/// Of an input that others have fixed a factor need not say again that it is fixed. Two that both took it back would
/// say so in every other iteration.
void Beliefs::keep_certain_messages(int f) {
  for (int e = graph_.first_edge(f); e < graph_.first_edge(f + 1); ++e) {
    const bool was_certain = numeric::is_infinite(messages_[e]) && numeric::is_infinite(q_[e]);
    if (was_certain && !numeric::is_infinite(fresh_[e])) fresh_[e] = messages_[e];
  }
}

/// Log-weights of values are known up to a constant. Where several factors hold a variable as a whole, their constants
/// would grow from iteration to iteration, so the largest log-weight becomes 0; a constant that is not large is left
/// alone where only beliefs are looked at. A value that others exclude or require keeps its message: what the factor
/// says now is only what it was told.
void Beliefs::normalise_whole_messages(int f) {
  const Factor::OneHot groups = graph_.factor(f).one_hot();
  const int first = graph_.first_edge(f);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (!incidence_.is_whole(first + groups[g][0])) continue;
    double largest = -HUGE_VAL;
    bool required = false;
    for (const int k : groups[g]) {
      required = required || q_[first + k] == HUGE_VAL;
      if (!numeric::is_infinite(q_[first + k])) largest = std::max(largest, fresh_[first + k]);
    }
    const bool shifts = !numeric::is_infinite(largest) && std::abs(largest) > harmless_constant_;
    for (const int k : groups[g]) {
      double& message = fresh_[first + k];
      if (required || q_[first + k] == -HUGE_VAL) {
        message = messages_[first + k];
      } else if (shifts) {
        message -= largest;
      }
    }
  }
}

void Beliefs::send(int e) {
  double next = fresh_[e];
  if (damping_ > 0.0 && !numeric::is_infinite(next) && !numeric::is_infinite(messages_[e])) {
    next += damping_ * (messages_[e] - next);
  }
  if (numeric::is_infinite(next)) {
    has_certain_ = true;
  } else {
    largest_ = std::max(largest_, std::abs(next));
  }
  Total& total = totals_[graph_.edge(e).variable];
  total.remove(counted(e, messages_[e]));
  total.add(counted(e, next));
  messages_[e] = next;
}

}  // namespace kirchhoff::factor
