// Machines in other semirings than that of sums of products [ZmigrodW21, footnote 5]: the tropical one, whose Z is the
// weight of the best trajectory, and the counting one, whose Z is the number of trajectories.
//
// These questions need no sum of weights. So a machine may be asked that is not solved, and whose Z may be infinite:
// one with costs that are no probabilities, or with loops of weight 1.
#pragma once

#include "kirchhoff/wfsm.hpp"

#include <vector>

namespace kirchhoff {

/// The k trajectories of largest weight, as those of best_paths() of a Wfsm, but without log-probabilities, which are
/// NaN. Throws InputError when k < 0, Infeasible when there is no trajectory, and InfiniteSum when a cycle has a weight
/// above 1, so that none is the best. O(arcs log arcs + k length log), and O(states * arcs) in each component.
std::vector<Path> best_paths(const WfsmBuilder& machine, int k, const Stop& stop = {});
/// The symbols of one of its paths without epsilons.
std::vector<int> yield(const WfsmBuilder& machine, const Path& path);

/// The logarithm of the number of trajectories, whatever their weights; +inf when there are cycles, and -inf when there
/// is no trajectory.
double log_trajectories(const Wfsm& machine);
double log_trajectories(const WfsmBuilder& machine);

}  // namespace kirchhoff
