// Derivatives of Z with respect to weights, of any order [ZmigrodW21, theorem 2].
//
// For transitions t = (i -> j) it is the sum over permutations of s_i1 W*_j1i2 ... e_jm. In the chain's terms, with
// s_i = Z visits_i / e_i and W*_jk = P*_jk e_j / e_k, every permutation has the factor Z prod_t e_j / e_i, and what is
// left is visits_i1 P*_j1i2 ... P*_j(m-1)im. The sum over permutations goes through sets of transitions, of which each
// is extended by one: m^2 2^m instead of m m! steps.
#include "base/check.hpp"
#include "base/stop.hpp"
#include "kirchhoff/wfsm_derivatives.hpp"
#include "wfsm/derivatives/visits.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

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

Extended ratio(const MarkovChain& chain, int from, int to) { return chain.total()[to] / chain.total()[from]; }

/// Expected visits as a number of any size.
Extended scaled(double x) { return x < 1e-300 ? Extended{} : Extended::of(x, 0); }

/// The rows of P* that belong to the ends of these transitions: element [a][b] is P* from the end of a to the start of
/// b.
std::vector<std::vector<Extended>> links(const MarkovChain& chain, const std::vector<wfsm::Ends>& ends) {
  std::vector<std::vector<Extended>> rows;
  std::vector<double> row;
  for (const wfsm::Ends& a : ends) {
    row.assign(chain.graph().nodes(), 0.0);
    row[a.to] = 1.0;
    chain.forward(row.data());
    rows.emplace_back();
    for (const wfsm::Ends& b : ends) rows.back().push_back(scaled(row[b.from]));
  }
  return rows;
}

/// The sum over all orders, where sums[set][last] is that over the orders of the set that end in `last`.
Extended sum_over_orders(const MarkovChain& chain, const std::vector<wfsm::Ends>& ends) {
  const auto link = links(chain, ends);
  const std::size_t m = ends.size(), sets = std::size_t{1} << m;
  std::vector<Extended> sums(sets * m);
  for (std::size_t a = 0; a < m; ++a) sums[(std::size_t{1} << a) * m + a] = scaled(chain.visits()[ends[a].from]);
  for (std::size_t set = 1; set < sets; ++set) {
    for (std::size_t last = 0; last < m; ++last) {
      const Extended sum = sums[set * m + last];
      if (sum.is_zero()) continue;
      for (std::size_t next = 0; next < m; ++next) {
        if (set >> next & 1) continue;
        Extended& extended = sums[(set | std::size_t{1} << next) * m + next];
        extended = extended + sum * link[last][next];
      }
    }
  }
  Extended total;
  for (std::size_t last = 0; last < m; ++last) total = total + sums[(sets - 1) * m + last];
  return total;
}

Extended scaled_derivative(const char* function, const Wfsm& machine, const std::vector<int>& transitions) {
  if (transitions.empty() || transitions.size() > kMaxOrder) {
    base::input_error(function,
                      "order " + std::to_string(transitions.size()) + " is not in 1.." + std::to_string(kMaxOrder));
  }
  const MarkovChain& chain = chain_of(machine);
  std::vector<wfsm::Ends> ends;
  Extended result = chain.total()[0];
  bool possible = true;
  for (const int t : transitions) {
    if (t < 0 || static_cast<std::size_t>(t) >= machine.transitions().size()) {
      base::input_error(function, "there is no transition " + std::to_string(t));
    }
    ends.push_back(wfsm::ends_of(machine, t));
    possible = possible && ends.back().useful();
    if (possible) result = result * ratio(chain, ends.back().from, ends.back().to);
  }
  return possible ? result * sum_over_orders(chain, ends) : Extended{};
}

/// All derivatives of one order: each multiset of transitions is computed once, then written wherever its orders stand.
class DerivativeTensor {
 public:
  DerivativeTensor(const Wfsm& machine, int order, const Stop& stop)
      : size_(machine.transitions().size()), order_(order), stop_(stop) {
    const MarkovChain& chain = chain_of(machine);
    const Matrix visits = wfsm::all_visits(chain, stop);
    std::vector<wfsm::Ends> ends;
    for (std::size_t t = 0; t < size_; ++t) ends.push_back(wfsm::ends_of(machine, static_cast<int>(t)));
    link_ = Matrix::Zero(static_cast<Eigen::Index>(size_), static_cast<Eigen::Index>(size_));
    first_.assign(size_, 0.0);
    for (std::size_t b = 0; b < size_; ++b) {
      if (!ends[b].useful()) continue;
      const Extended r = ratio(chain, ends[b].from, ends[b].to);
      const Extended s = chain.total()[0] * scaled(chain.visits()[ends[b].from]) * r;
      first_[b] = numeric::power(s.m, s.e);
      for (std::size_t a = 0; a < size_; ++a) {
        if (ends[a].useful()) link_(a, b) = visits(ends[a].to, ends[b].from) * numeric::power(r.m, r.e);
      }
    }
    values.resize(static_cast<std::size_t>(std::llround(std::pow(size_, order))));
    tuple_.assign(order, 0);
    sums_.assign((std::size_t{1} << order) * order, 0.0);
    fill(0);
  }
  std::vector<double> values;

 private:
  /// Goes through the tuples in ascending order; those with the same beginning share its sums.
  void fill(int position) {
    if (position == order_) return store();
    for (std::size_t t = position == 0 ? 0 : tuple_[position - 1]; t < size_; ++t) {
      tuple_[position] = t;
      extend(position);
      fill(position + 1);
    }
  }
  /// Computes sums_[set][last], the sum over the orders of a set of positions that end in `last`, for the sets of which
  /// `position` is the highest.
  void extend(int position) {
    const std::size_t begin = std::size_t{1} << position;
    for (std::size_t set = begin; set < 2 * begin; ++set) {
      for (int last = 0; last <= position; ++last) {
        if (set >> last & 1) sums_[set * order_ + last] = sum(set ^ std::size_t{1} << last, last);
      }
    }
  }
  /// The sum over the orders of the set, followed by `next`.
  double sum(std::size_t set, int next) const {
    if (set == 0) return first_[tuple_[next]];
    double total = 0.0;
    for (int last = 0; last < order_; ++last) {
      if (!(set >> last & 1)) continue;
      const double link = link_(tuple_[last], tuple_[next]);
      if (link != 0.0) total += sums_[set * order_ + last] * link;
    }
    return total;
  }
  void store() {
    base::check_stop(stop_);
    const double* full = &sums_[((std::size_t{1} << order_) - 1) * order_];
    const double value = checked("derivatives", std::accumulate(full, full + order_, 0.0));
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
  Matrix link_;
  std::vector<double> first_;
  std::vector<std::size_t> tuple_;
  std::vector<double> sums_;
};

}  // namespace

WfsmWeights gradient(const Wfsm& machine) {
  const MarkovChain& chain = chain_of(machine);
  const TrimGraph& g = chain.graph();
  std::vector<double> result(machine_of(machine).places(), 0.0);
  for (std::size_t a = 0; a < g.arcs.size(); ++a) {
    const Extended d = chain.total()[0] * scaled(chain.visits()[g.from[a]]) * ratio(chain, g.from[a], g.arcs[a].to);
    result[g.arcs[a].place] = checked("gradient", numeric::power(d.m, d.e));
  }
  return wfsm::unflatten(machine_of(machine), result);
}

WfsmWeights hessian_vector(const Wfsm& machine, const WfsmWeights& direction) {
  const std::vector<double> v = wfsm::flatten("hessian_vector", machine, direction);
  const MarkovChain& chain = chain_of(machine);
  const TrimGraph& g = chain.graph();
  std::vector<double> before(g.nodes(), 0.0), after(g.nodes(), 0.0), ratios(g.arcs.size());
  for (std::size_t a = 0; a < g.arcs.size(); ++a) {
    const Extended r = ratio(chain, g.from[a], g.arcs[a].to);
    ratios[a] = numeric::power(r.m, r.e);
    const double x = v[g.arcs[a].place] == 0.0 ? 0.0 : v[g.arcs[a].place] * ratios[a];
    before[g.arcs[a].to] += chain.visits()[g.from[a]] * x;
    after[g.from[a]] += x;
  }
  chain.forward(before.data());
  chain.backward(after.data());
  const double z = numeric::power(chain.total()[0].m, chain.total()[0].e);
  std::vector<double> result(v.size(), 0.0);
  for (std::size_t a = 0; a < g.arcs.size(); ++a) {
    const double sum = chain.visits()[g.from[a]] * after[g.arcs[a].to] + before[g.from[a]];
    result[g.arcs[a].place] = sum == 0.0 ? 0.0 : checked("hessian_vector", z * (ratios[a] * sum));
  }
  return wfsm::unflatten(machine_of(machine), result);
}

double log_derivative(const Wfsm& machine, const std::vector<int>& transitions) {
  return log(scaled_derivative("log_derivative", machine, transitions));
}

double derivative(const Wfsm& machine, const std::vector<int>& transitions) {
  const Extended d = scaled_derivative("derivative", machine, transitions);
  return checked("derivative", numeric::power(d.m, d.e));
}

std::vector<double> derivatives(const Wfsm& machine, int order, double max_bytes, const Stop& stop) {
  if (order < 1 || order > kMaxOrder) {
    base::input_error("derivatives", "order " + std::to_string(order) + " is not in 1.." + std::to_string(kMaxOrder));
  }
  wfsm::check_memory("derivatives", machine, order, max_bytes);
  return DerivativeTensor(machine, order, stop).values;
}

}  // namespace kirchhoff
