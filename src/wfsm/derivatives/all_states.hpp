// W* over all states of a machine, for derivatives by weights that are 0.
//
// The chain has only states that trajectories visit. A transition of weight 0 is used by no trajectory, yet Z grows
// with its weight, and it may lead from or to a state that nothing else reaches. So these sums are made from the
// weights themselves, with 106 bits and any exponent, as the robust method makes them. Components that no trajectory
// visits may diverge: sums through them are infinite.
#pragma once

#include "numeric/extended_wide.hpp"
#include "wfsm/solve/component_elimination.hpp"
#include "wfsm/wfsm_state.hpp"

#include <memory>
#include <vector>

namespace kirchhoff::wfsm {

/// A sum of the weights of walks. Where it is infinite, its value does not count.
struct WalkSum {
  numeric::Extended value;
  bool infinite = false;
};
inline bool is_zero(const WalkSum& x) { return !x.infinite && x.value.is_zero(); }
inline WalkSum operator*(const WalkSum& a, const WalkSum& b) {
  if (is_zero(a) || is_zero(b)) return {};
  return {a.value * b.value, a.infinite || b.infinite};
}
inline WalkSum operator+(const WalkSum& a, const WalkSum& b) { return {a.value + b.value, a.infinite || b.infinite}; }

/// The sum as a double, +inf where it is infinite. Throws InputError when it is finite and beyond the range of doubles;
/// `what` says what it is.
double as_double(const char* function, const WalkSum& sum, const char* what = "a derivative");

class AllStates {
 public:
  explicit AllStates(const Machine& machine);

  /// A graph in which every state has a node, and an arc from the source and to the sink.
  const TrimGraph& graph() const { return graph_; }
  /// s and e: the sums of all walks from the source to each node, and from each node to the sink.
  const std::vector<WalkSum>& starts() const { return starts_; }
  const std::vector<WalkSum>& ends() const { return ends_; }
  /// x W* and W* x, where x has one number for each node. One solve.
  std::vector<WalkSum> forward(std::vector<WalkSum> x) const;
  std::vector<WalkSum> backward(std::vector<WalkSum> x) const;
  /// A row and a column of W*.
  std::vector<WalkSum> from(int node) const { return forward(unit(node)); }
  std::vector<WalkSum> to(int node) const { return backward(unit(node)); }

 private:
  using Wide = numeric::ExtendedWide;
  struct Sums {
    std::vector<Wide> value;
    std::vector<char> infinite;
  };
  std::vector<WalkSum> unit(int node) const;
  void eliminate(int component);
  template <class Solve>
  void solve(int component, Sums& x, Solve solve) const;
  static Sums widened(const std::vector<WalkSum>& x);
  static std::vector<WalkSum> narrowed(const Sums& x);

  TrimGraph graph_;
  std::vector<Wide> weight_;                                               // of each arc; 0 where the machine has none
  std::vector<char> diverges_;                                             // each component
  std::vector<Wide> rest_;                                                 // 1 - the loops of a component of one state
  std::vector<std::unique_ptr<ComponentElimination<Wide>>> eliminations_;  // of the components of several states
  std::vector<WalkSum> starts_, ends_;
};

/// Whether derivatives by start and final weights too, some of which are 0 in every machine, need AllStates: there are
/// states that no trajectory visits, or the totals of states are so far apart that the chain's ratios are no doubles.
bool gradient_needs_all_states(const Wfsm& machine);
/// Whether derivatives by transitions alone need AllStates. If all their weights are positive, those by what touches a
/// state that no trajectory visits are 0.
bool needs_all_states(const Wfsm& machine);

}  // namespace kirchhoff::wfsm
