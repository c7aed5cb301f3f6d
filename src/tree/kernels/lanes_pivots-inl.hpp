// Eliminates a few words among themselves, one graph in each lane: pivots, and the coefficients of other rows; for
// files that are compiled once per instruction set.
#if defined(KIRCHHOFF_LANES_PIVOTS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef KIRCHHOFF_LANES_PIVOTS_INL
#undef KIRCHHOFF_LANES_PIVOTS_INL
#else
#define KIRCHHOFF_LANES_PIVOTS_INL
#endif

#include "tree/kernels/lanes_matrices-inl.hpp"

#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace kirchhoff::tree::HWY_NAMESPACE {

// What an elimination tells of each lane.
struct LaneOutcome {
  LaneProduct product;  // Z of the scaled weights
  M bad;                // a pivot was zero that must not be
  LaneOutcome() : bad(hn::Lt(hn::Zero(D()), hn::Zero(D()))) {}
};

// S words that are eliminated together. First they are eliminated among themselves, where the sum of all kept rows
// stands for these rows: pivots need no more. Then each kept row is taken through the same steps.
template <class N, std::size_t S>
struct LaneBlock {
  N inner[S][S];     // [k'][k]: weight of block word k' -> block word k; below the diagonal divided by the pivot of k
  N inverse[S];      // of the pivots
  N sum[S];          // of the kept rows' weights
  N root[S];         // the root's weights, then the coefficients with which its row takes up the block's
  V committed[S];    // 1 where word k takes the root's place
  V counts;          // where the root counts
  V keep_root;       // 0 where the root's row is given up
  bool any_commits;  // in some lane
  LaneBlock() {}     // NOLINT: an implicit one would not get the options of the instruction set

  // The coefficients with which a row takes up the block's rows, from its weights to the block's words: eliminates
  // these, and folds in that block rows are themselves updated by earlier block rows.
  HWY_INLINE void reduce_row(N (&c)[S]) const {
    for (std::size_t k = 0; k < S; ++k) {
      c[k] = multiply(c[k], inverse[k]);
      for (std::size_t q = k + 1; q < S; ++q) c[q] = multiply_add(c[k], inner[k][q], c[q]);
    }
    fold(c);
  }
  HWY_INLINE void fold(N (&c)[S]) const {
    for (std::size_t k = S - 1; k > 0; --k) {
      for (std::size_t q = 0; q < k; ++q) c[q] = multiply_add(c[k], inner[k][q], c[q]);
    }
  }

  // Eliminates the block's words among themselves, given inner, sum, root and counts. With `record`, the pivots are
  // factors of Z.
  HWY_INLINE void eliminate(bool record, LaneOutcome& outcome) {
    const D d;
    const V one = hn::Set(d, 1.0), zeros = hn::Zero(d);
    keep_root = one;
    any_commits = false;
    for (std::size_t k = 0; k < S; ++k) {
      N pivot = multiply_add(counts, root[k], sum[k]);
      for (std::size_t other = k + 1; other < S; ++other) pivot = add(pivot, inner[other][k]);
      const V size = value_of(pivot);
      const M zero = hn::Eq(size, zeros);
      inverse[k] = reciprocal(pivot, hn::IfThenZeroElse(zero, hn::Div(one, size)));
      const M commits = hn::And(zero, hn::And(hn::Eq(counts, zeros), hn::Gt(value_of(root[k]), zeros)));
      if (record) outcome.product.multiply(hn::IfThenElse(commits, value_of(root[k]), size));
      sum[k] = multiply(sum[k], inverse[k]);
      root[k] = multiply(root[k], inverse[k]);
      for (std::size_t other = k + 1; other < S; ++other) inner[other][k] = multiply(inner[other][k], inverse[k]);
      for (std::size_t q = k + 1; q < S; ++q) {
        const N x = inner[k][q];
        sum[q] = multiply_add(sum[k], x, sum[q]);
        root[q] = multiply_add(root[k], x, root[q]);
        for (std::size_t other = k + 1; other < S; ++other) {
          inner[other][q] = multiply_add(inner[other][k], x, inner[other][q]);
        }
      }
      committed[k] = zeros;
      if (hn::AllFalse(d, zero)) continue;
      outcome.bad = hn::Or(outcome.bad, hn::AndNot(commits, zero));
      commit(k, commits);
    }
    fold(root);
  }

 private:
  // Where it commits, word k takes the root's place: the new root row is row k and nothing of the old one.
  HWY_NOINLINE void commit(std::size_t k, M commits) {
    const V one = hn::Set(D(), 1.0);
    for (std::size_t q = 0; q < S; ++q) {
      const N row = q < k ? constant<N>(hn::Zero(D())) : q == k ? constant<N>(one) : inner[k][q];
      root[q] = choose(commits, row, root[q]);
    }
    keep_root = hn::IfThenZeroElse(commits, keep_root);
    counts = hn::IfThenElse(commits, one, counts);
    committed[k] = hn::IfThenElseZero(commits, one);
    any_commits = true;
  }
};

}  // namespace kirchhoff::tree::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // KIRCHHOFF_LANES_PIVOTS_INL
