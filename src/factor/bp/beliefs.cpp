// Messages of belief propagation [Martins10, eqs. 4-7] as log-ratios, one number for each edge, kept with their sums at
// the variables: what a variable tells a factor is the sum without the factor's own message. The values of a
// multi-valued variable are taken together: their XOR sends nothing, and log-weights take the place of log-ratios.
#include "factor/bp/beliefs.hpp"

#include <algorithm>

namespace kirchhoff::factor {
namespace {

double change(double from, double to) {
  return from == to ? 0.0 : std::abs(numeric::sigmoid(from) - numeric::sigmoid(to));
}

}  // namespace

Beliefs::Beliefs(const FactorGraph& graph, const BpOptions& options)
    : graph_(graph),
      product_(options.product),
      damping_(options.damping),
      incidence_(graph),
      messages_(options.start.empty() ? Messages(graph.edges(), 0.0) : options.start),
      fresh_(graph.edges()),
      q_(graph.edges()),
      totals_(graph.variables()) {
  for (int f = 0; f < graph.factors(); ++f) {
    if (sends(f)) continue;
    std::fill(messages_.begin() + graph.first_edge(f), messages_.begin() + graph.first_edge(f + 1), 0.0);
  }
  sum_up();
}

void Beliefs::sum_up() {
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

int Beliefs::required_values(int f) const {
  int count = 0;
  for (int e = graph_.first_edge(f); e < graph_.first_edge(f + 1); ++e) {
    count += totals_[graph_.edge(e).variable].plus > 0 ? 1 : 0;
  }
  return count;
}

/// Of the log-weights of the values of XOR factor f without that of variable `without`; for max, the largest.
double Beliefs::log_sum(int f, int without, Product product) const {
  double sum = -HUGE_VAL;
  for (int e = graph_.first_edge(f); e < graph_.first_edge(f + 1); ++e) {
    const int i = graph_.edge(e).variable;
    if (i == without) continue;
    const double w = totals_[i].value();
    sum = product == Product::sum ? numeric::log_add(sum, w) : std::max(sum, w);
  }
  return sum;
}

/// Log-ratio of a variable: its log-weight, and if it is a value of a multi-valued variable, against the other
/// values.
double Beliefs::against_other_values(int i, double own) const {
  const int f = graph_.values_of(i);
  if (f < 0 || own == -HUGE_VAL) return own;
  const double others = log_sum(f, i, product_);
  return others == HUGE_VAL ? -HUGE_VAL : own - others;
}

std::span<const double> Beliefs::gather(int f) {
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

/// On value edges, from e on, the log-weights that the factor gives the values, the largest 0: from the log-ratio o
/// of a value against the others, the log of its share, less what the factor was told. Returns the edge after them.
int Beliefs::make_value_messages(int e) {
  const int end = e + graph_.factor(graph_.values_of(graph_.edge(e).variable)).arity();
  double largest = -HUGE_VAL;
  for (int k = e; k < end; ++k) {
    const double o = q_[k] + fresh_[k];
    const double share = product_ == Product::sum ? -numeric::softplus(-o) : std::min(o, 0.0);
    fresh_[k] = numeric::is_infinite(q_[k]) ? -HUGE_VAL : share - q_[k];
    largest = std::max(largest, fresh_[k]);
  }
  for (int k = e; k < end; ++k)
    fresh_[k] = numeric::is_infinite(q_[k]) || largest == -HUGE_VAL ? 0.0 : fresh_[k] - largest;
  return end;
}

void Beliefs::compute(int f) {
  const auto q = gather(f);
  const auto out = outgoing(f);
  const Factor& factor = graph_.factor(f);
  const double z = product_ == Product::sum ? factor.sum_product(q, out).log_partition : factor.max_product(q, out);
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

double Beliefs::send(int e) {
  const double difference = change(messages_[e], fresh_[e]);
  double next = fresh_[e];
  if (damping_ > 0.0 && !numeric::is_infinite(next) && !numeric::is_infinite(messages_[e])) {
    next += damping_ * (messages_[e] - next);
  }
  Total& total = totals_[graph_.edge(e).variable];
  total.remove(messages_[e]);
  total.add(next);
  messages_[e] = next;
  return difference;
}

}  // namespace kirchhoff::factor
