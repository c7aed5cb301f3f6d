// The things we time, each made once and used both by Google Benchmark and by the table of bars.
// All are single-root and single-threaded unless they say otherwise.
#pragma once

#include "graphs.hpp"
#include "timing.hpp"

#include <kirchhoff/sample.hpp>

#include <memory>
#include <vector>

namespace kirchhoff::bench {

using Graphs = std::vector<Matrix>;

inline constexpr Accuracy kFast{Method::fast};
inline constexpr Accuracy kRobust{Method::robust};
inline constexpr Accuracy kAutomatic{};

/// log Z and all marginals, one TreeDistribution after the other.
Work constructor(Graphs graphs, Accuracy accuracy);
/// The same for a TreeBatch whose distributions are visited on one thread.
Work batch_path(const Graphs& graphs, Accuracy accuracy);
/// A whole batch on so many threads; one unit = one sentence.
Work threaded(const MatrixBatch& scores, int threads);

/// The baselines for log Z and marginals, and a bare OpenBLAS getrf + getri (on a copy: O(n^2) more).
Work eigen_baseline(Graphs graphs);
Work lapack_baseline(Graphs graphs);
Work lapack_bare(const Graphs& graphs);

/// Gradients w.r.t. the scores, given the distributions. GE has 20 features: indicators (one per arc), or dense.
Work entropy_gradient_work(const Graphs& graphs);
Work kl_gradient_work(const Graphs& graphs);
Work risk_gradient_work(const Graphs& graphs);
Work ge_gradient_work(const Graphs& graphs);
Work ge_dense_gradient_work(const Graphs& graphs);
/// The entropies of a batch and their gradients from the scores, results stored.
Work batch_entropy_work(const Graphs& graphs);
Work batch_kl_work(const Graphs& graphs);
/// The marginals of a batch, results stored.
Work batch_marginals_work(const Graphs& graphs);

/// Cov(r, s) with 20 dense features each, given the distribution (T2, T2^v) or from the scores (T2^h).
Work covariance_work(const Graphs& graphs);
Work covariance_jvp_work(const Graphs& graphs);
Work covariance_hessian_work(Graphs graphs);

/// Decoding, from the scores: the best tree, the k best, and one pass that finds every column's maximum.
Work best_tree_work(Graphs graphs, Root root = Root::single);
Work k_best_work(Graphs graphs, int k);
Work column_maxima_work(Graphs graphs);

/// Sampling, given the distributions, 100 trees of one graph in a row. A walk has its mean number of draws as units;
/// set-up is not in the time.
Work walk_work(const Graphs& graphs, Root root, Sampler method);
/// One tree with score and log-probability, from a ready TreeSampler; and the set-up of one.
Work sample_work(const Graphs& graphs, Root root, Sampler method);
Work sampler_work(const Graphs& graphs, Root root, Sampler method);
/// k distinct trees, all at once and one after the other.
Work beam_work(const Graphs& graphs, Root root, int k);
Work one_by_one_work(const Graphs& graphs, Root root, int k);
/// The same by a trie whose masses are subtracted, the baseline, from the scores and with one root child.
Work mass_trie_work(const Graphs& graphs, int k);
/// A tree by the biased baseline: how much alias tables save over a search in cumulative weights.
Work wilson_rc_work(const Graphs& graphs, bool alias);

}  // namespace kirchhoff::bench
