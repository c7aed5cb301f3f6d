// Covariances and third cumulants of additive functions with all counts, for one chain or for several in lanes.
//
// When the log-weights move along s, the chain moves along s' = s centred (expectation.cpp): dp_t = p_t s'_t, and the
// expected visits by S_i = E[sum over visits to i of s' so far]. For r' the change is that of b, whose derivative obeys
// the same equation as b itself: db = P* sum_t p_t s'_t r'_t. So the derivative of
//   Cov(r, count_t) = p_t (visits_i r'_t + R_i)
// is x_t + p_t X_i, where x_t = p_t (s'_t (visits_i r'_t + R_i) + S_i r'_t + visits_i (db_j - db_i)) and X_j sums x_t
// and p_t X_i over the arcs into j. That takes six solves.
#pragma once

#include "wfsm/machine/trim_graph.hpp"

#include <cstddef>
#include <type_traits>
#include <vector>

namespace kirchhoff::wfsm {

/// What a Chain has for each arc: double, or several in lanes.
template <class Chain>
using NumberOf = std::decay_t<decltype(std::declval<const Chain&>().p()[0])>;

/// b_v = E[f from v on], for f given by places.
template <class Chain>
std::vector<NumberOf<Chain>> expected_rest(const Chain& chain, const std::vector<NumberOf<Chain>>& f) {
  const TrimGraph& g = chain.graph();
  std::vector<NumberOf<Chain>> b(g.nodes(), NumberOf<Chain>{});
  for (std::size_t a = 0; a < g.arcs.size(); ++a) b[g.from[a]] += chain.p()[a] * f[g.arcs[a].place];
  chain.backward(b.data());
  return b;
}

/// How a chain moves along a function.
template <class Number>
struct ChainDerivative {
  std::vector<Number> centred;  ///< f'_t of each arc
  std::vector<Number> visits;   ///< the derivative of the visits to each node
};

template <class Chain>
ChainDerivative<NumberOf<Chain>> derivative_along(const Chain& chain, const std::vector<NumberOf<Chain>>& f) {
  using Number = NumberOf<Chain>;
  const TrimGraph& g = chain.graph();
  const std::vector<Number> b = expected_rest(chain, f);
  ChainDerivative<Number> d{std::vector<Number>(g.arcs.size()), std::vector<Number>(g.nodes(), Number{})};
  for (std::size_t a = 0; a < g.arcs.size(); ++a) {
    const auto [to, place] = g.arcs[a];
    d.centred[a] = f[place] + (b[to] - b[g.from[a]]);
    d.visits[to] += chain.p()[a] * chain.visits()[g.from[a]] * d.centred[a];
  }
  chain.forward(d.visits.data());
  return d;
}

/// Cov(f, count) of all places. Two solves.
template <class Chain>
std::vector<NumberOf<Chain>> count_covariances(const Chain& chain, const std::vector<NumberOf<Chain>>& f) {
  const TrimGraph& g = chain.graph();
  const auto d = derivative_along(chain, f);
  std::vector<NumberOf<Chain>> result(f.size(), NumberOf<Chain>{});
  for (std::size_t a = 0; a < g.arcs.size(); ++a) {
    const int from = g.from[a];
    result[g.arcs[a].place] = chain.p()[a] * chain.visits()[from] * d.centred[a] + chain.p()[a] * d.visits[from];
  }
  return result;
}

/// The third cumulants of r, s and the count of every place. Six solves.
template <class Chain>
std::vector<NumberOf<Chain>> count_third_cumulants(const Chain& chain, const std::vector<NumberOf<Chain>>& r,
                                                   const std::vector<NumberOf<Chain>>& s) {
  using Number = NumberOf<Chain>;
  const TrimGraph& g = chain.graph();
  const auto along_r = derivative_along(chain, r), along_s = derivative_along(chain, s);
  std::vector<Number> db(g.nodes(), Number{}), so_far(g.nodes(), Number{}), result(r.size(), Number{});
  for (std::size_t a = 0; a < g.arcs.size(); ++a) {
    db[g.from[a]] += chain.p()[a] * along_s.centred[a] * along_r.centred[a];
  }
  chain.backward(db.data());
  for (std::size_t a = 0; a < g.arcs.size(); ++a) {
    const auto [to, place] = g.arcs[a];
    const int i = g.from[a];
    const Number &x = along_r.centred[a], &y = along_s.centred[a], &visits = chain.visits()[i];
    result[place] =
        chain.p()[a] * (visits * (x * y + (db[to] - db[i])) + y * along_r.visits[i] + x * along_s.visits[i]);
    so_far[to] += result[place];
  }
  chain.forward(so_far.data());
  for (std::size_t a = 0; a < g.arcs.size(); ++a) result[g.arcs[a].place] += chain.p()[a] * so_far[g.from[a]];
  return result;
}

}  // namespace kirchhoff::wfsm
