// Walks through some transitions of a machine, for sums over the orders in which they are used.
#pragma once

#include "wfsm/derivatives/all_states.hpp"
#include "wfsm/derivatives/order_sums.hpp"
#include "wfsm/wfsm_state.hpp"

#include <functional>
#include <vector>

namespace kirchhoff::wfsm {

/// Expected visits as a number of any size.
inline numeric::Extended scaled(double x) { return x < 1e-300 ? numeric::Extended{} : numeric::Extended::of(x, 0); }

/// n!
numeric::Extended factorial(std::size_t n);

/// The walks that use these transitions, in all orders.
class TransitionWalk {
 public:
  using Scalar = WalkSum;

  /// Throws InputError when a transition is unknown, when there is none, or when there are more than 64 of them or more
  /// than 2^16 contents.
  TransitionWalk(const char* function, const Wfsm& machine, const std::vector<int>& transitions);

  /// Orders have the weight visits_i1 f_1 P*_j1i2 f_2 ... f_m, where f is a factor for each transition. Makes one solve
  /// for each different transition.
  void follow_chain(const Wfsm& machine, const std::function<numeric::Extended(int transition)>& factor);
  /// Orders have the weight s_i1 W*_j1i2 ... e_jm, through any states.
  void follow_weights(const Wfsm& machine);

  const WalkSum& first(std::size_t t) const { return first_[t]; }
  const WalkSum& last(std::size_t t) const { return last_[t]; }
  const WalkSum& link(std::size_t a, std::size_t b) const { return link_[a * first_.size() + b]; }

  /// The sums over the orders of all contents of the transitions.
  OrderSums<TransitionWalk> sums() const;

 private:
  std::vector<int> transitions_;     // the different ones
  std::vector<std::size_t> counts_;  // how often each of them is used
  std::vector<WalkSum> first_, last_, link_;
};

}  // namespace kirchhoff::wfsm
