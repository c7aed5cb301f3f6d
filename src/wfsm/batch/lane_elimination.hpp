// Elimination of one strongly connected component of eight machines at once.
//
// It is ComponentElimination with the order of the states, and the places of what fills in, worked out once for all
// machines of a skeleton. The cost is the sum of (arcs in) * (arcs out) over the states when they are eliminated.
#pragma once

#include "wfsm/batch/lanes.hpp"
#include "wfsm/machine/trim_graph.hpp"
#include "wfsm/solve/dense_elimination.hpp"

#include <optional>
#include <vector>

namespace kirchhoff::wfsm {

/// The order of the states of one component, and which numbers are added where.
class EliminationPlan {
 public:
  /// Returns nothing when the component has too many states, or when too much would fill in.
  static std::optional<EliminationPlan> make(const TrimGraph& graph, int component);

  /// Where a number stands: off the diagonal by its number, on the diagonal of state i as -1 - i.
  using Slot = int;
  struct Entry {
    int state;
    Slot slot;
  };
  struct Step {
    int state;
    std::vector<Entry> ins, outs;
    std::vector<Slot> targets;  ///< where ins x outs are added
  };
  int size = 0;
  int slots = 0;
  std::vector<Step> steps;
  std::vector<Slot> arcs;  ///< the slot of each arc inside, in the order of the graph
};

/// The factors of I - P for eight machines.
class LaneElimination {
 public:
  LaneElimination() = default;
  /// `values` is by slot and `side` by state, as in ComponentElimination.
  LaneElimination(const EliminationPlan& plan, std::vector<Lanes> values, std::vector<Lanes> side, Pivot rule);

  /// Whether a pivot of this machine was not positive. Its solutions mean nothing then.
  bool failed(int lane) const { return failed_[lane]; }
  /// x := (I - P)^-1 x.
  void solve_column(Lanes* x) const;
  /// x := x (I - P)^-1.
  void solve_row(Lanes* x) const;

 private:
  const EliminationPlan* plan_ = nullptr;
  std::vector<Lanes> values_, inverse_pivots_;
  std::array<bool, kLanes> failed_{};
};

}  // namespace kirchhoff::wfsm
