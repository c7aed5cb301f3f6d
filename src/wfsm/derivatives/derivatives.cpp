// Derivatives of Z with respect to weights, of any order [ZmigrodW21, theorem 2].
//
// For transitions t = (i -> j) it is the sum over permutations of s_i1 W*_j1i2 ... e_jm. In the chain's terms, with
// s_i = Z visits_i / e_i and W*_jk = P*_jk e_j / e_k, every permutation has the factor Z prod_t e_j / e_i, and what is
// left is visits_i1 P*_j1i2 ... P*_j(m-1)im. OrderSums sums over the permutations.
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

Extended ratio(const MarkovChain& chain, int from, int to) { return chain.total()[to] / chain.total()[from]; }

using wfsm::scaled;

Extended scaled_derivative(const char* function, const Wfsm& machine, const std::vector<int>& transitions) {
  const MarkovChain& chain = chain_of(machine);
  const auto ratios = [&](int t) {
    const wfsm::Ends ends = wfsm::ends_of(machine, t);
    return ends.useful() ? ratio(chain, ends.from, ends.to) : Extended{};
  };
  const wfsm::TransitionWalk walk(function, machine, transitions, ratios);
  const wfsm::OrderSums sums = walk.sums();
  Extended result = chain.total()[0] * sums.sum(sums.contents() - 1);
  for (const auto& used : sums.used()) result = result * wfsm::factorial(used.count);
  return result;
}

/// All derivatives of one order: each multiset of transitions is computed once, then written wherever its orders stand.
/// It is the walk of its own sums.
class DerivativeTensor {
 public:
  DerivativeTensor(const Wfsm& machine, int order, const Stop& stop)
      : size_(machine.transitions().size()), order_(order), stop_(stop), sums_(*this, order) {
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
    fill(0);
  }
  std::vector<double> values;

  using Scalar = double;
  double first(std::size_t t) const { return first_[t]; }
  double link(std::size_t a, std::size_t b) const { return link_(a, b); }

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
    double value = sums_.sum(sums_.contents() - 1);
    for (const auto& used : sums_.used()) value *= std::tgamma(static_cast<double>(used.count) + 1.0);
    checked("derivatives", value);
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
  wfsm::OrderSums<DerivativeTensor> sums_;
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
