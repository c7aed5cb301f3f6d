// Expectations of additive functions under a machine, their moments, and information about its trajectories.
//
// Gradients are with respect to the log-weights.
#pragma once

#include "kirchhoff/wfsm.hpp"

#include <vector>

namespace kirchhoff {

/// The part of a machine that a feature looks at.
enum class WfsmPart { transition, start, final };
template <>
inline constexpr std::array<std::string_view, 3> kNames<WfsmPart> = {"transition", "start", "final"};

/// One non-zero value of one feature: on a transition, or on starting or ending in a state.
struct WfsmFeature {
  int index = 0;  ///< the number of the transition or of the state
  int feature = 0;
  double value = 0.0;
  WfsmPart part = WfsmPart::transition;
};

/// An additive function of trajectories with values in R^F, as a sparse list. Entries for the same place add up.
class WfsmFeatures {
 public:
  /// Throws InputError when an index is out of range or a value is not finite or beyond 1e100.
  WfsmFeatures(const Wfsm& machine, int num_features, const std::vector<WfsmFeature>& entries);

  struct Entry {
    int place;  ///< transitions come first, then start weights, then final weights
    int feature;
    double value;
  };
  int size() const { return size_; }
  int places() const { return places_; }
  const std::vector<Entry>& entries() const { return entries_; }  ///< sorted by feature, then by place

 private:
  int size_;
  int places_;
  std::vector<Entry> entries_;
};

/// E[r]. O(nnz).
Vector expectation(const Wfsm& machine, const WfsmFeatures& r);
/// The R x T matrix E[r t^T], which is E_2 of [ZmigrodW21]. Two solves for each of min(R, T) features, and
/// O(min(R, T) (A + nnz)).
Matrix second_order(const Wfsm& machine, const WfsmFeatures& r, const WfsmFeatures& t);
/// The R x T matrix Cov(r, t), computed without the difference E[r t^T] - E[r] E[t]^T. The cost is the same.
Matrix covariance(const Wfsm& machine, const WfsmFeatures& r, const WfsmFeatures& t);

/// The directional derivative of the counts when the log-weights move along `direction`. It is also the gradient of
/// E[direction] with respect to the log-weights, Cov(direction, count). Two solves.
WfsmWeights counts_along(const Wfsm& machine, const WfsmWeights& direction);

/// The expected product of the counts of these transitions, which may repeat: E[c_0 c_0 c_1] for {0, 0, 1}. It is what
/// lemma 2 of [ZmigrodW21] is about. Costs and limits are those of derivative().
double joint_count(const Wfsm& machine, const std::vector<int>& transitions);
/// The probability that a trajectory uses at least one of these transitions, to small relative error however small it
/// is. One more machine.
double contains_probability(const Wfsm& machine, const std::vector<int>& transitions);

/// The Fisher information of parameters whose features are r, that is of log-weights theta . r: Cov(r, r).
Matrix fisher(const Wfsm& machine, const WfsmFeatures& r);

/// The moments of orders 0 .. m of an additive function f.
struct Moments {
  Vector raw;        ///< E[f^k]
  Vector central;    ///< E[(f - E f)^k]
  Vector cumulants;  ///< the k-th cumulant, and 0 at k = 0
};
/// The moments of f up to `order`, from 1 to 30. As many solves as the order says.
Moments moments(const Wfsm& machine, const WfsmWeights& f, int order);

/// The entropy of the trajectory, in nats.
double entropy(const Wfsm& machine);
WfsmWeights entropy_gradient(const Wfsm& machine);

/// KL(p || q) >= 0 of machines with the same states and transitions (symbols too). It is +inf when q forbids a
/// trajectory that p allows; the gradient then throws InputError.
double kl(const Wfsm& p, const Wfsm& q);
/// The gradient of a function of two machines with respect to the log-weights of each.
struct WfsmPairGradient {
  WfsmWeights p;
  WfsmWeights q;
};
WfsmPairGradient kl_gradient(const Wfsm& p, const Wfsm& q);
/// -E_p[log q] = entropy(p) + kl(p, q), with the same rules.
double cross_entropy(const Wfsm& p, const Wfsm& q);
WfsmPairGradient cross_entropy_gradient(const Wfsm& p, const Wfsm& q);

/// The Renyi entropy of order alpha >= 0. It is +inf where the sum of p^alpha diverges, as it does for alpha = 0 when
/// there are cycles.
double renyi(const Wfsm& machine, double alpha);
WfsmWeights renyi_gradient(const Wfsm& machine, double alpha);

/// The expected number of transitions of a trajectory.
double expected_length(const Wfsm& machine);
WfsmWeights expected_length_gradient(const Wfsm& machine);

}  // namespace kirchhoff
