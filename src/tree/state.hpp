// What a TreeDistribution holds, and how it is computed into storage that can be reused.
#pragma once

#include "base/buffer.hpp"
#include "kirchhoff/tree.hpp"
#include "numeric/sum.hpp"
#include "tree/fast.hpp"
#include "tree/leave_one_out.hpp"
#include "tree/weights.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace kirchhoff::detail {

struct TreeState {
  int words = 0;
  Root root = Root::multi;
  Accuracy accuracy;
  Report report;
  const double* scores = nullptr;  // (n+1) x (n+1), the caller's or our own
  std::ptrdiff_t scores_stride = 0;
  std::vector<double> owned_scores;
  std::vector<double> marginals;  // (n+1)^2
  double log_z = 0.0;
  numeric::Sum log_z_scaled;  // of the scaled weights: what probabilities are computed with
  tree::Weights weights;
  tree::Inverse inverse;                            // when the fast method ran
  tree::Slopes slopes;                              // when the robust one did
  base::Buffer p;                                   // marginals in elimination order, (n+1) x ld
  alignas(std::max_align_t) std::byte counter[64];  // of the distributions that share this state: see shared_state()
};

/// States from a small pool per thread, so that making distributions over and over does not allocate. Released states
/// may be used again by any thread; large ones are freed.
TreeState* acquire_state();
void release_state(TreeState* state);
struct ReleaseState {
  void operator()(TreeState* state) const { release_state(state); }
};
using PooledState = std::unique_ptr<TreeState, ReleaseState>;
/// A state of the pool that any number of distributions may share; the last of them releases it. The count of them is
/// kept in the state itself, so that nothing is allocated.
std::shared_ptr<TreeState> shared_state();

/// The constructor's work; `scores` is referred to, not copied. Throws InputError or Infeasible and leaves the state
/// unusable then.
void compute(const MatrixRef& scores, Root root, const Accuracy& accuracy, TreeState& state);
/// Copies the scores, with -inf where there is no arc.
void own_scores(TreeState& state);
/// (n+1)^2 matrix to and from elimination order.
void to_elimination_order(const TreeState& state, const double* matrix, std::ptrdiff_t stride, double* rows);
void from_elimination_order(const TreeState& state, const double* rows, double* matrix, std::ptrdiff_t stride);

struct Solved {
  double log_partition;
  Report report;
};
/// For batches: log Z, and the marginals written to their place, n + 1 rows `stride` apart. Throws as compute().
Solved marginals_into(const MatrixRef& scores, Root root, const Accuracy& accuracy, double* out, std::ptrdiff_t stride);

/// Of heads that are known to be a tree.
double log_prob(const TreeState& state, const Heads& heads);
Matrix log_marginals(const TreeState& state);
/// Which arcs are in some tree, by structure; index head * (n+1) + dependent. O(n^3).
std::vector<bool> possible_arcs(const TreeState& state);
/// `out` is (n+1)^2.
void marginals_along(const TreeState& state, const MatrixRef& direction, double* out);
/// From the inverse, when its error bound allows: p(a and b), else a negative number.
double fast_pair_marginal(const TreeState& state, Arc a, Arc b);

/// The door to a distribution's state for the library's own modules.
struct TreeAccess {
  static const TreeState& state(const TreeDistribution& p) { return *p.state_; }
};

}  // namespace kirchhoff::detail
