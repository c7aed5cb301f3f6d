// Eliminates some words of all graphs of a group, one graph in each lane; for files that are compiled once per
// instruction set.
#if defined(KIRCHHOFF_LANES_BLOCK_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef KIRCHHOFF_LANES_BLOCK_INL
#undef KIRCHHOFF_LANES_BLOCK_INL
#else
#define KIRCHHOFF_LANES_BLOCK_INL
#endif

#include "tree/kernels/lanes_matrices-inl.hpp"

#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace kirchhoff::tree::HWY_NAMESPACE {

// Rows that take up a block's together; registers are the limit.
inline constexpr std::size_t kRows = kLanes == 8 ? 4 : 2;

// A graph on the root and the words [begin, end).
struct Part {
  const double* root;
  const double* words;  // row of word `begin`
  std::size_t begin, end;
  V counts;  // 1 where the root's weights are in the pivots: multi-root, or committed
};

// What is eliminated: words from `first` on. The root's row and those of `rows` words from `kept` on remain.
struct Step {
  std::size_t first, kept, rows;
  double* root_out;
  double* kept_out;
  bool record;  // the pivots are factors of Z
};

// What an elimination tells of each lane.
struct LaneOutcome {
  LaneProduct product;  // Z of the scaled weights
  M bad;                // a pivot was zero that must not be
  LaneOutcome() : bad(hn::Lt(hn::Zero(D()), hn::Zero(D()))) {}
};

// S words that are eliminated together. First they are eliminated among themselves, where the sum of all kept rows
// stands for these rows: pivots need no more. Then each kept row is taken through the same steps.
template <std::size_t S>
struct LaneBlock {
  V inner[S][S];  // [k'][k]: weight of block word k' -> block word k; below the diagonal divided by the pivot of k
  V inverse[S];   // of the pivots

  // The coefficients with which a row takes up the block's rows, from its weights to the block's words: eliminates
  // these, and folds in that block rows are themselves updated by earlier block rows.
  HWY_INLINE void reduce_row(V (&c)[S]) const {
    for (std::size_t k = 0; k < S; ++k) {
      c[k] = hn::Mul(c[k], inverse[k]);
      for (std::size_t q = k + 1; q < S; ++q) c[q] = hn::MulAdd(c[k], inner[k][q], c[q]);
    }
    fold(c);
  }
  HWY_INLINE void fold(V (&c)[S]) const {
    for (std::size_t k = S - 1; k > 0; --k) {
      for (std::size_t q = 0; q < k; ++q) c[q] = hn::MulAdd(c[k], inner[k][q], c[q]);
    }
  }
};

// out = keep * in + factor * words, for R rows. Strides are copied because stores might change those of m, for all
// that the compiler knows.
template <std::size_t S, std::size_t R>
HWY_INLINE void add_block(const LaneMatrices& m, const V (&factor)[R][S], const double* HWY_RESTRICT words,
                          [[maybe_unused]] V keep, const double* in, double* out) {
  const std::size_t stride = m.stride;
  const double* const end = in + m.longest * kLanes;
  for (; in != end; in += kLanes, out += kLanes, words += kLanes) {
    V sum[R];
    for (std::size_t r = 0; r < R; ++r) sum[r] = hn::Load(D(), in + r * stride);
    if constexpr (R == 1) sum[0] = hn::Mul(keep, sum[0]);
    for (std::size_t k = 0; k < S; ++k) {
      const V x = hn::Load(D(), words + k * stride);
      for (std::size_t r = 0; r < R; ++r) sum[r] = hn::MulAdd(factor[r][k], x, sum[r]);
    }
    for (std::size_t r = 0; r < R; ++r) hn::Store(sum[r], D(), out + r * stride);
  }
}

// R kept rows take up the block's.
template <std::size_t R, std::size_t S>
HWY_INLINE void add_to_rows(const LaneMatrices& m, const LaneBlock<S>& block, std::size_t first, const double* words,
                            const double* in, double* out) {
  V factor[R][S];
  for (std::size_t r = 0; r < R; ++r) {
    for (std::size_t k = 0; k < S; ++k) factor[r][k] = at(in + r * m.stride, first + k);
    block.reduce_row(factor[r]);
  }
  add_block(m, factor, words, hn::Set(D(), 1.0), in, out);
}

// Eliminates S words. Returns where the root counts then.
template <std::size_t S>
HWY_NOINLINE V eliminate(const LaneMatrices& m, const Part& part, const Step& step, LaneOutcome& outcome) {
  const D d;
  const V one = hn::Set(d, 1.0), zeros = hn::Zero(d);
  const std::size_t rows = step.rows, first = step.first, stride = m.stride;
  const double* const words = part.words + (first - part.begin) * stride;
  const double* const kept = part.words + (step.kept - part.begin) * stride;
  LaneBlock<S> block;
  V sum[S], root_row[1][S], committed[S];
  V(&root)[S] = root_row[0];
  for (std::size_t k = 0; k < S; ++k) {
    for (std::size_t other = 0; other < S; ++other) block.inner[other][k] = at(words + other * stride, first + k);
    sum[k] = at(m.exits, first + k);
    root[k] = at(part.root, first + k);
    committed[k] = zeros;
  }
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t k = 0; k < S; ++k) sum[k] = hn::Add(sum[k], at(kept + r * stride, first + k));
  }
  V counts = part.counts, keep_root = one;
  for (std::size_t k = 0; k < S; ++k) {
    V pivot = hn::MulAdd(counts, root[k], sum[k]);
    for (std::size_t other = k + 1; other < S; ++other) pivot = hn::Add(pivot, block.inner[other][k]);
    const M zero = hn::Eq(pivot, zeros);
    const V inverse = hn::IfThenZeroElse(zero, hn::Div(one, pivot));
    const M commits = hn::And(zero, hn::And(hn::Eq(counts, zeros), hn::Gt(root[k], zeros)));
    if (step.record) outcome.product.multiply(hn::IfThenElse(commits, root[k], pivot));
    block.inverse[k] = inverse;
    sum[k] = hn::Mul(sum[k], inverse);
    root[k] = hn::Mul(root[k], inverse);
    for (std::size_t other = k + 1; other < S; ++other) {
      block.inner[other][k] = hn::Mul(block.inner[other][k], inverse);
    }
    for (std::size_t q = k + 1; q < S; ++q) {
      const V x = block.inner[k][q];
      sum[q] = hn::MulAdd(sum[k], x, sum[q]);
      root[q] = hn::MulAdd(root[k], x, root[q]);
      for (std::size_t other = k + 1; other < S; ++other) {
        block.inner[other][q] = hn::MulAdd(block.inner[other][k], x, block.inner[other][q]);
      }
    }
    if (hn::AllFalse(d, zero)) continue;
    // Where it commits, word k takes the root's place: the new root row is row k and nothing of the old one.
    outcome.bad = hn::Or(outcome.bad, hn::AndNot(commits, zero));
    for (std::size_t q = 0; q < k; ++q) root[q] = hn::IfThenZeroElse(commits, root[q]);
    root[k] = hn::IfThenElse(commits, one, root[k]);
    for (std::size_t q = k + 1; q < S; ++q) root[q] = hn::IfThenElse(commits, block.inner[k][q], root[q]);
    keep_root = hn::IfThenZeroElse(commits, keep_root);
    counts = hn::IfThenElse(commits, one, counts);
    committed[k] = hn::IfThenElseZero(commits, one);
  }
  block.fold(root);
  add_block(m, root_row, words, keep_root, part.root, step.root_out);
  std::size_t r = 0;
  if constexpr (kRows == 4) {
    for (; r + 4 <= rows; r += 4) add_to_rows<4>(m, block, first, words, kept + r * stride, step.kept_out + r * stride);
  }
  for (; r + 2 <= rows; r += 2) add_to_rows<2>(m, block, first, words, kept + r * stride, step.kept_out + r * stride);
  if (r < rows) add_to_rows<1>(m, block, first, words, kept + r * stride, step.kept_out + r * stride);
  if (!hn::AllTrue(d, hn::Eq(keep_root, one))) {
    // A committed word's own walk ends in the root for sure.
    for (std::size_t k = 0; k < S; ++k) {
      put(step.root_out, first + k, hn::IfThenElse(hn::Eq(committed[k], one), one, at(step.root_out, first + k)));
    }
  }
  return counts;
}

}  // namespace kirchhoff::tree::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // KIRCHHOFF_LANES_BLOCK_INL
