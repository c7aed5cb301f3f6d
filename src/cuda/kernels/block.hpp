// Eliminates up to kBlock words among themselves, and finds the factors with which other rows take these words up.
//
// This is tree/kernels/lanes_block-inl.hpp for one graph: the sum of all other rows stands for these rows, because
// pivots need no more.
#pragma once

#include "cuda/kernels/desk.hpp"
#include "cuda/kernels/kept_rows.hpp"
#include "cuda/kernels/numbers.hpp"
#include "cuda/kernels/watch.hpp"

namespace kirchhoff::cuda {

/// Eliminates the block of part q, given the sums of its columns over all other rows but the root's, and notes its own
/// weights, pivots, and the root's factors on the desk. Returns the product of the pivots.
template <class N, class S>
KIRCHHOFF_BOTH Extended eliminate_block(const Desk<N, S>& desk, const Part& part, int q, int step, N (&sum)[kBlock],
                                        char& root_counts, Watch& watch) {
  const int begin = block_begin(part, step), words = block_words(part, step);
  N inner[kBlock][kBlock], root[kBlock];
  const N zero = constant<N>(0.0), one = constant<N>(1.0);
  KIRCHHOFF_UNROLL
  for (int k = 0; k < kBlock; ++k) {
    const bool inside = k < words;
    root[k] = inside ? desk.root(q, begin + k) : zero;
    KIRCHHOFF_UNROLL
    for (int other = 0; other < kBlock; ++other) {
      inner[other][k] = inside && other < words ? desk.row_entry(begin + other, begin + k) : zero;
    }
  }
  Extended product{1.0, 0};
  bool root_kept = true;
  KIRCHHOFF_UNROLL
  for (int k = 0; k < kBlock; ++k) {
    desk.committed(q)[k] = 0;
    N inverse = zero;
    if (k < words) {
      N pivot = root_counts != 0 ? add(sum[k], root[k]) : sum[k];
      KIRCHHOFF_UNROLL
      for (int other = k + 1; other < kBlock; ++other) pivot = add(pivot, inner[other][k]);
      see(watch.entries, pivot);
      see(watch.entries, root[k]);
      const bool commits = is_zero(pivot) && root_counts == 0 && !is_zero(root[k]);
      watch.bad = watch.bad || (is_zero(pivot) && !commits);
      product = multiply(product, extended_of(commits ? root[k] : pivot));
      inverse = is_zero(pivot) ? zero : reciprocal(pivot);
      sum[k] = multiply(sum[k], inverse);
      root[k] = multiply(root[k], inverse);
      KIRCHHOFF_UNROLL
      for (int other = k + 1; other < kBlock; ++other) inner[other][k] = multiply(inner[other][k], inverse);
      KIRCHHOFF_UNROLL
      for (int c = k + 1; c < kBlock; ++c) {
        const N x = inner[k][c];
        sum[c] = multiply_add(sum[k], x, sum[c]);
        root[c] = multiply_add(root[k], x, root[c]);
        KIRCHHOFF_UNROLL
        for (int other = k + 1; other < kBlock; ++other) {
          inner[other][c] = multiply_add(inner[other][k], x, inner[other][c]);
        }
      }
      if (commits) {  // word k takes the root's place: the new root row is row k and nothing of the old one
        KIRCHHOFF_UNROLL
        for (int c = 0; c < kBlock; ++c) root[c] = c < k ? zero : c == k ? one : inner[k][c];
        root_kept = false;
        root_counts = 1;
        desk.committed(q)[k] = 1;
      }
    }
    desk.inverses(q)[k] = inverse;
  }
  KIRCHHOFF_UNROLL
  for (int k = kBlock - 1; k > 0; --k) {
    KIRCHHOFF_UNROLL
    for (int c = 0; c < k; ++c) root[c] = multiply_add(root[k], inner[k][c], root[c]);
  }
  KIRCHHOFF_UNROLL
  for (int k = 0; k < kBlock; ++k) {
    see(watch.factors, root[k]);
    desk.root_factors(q)[k] = root[k];
    KIRCHHOFF_UNROLL
    for (int other = 0; other < kBlock; ++other) desk.block(q)[other * kBlock + k] = inner[other][k];
  }
  desk.root_kept()[q] = root_kept;
  return product;
}

/// Turns a row's weights to the block's words into its factors: eliminates these words, and folds in that the block's
/// rows are themselves updated by earlier ones of the block.
template <class N, class S>
KIRCHHOFF_BOTH void find_factors(const Desk<N, S>& desk, int q, N (&c)[kBlock], Watch& watch) {
  const N* const inner = desk.block(q);
  KIRCHHOFF_UNROLL
  for (int k = 0; k < kBlock; ++k) {
    c[k] = multiply(c[k], desk.inverses(q)[k]);
    KIRCHHOFF_UNROLL
    for (int other = k + 1; other < kBlock; ++other) {
      c[other] = multiply_add(c[k], inner[k * kBlock + other], c[other]);
    }
  }
  KIRCHHOFF_UNROLL
  for (int k = kBlock - 1; k > 0; --k) {
    KIRCHHOFF_UNROLL
    for (int other = 0; other < k; ++other) c[other] = multiply_add(c[k], inner[k * kBlock + other], c[other]);
  }
  KIRCHHOFF_UNROLL
  for (int k = 0; k < kBlock; ++k) see(watch.factors, c[k]);
}

}  // namespace kirchhoff::cuda
