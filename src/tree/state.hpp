// What a TreeDistribution holds, the pool its storage comes from, and the library's own access to it.
#pragma once

#include "base/buffer.hpp"
#include "kirchhoff/tree.hpp"
#include "numeric/sum.hpp"
#include "tree/fast/fast.hpp"
#include "tree/robust/robust.hpp"
#include "tree/weights.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace kirchhoff {

struct TreeDistribution::State {
  int words = 0;
  Root root = Root::multi;
  Accuracy accuracy;
  Report report;
  const double* scores = nullptr;  // (n+1) x (n+1), the caller's or our own
  std::ptrdiff_t scores_stride = 0;
  std::vector<double> owned_scores;
  std::vector<double> marginals;  // (n+1)^2
  double log_z = 0.0;
  numeric::Sum log_z_scaled;  // log Z of the scaled weights, with which probabilities are computed
  tree::Weights weights;
  tree::FastInverse inverse;                        // when the fast method ran
  tree::Slopes slopes;                              // when the robust one did
  base::Buffer p;                                   // marginals in elimination order, (n+1) x ld
  alignas(std::max_align_t) std::byte counter[64];  // counts the distributions that share this state: shared_state()
};

/// The library's own modules reach what distributions hold through this.
struct TreeAccess {
  using State = TreeDistribution::State;
  static const State& state(const TreeDistribution& p) { return *p.state_; }
};

namespace tree {

using TreeState = TreeAccess::State;

/// Takes a state from a small pool per thread, so that making distributions over and over does not allocate.
TreeState* acquire_state();
/// Gives a state back. Any thread may use it again; large ones are freed.
void release_state(TreeState* state);
struct ReleaseState {
  void operator()(TreeState* state) const { release_state(state); }
};
using PooledState = std::unique_ptr<TreeState, ReleaseState>;
/// A state of the pool that any number of distributions may share; the last of them releases it. The count of them is
/// kept in the state itself, so that nothing is allocated.
std::shared_ptr<TreeState> shared_state();

}  // namespace tree
}  // namespace kirchhoff
