// Leaves each of a few words alone, one graph in each lane, and writes the slopes of the arcs to it; for files that are
// compiled once per instruction set.
#if defined(KIRCHHOFF_LANES_LEAVES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef KIRCHHOFF_LANES_LEAVES_INL
#undef KIRCHHOFF_LANES_LEAVES_INL
#else
#define KIRCHHOFF_LANES_LEAVES_INL
#endif

#include "tree/kernels/lanes_block-inl.hpp"

#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace kirchhoff::tree::HWY_NAMESPACE {

// How the last K words are eliminated but for one of them, for each: only the root's row is needed then.
template <class N, std::size_t K>
struct LaneLeaves {
  N weight[K][K], root[K];
  N factor[K][K];     // [j][k]: with which the root's row takes up word k's where j is left; [j][j]: its own factor
  N inverse[K];       // of the root's weight to j then
  V committed[K][K];  // where k takes the root's place
  bool any_commits = false;
  LaneLeaves() {}  // NOLINT: an implicit one would not get the options of the instruction set

  // Eliminates all words but j. Returns where the root counts then.
  HWY_INLINE V leave(std::size_t j, V counts, const double* exits, bool record, LaneOutcome& outcome) {
    const D d;
    const V zeros = hn::Zero(d), one = hn::Set(d, 1.0);
    N z = root[j];
    V keep_root = one;
    if constexpr (K > 1) {
      LaneBlock<N, K - 1> block;
      const auto word = [=](std::size_t k) { return k < j ? k : k + 1; };
      for (std::size_t k = 0; k < K - 1; ++k) {
        block.root[k] = root[word(k)];
        block.sum[k] = add(constant<N>(at(exits, word(k))), weight[j][word(k)]);
        for (std::size_t q = 0; q < K - 1; ++q) block.inner[k][q] = weight[word(k)][word(q)];
      }
      block.counts = counts;
      block.eliminate(record, outcome);
      counts = block.counts;
      keep_root = block.keep_root;
      if (block.any_commits) z = multiply(keep_root, z);
      for (std::size_t k = 0; k < K - 1; ++k) z = multiply_add(block.root[k], weight[word(k)][j], z);
      inverse[j] = reciprocal(z, hn::IfThenZeroElse(hn::Eq(value_of(z), zeros), hn::Div(one, value_of(z))));
      for (std::size_t k = 0; k < K - 1; ++k) {
        factor[j][word(k)] = multiply(block.root[k], inverse[j]);
        committed[j][word(k)] = block.committed[k];
      }
      any_commits = any_commits || block.any_commits;
    } else {
      inverse[j] = reciprocal(z, hn::IfThenZeroElse(hn::Eq(value_of(z), zeros), hn::Div(one, value_of(z))));
    }
    factor[j][j] = multiply(keep_root, inverse[j]);
    committed[j][j] = zeros;
    if (record) outcome.product.multiply(value_of(z));
    outcome.bad = hn::Or(outcome.bad, hn::And(hn::Eq(at(exits, j), zeros), hn::Eq(value_of(z), zeros)));
    return counts;
  }
};

// Writes the slopes of the arcs to the last K words, each of which is left alone.
template <class N, std::size_t K>
HWY_NOINLINE void leave_one(const LaneMatrices& m, const Part& part, bool leftmost, LaneOutcome& outcome) {
  const D d;
  const V zeros = hn::Zero(d);
  const std::size_t first = part.begin, plane = m.plane, stride = m.stride, longest = m.longest;
  const double* const root = part.root;
  const double* const words = part.words;
  LaneLeaves<N, K> leaves;
  for (std::size_t k = 0; k < K; ++k) {
    leaves.root[k] = load<N>(root + (first + k) * kLanes, plane);
    for (std::size_t q = 0; q < K; ++q) leaves.weight[q][k] = load<N>(words + q * stride + (first + k) * kLanes, plane);
  }
  const V initial = hn::Set(d, m.single_root ? 0.0 : 1.0);
  for (std::size_t j = 0; j < K; ++j) {
    const V counts = leaves.leave(j, part.counts, m.exits + first * kLanes, leftmost && j == 0, outcome);
    const M committed = hn::Ne(counts, initial);  // then j is no root child
    store(choose(committed, constant<N>(zeros), leaves.inverse[j]), m.slopes + (first + j) * kLanes, plane);
  }
  N factor[K][K];
  for (std::size_t j = 0; j < K; ++j) {
    for (std::size_t k = 0; k < K; ++k) factor[j][k] = leaves.factor[j][k];
  }
  const double* const inverse = m.inverse;
  double* to = m.slopes + stride + first * kLanes;
  for (std::size_t i = 0; i < longest * kLanes; i += kLanes, to += stride) {
    N x[K];
    const N r = load<N>(root + i, plane), s = load<N>(inverse + i, plane);
    for (std::size_t k = 0; k < K; ++k) x[k] = load<N>(words + k * stride + i, plane);
    for (std::size_t j = 0; j < K; ++j) {
      N slope = multiply(factor[j][j], r);
      for (std::size_t k = 0; k < K; ++k) {
        if (k != j) slope = multiply_add(factor[j][k], x[k], slope);
      }
      store(multiply(slope, s), to + j * kLanes, plane);
    }
  }
  if (!leaves.any_commits) return;
  for (std::size_t k = 0; k < K; ++k) {  // a committed word's own walk ends in the root for sure
    for (std::size_t j = 0; j < K; ++j) {
      double* const own = m.slopes + (1 + first + k) * stride + (first + j) * kLanes;
      const M committed = hn::Ne(leaves.committed[j][k], zeros);
      store(choose(committed, leaves.inverse[j], load<N>(own, plane)), own, plane);
    }
  }
}

}  // namespace kirchhoff::tree::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // KIRCHHOFF_LANES_LEAVES_INL
