// Products of two machines: trajectories of both that agree on a string.
//
// A product is a machine like any other, so that everything can be asked about it: Z sums over all pairs of
// trajectories, best_paths finds the best pair, log_trajectories (wfsm_semiring.hpp) counts them.
#pragma once

#include "kirchhoff/wfsm.hpp"

#include <vector>

namespace kirchhoff {

/// The product of two machines, and where its states and transitions come from: where only one machine moves, because
/// it reads or writes epsilon, the other has -1.
struct WfsmProduct {
  Wfsm machine;
  std::vector<int> left_states, right_states;            ///< the states of both machines that each state is a pair of
  std::vector<int> left_transitions, right_transitions;  ///< the transitions of both that each transition is made of
};

/// The pairs of a trajectory of `a` and one of `b` that read the same string, whose weight is the product of theirs.
/// Both must be acceptors. Epsilons of both are put in one order, so that no pair is counted twice, and only states
/// that such pairs visit are made. Takes O(pairs of transitions that meet). Throws Infeasible when no string is common
/// to both, InputError when one is a transducer or when symbol tables disagree, and Stopped.
WfsmProduct intersect(const Wfsm& a, const Wfsm& b, const Stop& stop = {});

/// The pairs of a trajectory of `a` and one of `b` that reads what the former writes. They read what `a` reads and
/// write what `b` writes. An acceptor writes what it reads. Otherwise as intersect().
WfsmProduct compose(const Wfsm& a, const Wfsm& b, const Stop& stop = {});

/// The same for machines that need not have a finite Z of their own, such as a transducer that rewrites any string. The
/// product must have one: InfiniteSum.
WfsmProduct intersect(const WfsmBuilder& a, const WfsmBuilder& b, const Accuracy& accuracy = {}, const Stop& stop = {});
WfsmProduct compose(const WfsmBuilder& a, const WfsmBuilder& b, const Accuracy& accuracy = {}, const Stop& stop = {});

/// The acceptor with the same trajectories that reads what a transducer writes.
Wfsm project_output(const Wfsm& machine);

/// The acceptor of one string, whose weight is 1. Throws InputError when a symbol is not positive.
Wfsm string_acceptor(const std::vector<int>& string);

}  // namespace kirchhoff
