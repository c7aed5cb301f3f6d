// Eliminates up to W words among themselves, and finds the factors with which other rows take these words up.
//
// This is tree/kernels/lanes_block-inl.hpp for one graph: the sum of all other rows stands for these rows, because
// pivots need no more.
#pragma once

#include "cuda/kernels/desk.hpp"
#include "cuda/kernels/numbers.hpp"
#include "cuda/kernels/watch.hpp"

namespace kirchhoff::cuda {

/// The first word of the block that a part eliminates in its step `step`, and how many there are; there may be none.
template <int W>
KIRCHHOFF_BOTH int block_begin(const Part& part, int step) {
  return part.going + step * W;
}
template <int W>
KIRCHHOFF_BOTH int block_words(const Part& part, int step) {
  const int left = part.gone - block_begin<W>(part, step);
  return left < 0 ? 0 : left < W ? left : W;
}

/// Eliminates the block of part q, given the sums of its columns over all other rows but the root's, and notes its own
/// weights, pivots, and the root's factors on the desk. Word r's row is row r - offset of the desk.
template <int W, class N, class S>
KIRCHHOFF_BOTH void eliminate_block(const Desk<N, S>& desk, int q, int step, int offset, N (&sum)[W], Watch& watch) {
  const Part part = desk.parts()[q];
  const int begin = block_begin<W>(part, step), words = block_words<W>(part, step);
  const N zero = constant<N>(0.0), one = constant<N>(1.0);
  N inner[W][W], root[W];
  KIRCHHOFF_UNROLL
  for (int k = 0; k < W; ++k) {
    root[k] = k < words ? desk.root(q, begin + k) : zero;
    KIRCHHOFF_UNROLL
    for (int other = 0; other < W; ++other) {
      inner[other][k] = k < words && other < words ? desk.row_entry(begin + other - offset, begin + k) : zero;
    }
  }
  bool root_counts = desk.root_counts()[q] != 0, root_kept = true;
  KIRCHHOFF_UNROLL
  for (int k = 0; k < W; ++k) {
    N pivot = root_counts ? add(sum[k], root[k]) : sum[k];
    KIRCHHOFF_UNROLL
    for (int other = k + 1; other < W; ++other) pivot = add(pivot, inner[other][k]);
    const bool none = is_zero(pivot), commits = none && !root_counts && !is_zero(root[k]);
    watch.bad = watch.bad || (k < words && none && !commits);
    see_small(watch.entries, pivot);
    if (q == 0 && k < words) desk.pivots()[begin + k] = commits ? root[k] : pivot;
    const N inverse = none ? zero : reciprocal(pivot);
    desk.inverses(q)[k] = inverse;
    sum[k] = multiply(sum[k], inverse);
    root[k] = multiply(root[k], inverse);
    KIRCHHOFF_UNROLL
    for (int other = k + 1; other < W; ++other) inner[other][k] = multiply(inner[other][k], inverse);
    KIRCHHOFF_UNROLL
    for (int c = k + 1; c < W; ++c) {
      const N x = inner[k][c];
      sum[c] = multiply_add(sum[k], x, sum[c]);
      root[c] = multiply_add(root[k], x, root[c]);
      KIRCHHOFF_UNROLL
      for (int other = k + 1; other < W; ++other) inner[other][c] = multiply_add(inner[other][k], x, inner[other][c]);
    }
    desk.committed(q)[k] = static_cast<char>(commits);
    if (commits) {  // word k takes the root's place: the new root row is row k and nothing of the old one
      KIRCHHOFF_UNROLL
      for (int c = 0; c < W; ++c) root[c] = c < k ? zero : c == k ? one : inner[k][c];
      root_kept = false;
      root_counts = true;
    }
  }
  KIRCHHOFF_UNROLL
  for (int k = W - 1; k > 0; --k) {
    KIRCHHOFF_UNROLL
    for (int c = 0; c < k; ++c) root[c] = multiply_add(root[k], inner[k][c], root[c]);
  }
  KIRCHHOFF_UNROLL
  for (int k = 0; k < W; ++k) {
    see(watch.factors, root[k]);
    desk.root_factors(q)[k] = root[k];
    KIRCHHOFF_UNROLL
    for (int other = 0; other < W; ++other) desk.template block<W>(q)[other * W + k] = inner[other][k];
  }
  desk.root_kept()[q] = static_cast<char>(root_kept);
  desk.root_counts()[q] = static_cast<char>(root_counts);
}

/// Turns a row's weights to the block's words into its factors: eliminates these words, and folds in that the block's
/// rows are themselves updated by earlier ones of the block.
template <int W, class N, class S>
KIRCHHOFF_BOTH void find_factors(const Desk<N, S>& desk, int q, N (&c)[W], Watch& watch) {
  N inner[W][W];
  KIRCHHOFF_UNROLL
  for (int k = 0; k < W; ++k) {
    KIRCHHOFF_UNROLL
    for (int other = 0; other < W; ++other) inner[k][other] = desk.template block<W>(q)[k * W + other];
  }
  KIRCHHOFF_UNROLL
  for (int k = 0; k < W; ++k) {
    c[k] = multiply(c[k], desk.inverses(q)[k]);
    KIRCHHOFF_UNROLL
    for (int other = k + 1; other < W; ++other) c[other] = multiply_add(c[k], inner[k][other], c[other]);
  }
  KIRCHHOFF_UNROLL
  for (int k = W - 1; k > 0; --k) {
    KIRCHHOFF_UNROLL
    for (int other = 0; other < k; ++other) c[other] = multiply_add(c[k], inner[k][other], c[other]);
  }
  KIRCHHOFF_UNROLL
  for (int k = 0; k < W; ++k) see_small(watch.factors, c[k]);
}

}  // namespace kirchhoff::cuda
