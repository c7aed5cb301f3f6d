// Eliminates some words of all graphs of a group, one graph in each lane; for files that are compiled once per
// instruction set.
#if defined(KIRCHHOFF_LANES_BLOCK_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef KIRCHHOFF_LANES_BLOCK_INL
#undef KIRCHHOFF_LANES_BLOCK_INL
#else
#define KIRCHHOFF_LANES_BLOCK_INL
#endif

#include "tree/kernels/lanes_pivots-inl.hpp"

#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace kirchhoff::tree::HWY_NAMESPACE {

// Rows that take up a block's together. Registers are the limit: where they are few, a row takes more columns at a time
// instead.
template <class N>
inline constexpr std::size_t kRows = kLanes == 8                  ? (kIsDual<N> ? 2 : 4)
                                     : kLanes == 4 && !kIsDual<N> ? 3
                                                                  : 1;

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

// out = in + factor * words in the columns [begin, end), for R rows, T columns at a time. Strides are copied because
// stores might change those of m, for all that the compiler knows. Returns the first column that is left.
template <std::size_t T, class N, std::size_t S, std::size_t R>
HWY_INLINE std::size_t add_columns(const LaneMatrices& m, const N (&factor)[R][S], const double* HWY_RESTRICT words,
                                   const double* in, double* out, std::size_t begin, std::size_t end) {
  const std::size_t stride = m.stride, plane = m.plane;
  for (; begin + T <= end; begin += T) {
    N sum[R][T];
    for (std::size_t r = 0; r < R; ++r) {
      for (std::size_t t = 0; t < T; ++t) sum[r][t] = load<N>(in + r * stride + (begin + t) * kLanes, plane);
    }
    for (std::size_t k = 0; k < S; ++k) {
      for (std::size_t t = 0; t < T; ++t) {
        const N x = load<N>(words + k * stride + (begin + t) * kLanes, plane);
        for (std::size_t r = 0; r < R; ++r) sum[r][t] = multiply_add(factor[r][k], x, sum[r][t]);
      }
    }
    for (std::size_t r = 0; r < R; ++r) {
      for (std::size_t t = 0; t < T; ++t) store(sum[r][t], out + r * stride + (begin + t) * kLanes, plane);
    }
  }
  return begin;
}

// R rows take up the block's, whose own columns are written elsewhere.
template <std::size_t R, class N, std::size_t S>
HWY_INLINE void add_rows(const LaneMatrices& m, const double* factors, const double* words, std::size_t first,
                         const double* in, double* out) {
  N factor[R][S];
  for (std::size_t r = 0; r < R; ++r) {
    for (std::size_t k = 0; k < S; ++k) factor[r][k] = load<N>(factors + (r * S + k) * kSize<N>, kLanes);
  }
  const auto add_range = [&](std::size_t begin, std::size_t end) HWY_ATTR {
    if constexpr (R == 1 && !kIsDual<N>) begin = add_columns<8>(m, factor, words, in, out, begin, end);
    add_columns<1>(m, factor, words, in, out, begin, end);
  };
  add_range(0, first);
  add_range(first + S, m.longest);
}

// Reads the block's weights, and sums up those of the kept rows.
template <class N, std::size_t S>
HWY_INLINE void read_block(const LaneMatrices& m, const Part& part, const Step& step, LaneBlock<N, S>& block) {
  const std::size_t first = step.first, stride = m.stride, plane = m.plane;
  const double* const words = part.words + (first - part.begin) * stride;
  const double* const kept = part.words + (step.kept - part.begin) * stride + first * kLanes;
  N even[S];
  for (std::size_t k = 0; k < S; ++k) {
    const std::size_t column = (first + k) * kLanes;
    for (std::size_t other = 0; other < S; ++other) {
      block.inner[other][k] = load<N>(words + other * stride + column, plane);
    }
    block.sum[k] = constant<N>(at(m.exits, first + k));
    even[k] = constant<N>(hn::Zero(D()));
    block.root[k] = load<N>(part.root + column, plane);
  }
  for (std::size_t r = 0; r < step.rows; r += 2) {  // in two sums, neither of which waits for the other
    const double* const row = kept + r * stride;
    for (std::size_t k = 0; k < S; ++k) even[k] = add(even[k], load<N>(row + k * kLanes, plane));
    if (r + 1 == step.rows) break;
    for (std::size_t k = 0; k < S; ++k) block.sum[k] = add(block.sum[k], load<N>(row + stride + k * kLanes, plane));
  }
  for (std::size_t k = 0; k < S; ++k) block.sum[k] = add(block.sum[k], even[k]);
  block.counts = part.counts;
}

// The root's row takes up the block's.
template <class N, std::size_t S>
HWY_INLINE void add_to_root(const LaneMatrices& m, const Part& part, const Step& step, const LaneBlock<N, S>& block) {
  const D d;
  const std::size_t first = step.first, plane = m.plane;
  const double* in = part.root;
  if (block.any_commits) {
    for (std::size_t i = 0; i < m.longest * kLanes; i += kLanes) {
      store(multiply(block.keep_root, load<N>(in + i, plane)), step.root_out + i, plane);
    }
    in = step.root_out;
  }
  for (std::size_t k = 0; k < S; ++k) store(block.root[k], m.factors + k * kSize<N>, kLanes);
  const double* const words = part.words + (first - part.begin) * m.stride;
  add_rows<1, N, S>(m, m.factors, words, first, in, step.root_out);
  for (std::size_t k = 0; k < S; ++k) {
    const N total = load<N>(m.totals + (first + k) * kLanes, plane);
    N own = multiply(block.root[k], total);
    if (block.any_commits) {  // a committed word's own walk ends in the root for sure
      const N all = choose(hn::Eq(value_of(total), hn::Zero(d)), constant<N>(hn::Set(d, 1.0)), total);
      own = choose(hn::Ne(block.committed[k], hn::Zero(d)), all, own);
    }
    store(own, step.root_out + (first + k) * kLanes, plane);
  }
}

// Eliminates S words. Returns where the root counts then.
//
// Columns of the words themselves need no sums: if C are the coefficients of a row, its weights to these words become
// C times the totals of their columns, which elimination does not change.
template <class N, std::size_t S>
HWY_NOINLINE V eliminate(const LaneMatrices& m, const Part& part, const Step& step, LaneOutcome& outcome) {
  const std::size_t rows = step.rows, first = step.first, stride = m.stride, plane = m.plane;
  const double* const words = part.words + (first - part.begin) * stride;
  const double* const kept = part.words + (step.kept - part.begin) * stride;
  LaneBlock<N, S> block;
  read_block(m, part, step, block);
  block.eliminate(step.record, outcome);
  add_to_root(m, part, step, block);
  N totals[S];
  for (std::size_t k = 0; k < S; ++k) totals[k] = load<N>(m.totals + (first + k) * kLanes, plane);
  double* const factors = m.factors;
  for (std::size_t r = 0; r < rows; ++r) {
    N c[S];
    for (std::size_t k = 0; k < S; ++k) c[k] = load<N>(kept + r * stride + (first + k) * kLanes, plane);
    block.reduce_row(c);
    for (std::size_t k = 0; k < S; ++k) {
      store(c[k], factors + (r * S + k) * kSize<N>, kLanes);
      store(multiply(c[k], totals[k]), step.kept_out + r * stride + (first + k) * kLanes, plane);
    }
  }
  std::size_t r = 0;
  const auto add_all = [&]<std::size_t R>() HWY_ATTR {
    for (; r + R <= rows; r += R) {
      add_rows<R, N, S>(m, factors + r * S * kSize<N>, words, first, kept + r * stride, step.kept_out + r * stride);
    }
  };
  if constexpr (kRows<N> == 4) add_all.template operator()<4>();
  if constexpr (kRows<N> == 3) add_all.template operator()<3>();
  if constexpr (kRows<N> >= 2) add_all.template operator()<2>();
  add_all.template operator()<1>();
  return block.counts;
}

}  // namespace kirchhoff::tree::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // KIRCHHOFF_LANES_BLOCK_INL
