// Many machines with the same states and transitions: one skeleton and a batch of weights, as neural networks make.
//
// All answers for a machine have the same bits whatever the number of threads and whatever other machines there are.
#pragma once

#include "kirchhoff/wfsm.hpp"

#include <cstddef>
#include <memory>

namespace kirchhoff {

/// Machines that differ in weights only, solved when the batch is made: eight at a time, one in each lane, unless a
/// component has more than 128 states. Those with cycles that fail the certificate are solved once more, one by one.
/// Copies share everything, and all members may be called from several threads at once.
///
/// A matrix has a row for each machine and a column for each place: transitions come first, then start weights, then
/// final weights. If the log-weights have columns for transitions alone, so have all matrices, and start and final
/// weights are the skeleton's. What the skeleton forbids stays forbidden whatever its weight in the batch, and results
/// for it are 0. A machine without any trajectory has log Z = -inf, and 0 for everything else.
class WfsmBatch {
 public:
  /// Throws InputError when a log-weight is NaN, +inf or finite and beyond 1e9 in size, and InfiniteSum; both name the
  /// machine.
  WfsmBatch(const Wfsm& skeleton, const MatrixRef& log_weights, int threads = kAllCores);

  std::size_t size() const;
  const Wfsm& skeleton() const;

  const Vector& log_partition() const;
  /// The expected number of uses of every place, which is the gradient of log Z by the log-weights.
  Matrix counts() const;
  /// The derivative of the counts when the log-weights move along a direction: the Hessian of log Z times it. Two
  /// solves for each machine.
  Matrix counts_along(const MatrixRef& directions) const;
  /// The derivative of counts_along(r) when the log-weights move along s: third derivatives of log Z. Six solves for
  /// each machine.
  Matrix third_along(const MatrixRef& r, const MatrixRef& s) const;

  struct State;

 private:
  friend Vector entropies(const WfsmBatch& batch);
  friend Vector divergences(const WfsmBatch& p, const WfsmBatch& q);
  friend Vector renyi_entropies(const WfsmBatch& batch, double alpha);
  friend Matrix renyi_gradients(const WfsmBatch& batch, double alpha);
  std::shared_ptr<const State> state_;
};

/// The entropy of each machine, in nats.
Vector entropies(const WfsmBatch& batch);
/// KL(p || q) >= 0 of each pair of machines; +inf when q forbids a trajectory that p allows. Throws InputError unless
/// both batches have the same size and skeletons of the same states and transitions.
Vector divergences(const WfsmBatch& p, const WfsmBatch& q);
/// renyi(machine, alpha) of each machine, and its gradient by all log-weights. Machines are solved one by one.
Vector renyi_entropies(const WfsmBatch& batch, double alpha);
Matrix renyi_gradients(const WfsmBatch& batch, double alpha);

}  // namespace kirchhoff
