// Solving a machine: e_v, the total weight of the paths from each node to the sink, component by component from the
// end.
//
// The fast method has doubles, each with an exponent of its own between components and scaled by powers of two inside,
// so that scaling is exact. Afterwards p_t = w_t e_j / e_i must sum to 1 at every node. If they sum to 1 + r_v, then
// e_v is off by a factor of 1 + (P* r)_v to first order: that is the certificate, with 3 eps added to |r| for the
// roundings of weights and sums. The robust method is the same elimination with 106 bits and any exponent
// (numeric::ExtendedWide), where only 1 - w_kk is ever subtracted. It is right to 1e-12 while trajectories have fewer
// than 1e17 arcs on average; beyond that, Z counts as infinite. O(arcs) outside components, and the cost of
// ComponentElimination inside.
#include "wfsm/solve/solve.hpp"

#include "base/check.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>

namespace kirchhoff::wfsm {
namespace {

using numeric::Extended;
using numeric::ExtendedWide;

constexpr double kSmallest = 1e-290;  // smaller doubles lose digits
constexpr double kLongest = 1e17;     // expected arcs of a trajectory

template <class T>
struct Totals {
  std::vector<T> weight;  ///< one for each arc
  std::vector<T> total;   ///< e_v of each node
};

/// Powers of two that bring the totals of a component's states near 1, namely the exponents of their heaviest paths.
/// Any numbers would be right. Returns nothing when some state has not been reached, which a bad order of states can
/// cause.
std::optional<std::vector<std::int64_t>> exponents(const TrimGraph& graph, int c, const std::vector<Extended>& weight,
                                                   const std::vector<Extended>& outside) {
  constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::min();
  constexpr int kPasses = 100;
  const int first = graph.first[c], size = graph.first[c + 1] - first;
  std::vector<std::int64_t> best(size, kNone);
  for (int i = 0; i < size; ++i) {
    if (!outside[i].is_zero()) best[i] = outside[i].e;
  }
  bool changed = true;
  for (int pass = 0; pass < kPasses && changed; ++pass) {
    changed = false;
    for (int k = 0; k < size; ++k) {
      const int i = pass % 2 == 0 ? size - 1 - k : k;
      for (std::size_t a = graph.begin[first + i]; a < graph.begin[first + i + 1]; ++a) {
        if (!graph.inside(a)) continue;
        const std::int64_t next = best[graph.arcs[a].to - first];
        if (next == kNone || weight[a].e + next <= best[i]) continue;
        best[i] = weight[a].e + next;
        changed = true;
      }
    }
  }
  if (std::find(best.begin(), best.end(), kNone) != best.end()) return std::nullopt;
  return best;
}

/// Returns false when doubles will not do.
bool solve_component(const Machine&, const TrimGraph& graph, int c, const Totals<Extended>& t,
                     std::vector<Extended>& x) {
  const auto shift = exponents(graph, c, t.weight, x);
  if (!shift) return false;
  const int first = graph.first[c], size = static_cast<int>(x.size());
  bool fine = true;
  const auto fit = [&](const Extended& value, std::int64_t exponent) {
    const double fitted = numeric::power(value.m, value.e + exponent);
    fine = fine && fitted <= 1 / kSmallest && (value.is_zero() || fitted >= kSmallest);
    return fitted;
  };
  const auto value = [&](std::size_t a) {
    return fit(t.weight[a], (*shift)[graph.arcs[a].to - first] - (*shift)[graph.from[a] - first]);
  };
  ComponentElimination<double>::Rows rows;
  std::vector<double> diagonal, totals(size);
  component_rows<double>(graph, c, value, rows, diagonal);
  for (int i = 0; i < size; ++i) totals[i] = fit(x[i], -(*shift)[i]);
  if (!fine) return false;
  const ComponentElimination<double> elimination(std::move(rows), std::move(diagonal), Pivot::closure);
  if (elimination.failed() >= 0) return false;
  elimination.solve_column(totals.data());
  for (int i = 0; i < size; ++i) {
    if (!(totals[i] >= kSmallest && totals[i] <= 1 / kSmallest)) return false;
    x[i] = Extended::of(totals[i], (*shift)[i]);
  }
  return true;
}

bool solve_component(const Machine& machine, const TrimGraph& graph, int c, const Totals<ExtendedWide>& t,
                     std::vector<ExtendedWide>& x) {
  ComponentElimination<ExtendedWide>::Rows rows;
  std::vector<ExtendedWide> diagonal;
  component_rows<ExtendedWide>(
      graph, c, [&](std::size_t a) { return t.weight[a]; }, rows, diagonal);
  const ComponentElimination<ExtendedWide> elimination(std::move(rows), std::move(diagonal), Pivot::closure);
  if (elimination.failed() >= 0) {
    throw_infinite(machine, graph, graph.first[c] + elimination.failed(), "Z is infinite");
  }
  elimination.solve_column(x.data());
  return true;
}

bool divide_by_loop(const Machine&, const TrimGraph&, int, const Extended& loops, Extended& x) {
  const double rest = 1.0 - numeric::power(loops.m, loops.e);
  if (!(rest > 0.0)) return false;
  x = x / Extended::of(rest, 0);
  return true;
}
bool divide_by_loop(const Machine& machine, const TrimGraph& graph, int v, const ExtendedWide& loops, ExtendedWide& x) {
  const ExtendedWide rest = one_minus(loops);
  if (rest.is_zero()) throw_infinite(machine, graph, v, "Z is infinite");
  x = x / rest;
  return true;
}

/// Returns nothing when doubles will not do. ExtendedWide always will, unless Z is infinite, which throws.
template <class T>
std::optional<Totals<T>> totals(const Machine& machine, const TrimGraph& graph) {
  Totals<T> t;
  t.weight.reserve(graph.arcs.size());
  for (const TrimGraph::Arc& arc : graph.arcs) t.weight.push_back(T::exp(log_weight_at(machine, arc.place)));
  t.total.resize(graph.nodes());
  t.total[graph.sink()] = T::exp(0.0);
  std::vector<T> x;
  for (int c = graph.components() - 1; c-- > 0;) {
    const int first = graph.first[c], size = graph.first[c + 1] - first;
    x.assign(size, T{});
    T loops{};
    for (int i = 0; i < size; ++i) {
      for (std::size_t a = graph.begin[first + i]; a < graph.begin[first + i + 1]; ++a) {
        if (!graph.inside(a)) x[i] = x[i] + t.weight[a] * t.total[graph.arcs[a].to];
        if (size == 1 && graph.inside(a)) loops = loops + t.weight[a];
      }
    }
    if (size > 1 && !solve_component(machine, graph, c, t, x)) return std::nullopt;
    if (size == 1 && graph.cyclic[c] && !divide_by_loop(machine, graph, first, loops, x[0])) return std::nullopt;
    std::copy(x.begin(), x.end(), t.total.begin() + first);
  }
  return t;
}

template <class T>
MarkovChain markov_chain(const TrimGraph& graph, const Totals<T>& t) {
  std::vector<double> p(graph.arcs.size());
  std::vector<Extended> total;
  total.reserve(t.total.size());
  for (const T& x : t.total) total.push_back(x.extended());
  for (std::size_t a = 0; a < p.size(); ++a) {
    const Extended q = (t.weight[a] * t.total[graph.arcs[a].to] / t.total[graph.from[a]]).extended();
    p[a] = numeric::power(q.m, q.e);
  }
  return {graph, std::move(p), std::move(total)};
}

/// The largest relative error of any e_v, to first order.
double error_of_totals(const MarkovChain& chain) {
  const TrimGraph& graph = chain.graph();
  std::vector<double> error(graph.nodes());
  for (int v = 0; v < graph.sink(); ++v) {
    double sum = -1.0;
    for (std::size_t a = graph.begin[v]; a < graph.begin[v + 1]; ++a) sum += chain.p()[a];
    error[v] = std::abs(sum) + kEpsilonOfSum;
  }
  chain.backward(error.data());
  return *std::max_element(error.begin(), error.end());
}

/// Throws where the machine is within rounding errors of an infinite sum, even for ExtendedWide.
void check_lengths(const Machine& machine, const MarkovChain& chain) {
  std::vector<double> length(chain.graph().nodes(), 1.0);
  chain.backward(length.data());
  const auto longest = std::max_element(length.begin(), length.end());
  if (*longest <= kLongest) return;
  char figure[64];
  std::snprintf(figure, sizeof figure, "%.3g", *longest);
  throw_infinite(machine, chain.graph(), static_cast<int>(longest - length.begin()),
                 "Z is infinite or too close to it, with " + std::string(figure) + " transitions on average");
}

}  // namespace

double log_weight_at(const Machine& machine, int place) {
  const auto transitions = static_cast<int>(machine.transitions.size());
  if (place < transitions) return machine.transitions[place].log_weight;
  place -= transitions;
  return place < machine.states ? machine.start[place] : machine.final[place - machine.states];
}

SolvedChain solve(const Machine& machine, const TrimGraph& graph, const Accuracy& accuracy) {
  bool extended = false;
  if (accuracy.method != Method::robust) {
    if (const auto t = totals<Extended>(machine, graph)) {
      MarkovChain chain = markov_chain(graph, *t);
      const bool certified = error_of_totals(chain) <= accuracy.tolerance;
      if (certified || accuracy.method == Method::fast) return {std::move(chain), {Method::fast, false, certified}};
    } else {
      extended = true;
    }
    if (accuracy.method == Method::fast) {
      base::input_error("Wfsm", "the fast method failed; Method::automatic will say more");
    }
  }
  MarkovChain chain = markov_chain(graph, *totals<ExtendedWide>(machine, graph));
  check_lengths(machine, chain);
  return {std::move(chain), {Method::robust, extended, true}};
}

}  // namespace kirchhoff::wfsm
