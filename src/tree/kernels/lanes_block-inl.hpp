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
template <class N>
inline constexpr std::size_t kRows = (kLanes == 8 ? 4 : 2) / (kIsDual<N> ? 2 : 1);

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
template <class N, std::size_t S>
struct LaneBlock {
  N inner[S][S];  // [k'][k]: weight of block word k' -> block word k; below the diagonal divided by the pivot of k
  N inverse[S];   // of the pivots

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
};

// out = keep * in + factor * words, for R rows. Strides are copied because stores might change those of m, for all
// that the compiler knows.
template <class N, std::size_t S, std::size_t R>
HWY_INLINE void add_block(const LaneMatrices& m, const N (&factor)[R][S], const double* HWY_RESTRICT words,
                          [[maybe_unused]] V keep, const double* in, double* out) {
  const std::size_t stride = m.stride, plane = m.plane;
  const double* const end = in + m.longest * kLanes;
  for (; in != end; in += kLanes, out += kLanes, words += kLanes) {
    N sum[R];
    for (std::size_t r = 0; r < R; ++r) sum[r] = load<N>(in + r * stride, plane);
    if constexpr (R == 1) sum[0] = multiply(keep, sum[0]);
    for (std::size_t k = 0; k < S; ++k) {
      const N x = load<N>(words + k * stride, plane);
      for (std::size_t r = 0; r < R; ++r) sum[r] = multiply_add(factor[r][k], x, sum[r]);
    }
    for (std::size_t r = 0; r < R; ++r) store(sum[r], out + r * stride, plane);
  }
}

// R kept rows take up the block's.
template <std::size_t R, class N, std::size_t S>
HWY_INLINE void add_to_rows(const LaneMatrices& m, const LaneBlock<N, S>& block, std::size_t first, const double* words,
                            const double* in, double* out) {
  N factor[R][S];
  for (std::size_t r = 0; r < R; ++r) {
    for (std::size_t k = 0; k < S; ++k) factor[r][k] = load<N>(in + r * m.stride + (first + k) * kLanes, m.plane);
    block.reduce_row(factor[r]);
  }
  add_block(m, factor, words, hn::Set(D(), 1.0), in, out);
}

// Eliminates S words. Returns where the root counts then.
template <class N, std::size_t S>
HWY_NOINLINE V eliminate(const LaneMatrices& m, const Part& part, const Step& step, LaneOutcome& outcome) {
  const D d;
  const V one = hn::Set(d, 1.0), zeros = hn::Zero(d);
  const N nothing = constant<N>(zeros);
  const std::size_t rows = step.rows, first = step.first, stride = m.stride, plane = m.plane;
  const double* const words = part.words + (first - part.begin) * stride;
  const double* const kept = part.words + (step.kept - part.begin) * stride;
  LaneBlock<N, S> block;
  N sum[S], root_row[1][S];
  V committed[S];
  N(&root)[S] = root_row[0];
  for (std::size_t k = 0; k < S; ++k) {
    const std::size_t column = (first + k) * kLanes;
    for (std::size_t other = 0; other < S; ++other) {
      block.inner[other][k] = load<N>(words + other * stride + column, plane);
    }
    sum[k] = constant<N>(at(m.exits, first + k));
    root[k] = load<N>(part.root + column, plane);
    committed[k] = zeros;
  }
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t k = 0; k < S; ++k) {
      sum[k] = add(sum[k], load<N>(kept + r * stride + (first + k) * kLanes, plane));
    }
  }
  V counts = part.counts, keep_root = one;
  for (std::size_t k = 0; k < S; ++k) {
    N pivot = multiply_add(counts, root[k], sum[k]);
    for (std::size_t other = k + 1; other < S; ++other) pivot = add(pivot, block.inner[other][k]);
    const V size = value_of(pivot);
    const M zero = hn::Eq(size, zeros);
    const N inverse = reciprocal(pivot, hn::IfThenZeroElse(zero, hn::Div(one, size)));
    const M commits = hn::And(zero, hn::And(hn::Eq(counts, zeros), hn::Gt(value_of(root[k]), zeros)));
    if (step.record) outcome.product.multiply(hn::IfThenElse(commits, value_of(root[k]), size));
    block.inverse[k] = inverse;
    sum[k] = multiply(sum[k], inverse);
    root[k] = multiply(root[k], inverse);
    for (std::size_t other = k + 1; other < S; ++other) {
      block.inner[other][k] = multiply(block.inner[other][k], inverse);
    }
    for (std::size_t q = k + 1; q < S; ++q) {
      const N x = block.inner[k][q];
      sum[q] = multiply_add(sum[k], x, sum[q]);
      root[q] = multiply_add(root[k], x, root[q]);
      for (std::size_t other = k + 1; other < S; ++other) {
        block.inner[other][q] = multiply_add(block.inner[other][k], x, block.inner[other][q]);
      }
    }
    if (hn::AllFalse(d, zero)) continue;
    // Where it commits, word k takes the root's place: the new root row is row k and nothing of the old one.
    outcome.bad = hn::Or(outcome.bad, hn::AndNot(commits, zero));
    for (std::size_t q = 0; q < k; ++q) root[q] = choose(commits, nothing, root[q]);
    root[k] = choose(commits, constant<N>(one), root[k]);
    for (std::size_t q = k + 1; q < S; ++q) root[q] = choose(commits, block.inner[k][q], root[q]);
    keep_root = hn::IfThenZeroElse(commits, keep_root);
    counts = hn::IfThenElse(commits, one, counts);
    committed[k] = hn::IfThenElseZero(commits, one);
  }
  block.fold(root);
  add_block(m, root_row, words, keep_root, part.root, step.root_out);
  std::size_t r = 0;
  const auto add_rows = [&]<std::size_t R>() HWY_ATTR {
    for (; r + R <= rows; r += R) {
      add_to_rows<R>(m, block, first, words, kept + r * stride, step.kept_out + r * stride);
    }
  };
  if constexpr (kRows<N> == 4) add_rows.template operator()<4>();
  if constexpr (kRows<N> >= 2) add_rows.template operator()<2>();
  add_rows.template operator()<1>();
  if (!hn::AllTrue(d, hn::Eq(keep_root, one))) {
    // A committed word's own walk ends in the root for sure.
    for (std::size_t k = 0; k < S; ++k) {
      double* const own = step.root_out + (first + k) * kLanes;
      store(choose(hn::Eq(committed[k], one), constant<N>(one), load<N>(own, plane)), own, plane);
    }
  }
  return counts;
}

}  // namespace kirchhoff::tree::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // KIRCHHOFF_LANES_BLOCK_INL
