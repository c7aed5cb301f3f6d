// Inverts the Laplacians of a group of graphs with mild weights, one graph in each lane (tree/fast/fast.cpp has the
// mathematics); for files that are compiled once per instruction set.
//
// The first word is the one that single-root graphs keep: the last one may only fill a graph up.
#if defined(KIRCHHOFF_LANES_INVERSE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef KIRCHHOFF_LANES_INVERSE_INL
#undef KIRCHHOFF_LANES_INVERSE_INL
#else
#define KIRCHHOFF_LANES_INVERSE_INL
#endif

#include "tree/kernels/lanes_block-inl.hpp"
#include "tree/kernels/lanes_group-inl.hpp"

#include <algorithm>
#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace kirchhoff::tree::HWY_NAMESPACE {

// Weights are scaled by each word's best, so that a word's total is 1 where it is certain of its head. Bounds fail
// where words are: with totals of 1.1 and more, hardly any graph is inverted in vain.
inline constexpr double kMildTotal = 1.1;
inline constexpr double kSmallestInverted = 1e-90;  // What underflows on the way does not change numbers above.

// Lanes where it is worth trying.
inline M mild_lanes(const Group& group) {
  const D d;
  const LaneMatrices& m = group.m;
  const V mild = hn::Set(d, kMildTotal), zeros = hn::Zero(d);
  M all = hn::Not(group.bad);
  for (std::size_t c = 0; c < m.longest; ++c) {
    all = hn::And(all, hn::Or(hn::Gt(at(m.totals, c), mild), hn::Ne(at(m.exits, c), zeros)));
  }
  return all;
}

// R rows after each other take up a block's.
template <std::size_t R, std::size_t S>
HWY_INLINE void add_to_rows(const LaneMatrices& m, const double* words, std::size_t first, const double* in,
                            double* out, std::size_t begin, std::size_t& r, std::size_t end) {
  for (; r + R <= end; r += R) {
    add_rows<R, V, S>(m, m.factors + (r - begin) * S * kLanes, words, first, in + r * m.stride, out + r * m.stride);
  }
}

// Eliminates S words from all rows of `in`, into m.slopes.
template <std::size_t S>
HWY_NOINLINE void invert_words(const LaneMatrices& m, const double* in, std::size_t first, LaneOutcome& outcome) {
  const D d;
  const std::size_t stride = m.stride, longest = m.longest;
  double* const out = m.slopes;
  const double* const words = in + (1 + first) * stride;
  const V zeros = hn::Zero(d), one = hn::Set(d, 1.0);
  LaneBlock<V, S> block;
  const Part part{in, in + stride, 0, longest, m.single_root ? zeros : one};
  read_block(m, part, Step{first, first + S, longest - first - S, nullptr, nullptr, true}, block);
  if (m.single_root) {
    for (std::size_t k = 0; k < S; ++k) block.sum[k] = hn::Add(block.sum[k], at(in + stride, first + k));
  }
  block.eliminate(true, outcome);
  for (std::size_t k = 0; k < S; ++k) {  // the inverse of a pivot of 0 is 0
    const M good =
        hn::And(hn::Gt(block.inverse[k], zeros), hn::Le(block.inverse[k], hn::Set(d, 1 / kSmallestInverted)));
    outcome.bad = hn::Or(outcome.bad, hn::Not(good));
  }
  const auto take_up = [&](std::size_t begin, std::size_t end) HWY_ATTR {
    for (std::size_t r = begin; r < end; ++r) {
      V c[S];
      for (std::size_t k = 0; k < S; ++k) c[k] = at(in + r * stride, first + k);
      block.reduce_row(c);
      for (std::size_t k = 0; k < S; ++k) {
        put(m.factors, (r - begin) * S + k, c[k]);
        put(out + r * stride, first + k, c[k]);
      }
    }
    std::size_t r = begin;
    if constexpr (kRows<V> >= 3) add_to_rows<kRows<V>, S>(m, words, first, in, out, begin, r, end);
    add_to_rows<2, S>(m, words, first, in, out, begin, r, end);
    add_to_rows<1, S>(m, words, first, in, out, begin, r, end);
  };
  take_up(0, 1 + first);
  take_up(1 + first + S, 1 + longest);
  V own[S][S];
  for (std::size_t b = 0; b < S; ++b) {
    for (std::size_t k = 0; k < S; ++k) own[b][k] = k == b ? one : zeros;
    block.reduce_row(own[b]);
  }
  double* const to = out + (1 + first) * stride;
  const auto replace = [&](std::size_t begin, std::size_t end) HWY_ATTR {
    for (std::size_t c = begin; c < end; ++c) {
      V old[S];
      for (std::size_t k = 0; k < S; ++k) old[k] = at(words + k * stride, c);
      for (std::size_t b = 0; b < S; ++b) {
        V sum = hn::Mul(own[b][0], old[0]);
        for (std::size_t k = 1; k < S; ++k) sum = hn::MulAdd(own[b][k], old[k], sum);
        put(to + b * stride, c, sum);
      }
    }
  };
  replace(0, first);
  replace(first + S, longest);
  for (std::size_t b = 0; b < S; ++b) {
    for (std::size_t k = 0; k < S; ++k) put(to + b * stride, first + k, own[b][k]);
  }
}

// The inverse D, and what marginals are made of: p_ij = w_ij (base_j - D_ji + u_i g_j), with an error of at most w_ij
// (bound_j + scale u_i g_j), in units of the tolerance. The room for slopes has u, and below it D.
struct LaneInverse {
  V scale;
  double* terms;  // base, g and bound of each word

  HWY_INLINE V base(std::size_t j) const { return at(terms, 3 * j); }
  HWY_INLINE V g(std::size_t j) const { return at(terms, 3 * j + 1); }
  HWY_INLINE V bound(std::size_t j) const { return at(terms, 3 * j + 2); }
  HWY_INLINE void set(std::size_t j, V base, V g, V bound) const {
    put(terms, 3 * j, base);
    put(terms, 3 * j + 1, g);
    put(terms, 3 * j + 2, bound);
  }
};

// Inverts. Marginals are products in some places, of numbers that must not be too small: lanes where they are are bad.
inline void invert(const Group& group, const LaneInverse& inverse, LaneOutcome& outcome) {
  const D d;
  const LaneMatrices& m = group.m;
  const std::size_t kept = m.single_root ? 1 : 0, stride = m.stride, longest = m.longest;
  constexpr decltype(&invert_words<1>) kInvert[] = {&invert_words<1>, &invert_words<2>, &invert_words<3>,
                                                    &invert_words<4>};
  const double* in = m.weights;
  for (std::size_t first = kept; first < longest; first += kWordsTogether) {
    kInvert[std::min(kWordsTogether, longest - first) - 1](m, in, first, outcome);
    in = m.slopes;
  }
  double* const u = m.slopes;
  double* const rows = u + stride;
  const V zeros = hn::Zero(d), smallest = hn::Set(d, kSmallestInverted);
  if (!m.single_root) {
    for (std::size_t j = 0; j < longest; ++j) {
      const V own = at(rows + j * stride, j);
      inverse.set(j, own, zeros, hn::Mul(inverse.scale, own));
    }
    return;
  }
  const V z = at(u, 0), inverse_z = hn::Div(hn::Set(d, 1.0), z);
  outcome.product.multiply(z);
  M good = hn::Ge(z, smallest);
  put(u, 0, zeros);
  inverse.set(0, zeros, inverse_z, zeros);
  for (std::size_t c = 0; c < longest; ++c) put(rows, c, zeros);
  for (std::size_t j = 1; j < longest; ++j) {
    double* const row = rows + j * stride;
    const V to_kept = at(row, 0), own = at(row, j), root = at(u, j);
    put(row, 0, zeros);
    const M large = hn::And(hn::Ge(to_kept, smallest), hn::Ge(root, smallest));
    good = hn::And(good, hn::Or(large, hn::Ne(at(m.exits, j), zeros)));
    const V g = hn::Mul(to_kept, inverse_z), both = hn::Mul(root, g);
    inverse.set(j, hn::Sub(own, both), g, hn::Mul(inverse.scale, hn::Add(own, both)));
  }
  outcome.bad = hn::Or(outcome.bad, hn::Not(good));
}

}  // namespace kirchhoff::tree::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // KIRCHHOFF_LANES_INVERSE_INL
