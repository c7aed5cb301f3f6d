// Slopes G_ij = d log Z / d w_ij from an inverse, where those that cancel are computed anew from the others.
//
// A walk that leaves word i along its heads, and is to end before it meets word j, goes to some head k other than j:
//     s_i G_ij = w_0i G_0j + sum_{k != j} w_ki G_kj,     s_i = sum of i's weights (single-root: without the root's).
// All terms are positive, so the right-hand side has small relative errors where its terms have, and an arc i -> j that
// cancels because i all but certainly hangs on j loses just its own term. A bound of the error goes through the same
// sums.
#pragma once

#include "numeric/matrix_span.hpp"
#include "tree/kernels/certified_marginals.hpp"

#include <cstddef>

namespace kirchhoff::tree {

/// Sweeps over the slopes into one word, forwards and backwards in turn. With a trained parser's weights one is enough
/// for most words, and two for nearly all; words that all but certainly hang on each other do not converge.
inline constexpr int kRefinementSweeps = 6;
/// The first of them leave slopes alone that belong to no arc, since others seldom need them.
inline constexpr int kSweepsOfArcs = 2;

/// A graph as the refinement reads it: row i of `into` has the weights w_ki of the arcs into word i, one for each head
/// k, with 0 on the diagonal and in the padding.
struct RefinedGraph {
  numeric::ConstMatrixSpan into;
  const double* root;    ///< w_0i
  const double* totals;  ///< s_i
};

/// Writes slopes, a row for each dependent j and a column for each head i. False when some error stays beyond its
/// bound. `terms` are those of the marginals, but for w, with 0 in the column of d for the word `bare`; root_slopes are
/// G_0j. `errors` has room for one row.
bool refined_slopes(const RefinedGraph& graph, const MarginalTerms& terms, const MarginalBound& bound,
                    const double* root_slopes, double* errors, const numeric::MatrixSpan& slopes);

}  // namespace kirchhoff::tree
