// Derivatives of Z with respect to weights, of any order [ZmigrodW21, theorem 2].
//
// For transitions t = (i -> j) it is the sum over permutations of s_i1 W*_j1i2 ... e_jm. In the chain's terms, with
// s_i = Z visits_i / e_i and W*_jk = P*_jk e_j / e_k, every permutation has the factor Z prod_t e_j / e_i, and what is
// left is visits_i1 P*_j1i2 ... P*_j(m-1)im. OrderSums sums over the permutations. Where a transition of weight 0 may
// lead to states that no trajectory visits, s, W* and e themselves come from AllStates.
#include "base/check.hpp"
#include "base/stop.hpp"
#include "kirchhoff/wfsm_derivatives.hpp"
#include "wfsm/derivatives/transition_walk.hpp"
#include "wfsm/derivatives/visits.hpp"

#include <algorithm>
#include <cmath>

namespace kirchhoff {
namespace {

using numeric::Extended;
using wfsm::chain_of;
using wfsm::machine_of;
using wfsm::MarkovChain;
using wfsm::TrimGraph;

constexpr int kMaxOrder = 16;

/// Returns x if it is finite, else throws InputError.
double checked(const char* function, double x) {
  if (std::isfinite(x)) return x;
  base::input_error(function, "a derivative is beyond the range of doubles");
}
double checked(const char* function, const wfsm::WalkSum& x) { return wfsm::as_double(function, x); }

Extended ratio(const MarkovChain& chain, int from, int to) { return chain.total()[to] / chain.total()[from]; }

using wfsm::scaled;

wfsm::WalkSum scaled_derivative(const char* function, const Wfsm& machine, const std::vector<int>& transitions) {
  const MarkovChain& chain = chain_of(machine);
  wfsm::TransitionWalk walk(function, machine, transitions);
  const bool all_states = wfsm::needs_all_states(machine);
  if (all_states) {
    walk.follow_weights(machine);
  } else {
    walk.follow_chain(machine, [&](int t) {
      const wfsm::Ends ends = wfsm::ends_of(machine_of(machine), chain.graph(), t);
      return ratio(chain, ends.from, ends.to);
    });
  }
  const wfsm::OrderSums sums = walk.sums();
  wfsm::WalkSum result = sums.sum(sums.contents() - 1);
  if (!all_states) result.value = result.value * chain.total()[0];
  for (const auto& used : sums.used()) result.value = result.value * wfsm::factorial(used.count);
  return result;
}

/// The walk of all transitions, as tables.
template <class T>
struct WalkTables {
  using Scalar = T;
  std::size_t size = 0;
  std::vector<T> firsts, lasts, links;

  explicit WalkTables(std::size_t transitions) : size(transitions), firsts(size), lasts(size), links(size * size) {}
  const T& first(std::size_t t) const { return firsts[t]; }
  const T& last(std::size_t t) const { return lasts[t]; }
  const T& link(std::size_t a, std::size_t b) const { return links[a * size + b]; }
};

WalkTables<double> tables_of_chain(const Wfsm& machine, const Stop& stop) {
  const MarkovChain& chain = chain_of(machine);
  const Matrix visits = wfsm::all_visits(chain, stop);
  WalkTables<double> tables(machine.transitions().size());
  std::fill(tables.lasts.begin(), tables.lasts.end(), 1.0);
  std::vector<wfsm::Ends> ends;
  for (std::size_t t = 0; t < tables.size; ++t) {
    ends.push_back(wfsm::ends_of(machine_of(machine), chain.graph(), static_cast<int>(t)));
  }
  for (std::size_t b = 0; b < tables.size; ++b) {
    if (!ends[b].useful()) continue;
    const Extended r = ratio(chain, ends[b].from, ends[b].to);
    const Extended s = chain.total()[0] * scaled(chain.visits()[ends[b].from]) * r;
    tables.firsts[b] = numeric::power(s.m, s.e);
    for (std::size_t a = 0; a < tables.size; ++a) {
      if (ends[a].useful()) {
        tables.links[a * tables.size + b] = visits(ends[a].to, ends[b].from) * numeric::power(r.m, r.e);
      }
    }
  }
  return tables;
}

WalkTables<wfsm::WalkSum> tables_of_weights(const Wfsm& machine, const Stop& stop) {
  const wfsm::AllStates all(machine_of(machine));
  WalkTables<wfsm::WalkSum> tables(machine.transitions().size());
  const auto ends = [&](std::size_t t) { return wfsm::ends_of(machine_of(machine), all.graph(), static_cast<int>(t)); };
  for (std::size_t a = 0; a < tables.size; ++a) {
    base::check_stop(stop);
    tables.firsts[a] = all.starts()[ends(a).from];
    tables.lasts[a] = all.ends()[ends(a).to];
    const std::vector<wfsm::WalkSum> row = all.from(ends(a).to);
    for (std::size_t b = 0; b < tables.size; ++b) tables.links[a * tables.size + b] = row[ends(b).from];
  }
  return tables;
}

double times(double x, double c) { return x * c; }
wfsm::WalkSum times(const wfsm::WalkSum& x, double c) { return {x.value * Extended::of(c, 0), x.infinite}; }

/// All derivatives of one order: each multiset of transitions is computed once, then written wherever its orders stand.
template <class Tables>
class DerivativeTensor {
 public:
  DerivativeTensor(const Tables& tables, int order, const Stop& stop)
      : size_(tables.size), order_(order), stop_(stop), sums_(tables, order) {
    values.resize(static_cast<std::size_t>(std::llround(std::pow(size_, order))));
    tuple_.assign(order, 0);
    fill(0);
  }
  std::vector<double> values;

 private:
  /// Goes through the tuples in ascending order; those with the same beginning share its sums.
  void fill(int position) {
    if (position == order_) return store();
    for (std::size_t t = position == 0 ? 0 : tuple_[position - 1]; t < size_; ++t) {
      tuple_[position] = t;
      sums_.push(t);
      fill(position + 1);
      sums_.pop();
    }
  }
  void store() {
    base::check_stop(stop_);
    auto sum = sums_.sum(sums_.contents() - 1);
    for (const auto& used : sums_.used()) sum = times(sum, std::tgamma(static_cast<double>(used.count) + 1.0));
    const double value = checked("derivatives", sum);
    std::vector<std::size_t> order = tuple_;
    do {
      std::size_t index = 0;
      for (const std::size_t t : order) index = index * size_ + t;
      values[index] = value;
    } while (std::next_permutation(order.begin(), order.end()));
  }

  std::size_t size_;
  int order_;
  const Stop& stop_;
  std::vector<std::size_t> tuple_;
  wfsm::OrderSums<Tables> sums_;
};

/// Calls visit(place, where it leads from, where to) for all places of which the graph has both.
template <class Visit>
void for_each_place(const wfsm::Machine& machine, const TrimGraph& graph, Visit visit) {
  for (int place = 0; place < machine.places(); ++place) {
    const wfsm::Ends ends = wfsm::ends_of(machine, graph, place);
    if (ends.useful()) visit(place, ends.from, ends.to);
  }
}

std::vector<double> gradient_of_weights(const wfsm::Machine& machine) {
  const wfsm::AllStates all(machine);
  std::vector<double> result(machine.places(), 0.0);
  for_each_place(machine, all.graph(), [&](int place, int from, int to) {
    result[place] = checked("gradient", all.starts()[from] * all.ends()[to]);
  });
  return result;
}

/// The Hessian times a vector that is not negative.
std::vector<double> times_hessian(const wfsm::Machine& machine, const wfsm::AllStates& all,
                                  const std::vector<double>& v) {
  std::vector<wfsm::WalkSum> before(all.graph().nodes()), after = before;
  for_each_place(machine, all.graph(), [&](int place, int from, int to) {
    if (v[place] == 0.0) return;
    before[to] = before[to] + times(all.starts()[from], v[place]);
    after[from] = after[from] + times(all.ends()[to], v[place]);
  });
  before = all.forward(std::move(before));
  after = all.backward(std::move(after));
  std::vector<double> result(v.size(), 0.0);
  for_each_place(machine, all.graph(), [&](int place, int from, int to) {
    result[place] = checked("hessian_vector", all.starts()[from] * after[to] + before[from] * all.ends()[to]);
  });
  return result;
}

std::vector<double> times_hessian_of_weights(const wfsm::Machine& machine, const std::vector<double>& v) {
  const wfsm::AllStates all(machine);
  std::vector<double> positive = v, negative = v;
  for (double& x : positive) x = std::max(x, 0.0);
  for (double& x : negative) x = std::max(-x, 0.0);
  std::vector<double> result = times_hessian(machine, all, positive);
  const std::vector<double> less = times_hessian(machine, all, negative);
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (std::isinf(result[i]) && std::isinf(less[i])) {
      base::input_error("hessian_vector", "a sum of derivatives is the difference of two that are infinite");
    }
    result[i] -= less[i];
  }
  return result;
}

}  // namespace

WfsmWeights gradient(const Wfsm& machine) {
  const wfsm::Machine& m = machine_of(machine);
  if (wfsm::gradient_needs_all_states(machine)) return wfsm::unflatten(m, gradient_of_weights(m));
  const MarkovChain& chain = chain_of(machine);
  std::vector<double> result(m.places(), 0.0);
  for_each_place(m, chain.graph(), [&](int place, int from, int to) {
    const Extended d = chain.total()[0] * scaled(chain.visits()[from]) * ratio(chain, from, to);
    result[place] = checked("gradient", numeric::power(d.m, d.e));
  });
  return wfsm::unflatten(m, result);
}

WfsmWeights hessian_vector(const Wfsm& machine, const WfsmWeights& direction) {
  const wfsm::Machine& m = machine_of(machine);
  const std::vector<double> v = wfsm::flatten("hessian_vector", machine, direction);
  if (wfsm::gradient_needs_all_states(machine)) return wfsm::unflatten(m, times_hessian_of_weights(m, v));
  const MarkovChain& chain = chain_of(machine);
  const TrimGraph& g = chain.graph();
  std::vector<double> before(g.nodes(), 0.0), after(g.nodes(), 0.0), ratios(v.size());
  for_each_place(m, g, [&](int place, int from, int to) {
    const Extended r = ratio(chain, from, to);
    ratios[place] = numeric::power(r.m, r.e);
    const double x = v[place] == 0.0 ? 0.0 : v[place] * ratios[place];
    before[to] += chain.visits()[from] * x;
    after[from] += x;
  });
  chain.forward(before.data());
  chain.backward(after.data());
  const double z = numeric::power(chain.total()[0].m, chain.total()[0].e);
  std::vector<double> result(v.size(), 0.0);
  for_each_place(m, g, [&](int place, int from, int to) {
    const double sum = chain.visits()[from] * after[to] + before[from];
    result[place] = sum == 0.0 ? 0.0 : checked("hessian_vector", z * (ratios[place] * sum));
  });
  return wfsm::unflatten(m, result);
}

double log_derivative(const Wfsm& machine, const std::vector<int>& transitions) {
  const wfsm::WalkSum d = scaled_derivative("log_derivative", machine, transitions);
  return d.infinite ? HUGE_VAL : log(d.value);
}

double derivative(const Wfsm& machine, const std::vector<int>& transitions) {
  return checked("derivative", scaled_derivative("derivative", machine, transitions));
}

std::vector<double> derivatives(const Wfsm& machine, int order, double max_bytes, const Stop& stop) {
  if (order < 1 || order > kMaxOrder) {
    base::input_error("derivatives", "order " + std::to_string(order) + " is not in 1.." + std::to_string(kMaxOrder));
  }
  wfsm::check_memory("derivatives", machine, order, max_bytes);
  if (wfsm::needs_all_states(machine)) return DerivativeTensor(tables_of_weights(machine, stop), order, stop).values;
  return DerivativeTensor(tables_of_chain(machine, stop), order, stop).values;
}

}  // namespace kirchhoff
