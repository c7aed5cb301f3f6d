// From scores to log Z and marginals: the fast method where its bound allows, else the robust one.
#pragma once

#include "tree/state.hpp"

#include <cstddef>

namespace kirchhoff::tree {

/// Does the work of TreeDistribution's constructor. The state refers to `scores`, and does not copy them. Throws
/// InputError or Infeasible, and leaves the state unusable then.
void solve(const MatrixRef& scores, Root root, const Accuracy& accuracy, TreeState& state);
/// Copies the scores that the state refers to, with -inf where there is no arc.
void keep_scores(TreeState& state);

struct LogPartition {
  double log_partition;
  Report report;
};
/// Solves for log Z and the marginals alone, as batches need them: n + 1 rows of marginals are written to `out`,
/// `stride` doubles apart. Throws as solve() does.
LogPartition marginals_into(const MatrixRef& scores, Root root, const Accuracy& accuracy, double* out,
                            std::ptrdiff_t stride);

}  // namespace kirchhoff::tree
