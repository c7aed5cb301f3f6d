// Leave-one-out elimination (tree/robust/robust.cpp has the mathematics) of several graphs at once, one in each lane,
// for files that are compiled once per instruction set.
//
// A number of the theory is a vector here, and all graphs take the same steps. What differs is blended: a word that
// takes the root's place in some lanes only, and words that only fill a graph up to the size of its group. Such a word
// is in no arc and leaves by an exit of weight 1: its pivot is 1, and it adds zeros to the other words. So a lane's
// result does not depend on the other lanes.
#if defined(KIRCHHOFF_LANES_ELIMINATION_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef KIRCHHOFF_LANES_ELIMINATION_INL
#undef KIRCHHOFF_LANES_ELIMINATION_INL
#else
#define KIRCHHOFF_LANES_ELIMINATION_INL
#endif

#include "tree/kernels/lanes_block-inl.hpp"

#include <algorithm>
#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace kirchhoff::tree::HWY_NAMESPACE {

// N is what is eliminated: vectors, or vectors with their derivatives.
template <class N>
class LaneElimination {
 public:
  explicit LaneElimination(const LaneMatrices& matrices) : m_(matrices) {}

  void run() {
    const V counts = hn::Set(D(), m_.single_root ? 0.0 : 1.0);
    recurse({m_.weights, m_.weights + m_.stride, 0, m_.size(), counts}, m_.rows, true);
  }
  const LaneOutcome& outcome() const { return outcome_; }

 private:
  static constexpr std::size_t kBlock = 4;  // words that are eliminated together: their rows are read once

  HWY_NOINLINE void recurse(const Part& part, double* free, bool leftmost) {
    if (part.end - part.begin == 1) return leaf(part, leftmost);
    const std::size_t mid = (part.begin + part.end) / 2;
    double* const rest = free + (part.end - part.begin + 1) * m_.stride;
    for (const bool keep_left : {true, false}) {
      if (!keep_left && mid >= m_.longest) return;
      recurse(reduce(part, mid, keep_left, free, leftmost && keep_left), rest, leftmost && keep_left);
    }
  }

  // Eliminates one half of `part`, block by block, into fresh rows at `free`. Which words are in a block does
  // not depend on the size; words that would fill up all graphs are left out.
  HWY_INLINE Part reduce(Part part, std::size_t mid, bool keep_left, double* free, bool record) {
    const std::size_t origin = part.begin;
    std::size_t left = keep_left ? mid : part.begin, right = keep_left ? part.end : mid;  // what is to go
    while (left < right) {
      const std::size_t count = std::min(kBlock, right - left);
      const std::size_t first = keep_left ? right - count : left;
      const std::size_t begin = keep_left ? part.begin : first + count, end = keep_left ? first : part.end;
      (keep_left ? right : left) = keep_left ? first : first + count;
      if (first >= m_.longest) {
        part.end = end;
        continue;
      }
      double* const kept = free + (1 + begin - origin) * m_.stride;
      const Step step{first, begin, std::min(end, m_.longest) - begin, free, kept, record};
      constexpr decltype(&eliminate<N, 1>) kEliminate[] = {&eliminate<N, 1>, &eliminate<N, 2>, &eliminate<N, 3>,
                                                           &eliminate<N, 4>};
      const std::size_t words = std::min(count, m_.longest - first);
      const V counts = kEliminate[words - 1](m_, part, step, outcome_);
      part = {free, kept, begin, end, counts};
    }
    return part;
  }

  // Only word j is left: this writes the slopes of the arcs to it.
  HWY_NOINLINE void leaf(const Part& part, bool leftmost) {
    const D d;
    const std::size_t j = part.begin, plane = m_.plane;
    const N z = load<N>(part.root + j * kLanes, plane);
    const V one = hn::Set(d, 1.0), zeros = hn::Zero(d);
    const M fills = hn::Eq(at(m_.exits, j), one);
    outcome_.bad = hn::Or(outcome_.bad, hn::AndNot(fills, hn::Eq(value_of(z), zeros)));
    if (leftmost) outcome_.product.multiply(value_of(z));
    const M committed = hn::Ne(part.counts, hn::Set(d, m_.single_root ? 0.0 : 1.0));  // then j is no root child
    store(choose(committed, constant<N>(zeros), reciprocal(z, hn::Div(one, value_of(z)))), m_.slopes + j * kLanes,
          plane);
    const std::size_t longest = m_.longest, stride = m_.stride;
    double* const column = m_.slopes + stride + j * kLanes;
    const double* const root = part.root;
    const double* const word = part.words;
    const V counts = part.counts;
    // Beyond the last word there is no number, and none may be touched: it would leave its mark in the flags.
    const auto root_at = [&](std::size_t i)
                             HWY_ATTR { return load<N>(root + std::min(i, longest - 1) * kLanes, plane); };
    const auto total = [&](std::size_t i) HWY_ATTR {
      const N own = load<N>(word + std::min(i, longest - 1) * kLanes, plane);
      const N sum = multiply_add(counts, root_at(i), own);
      const N product = choose(hn::Eq(value_of(sum), zeros), constant<N>(one), multiply(sum, z));  // words that fill up
      return i < longest ? product : constant<N>(one);
    };
    const auto write = [&](std::size_t i, const N& product, V inverse) HWY_ATTR {
      const N slope = multiply(root_at(i), reciprocal(product, inverse));
      if (i < longest) store(slope, column + i * stride, plane);
    };
    for (std::size_t i = 0; i < longest; i += 4) {  // one division for four, or it would be half of the work
      const N a = total(i), b = total(i + 1), c = total(i + 2), e = total(i + 3);
      const V ab = hn::Mul(value_of(a), value_of(b)), ce = hn::Mul(value_of(c), value_of(e));
      const V all = hn::Div(one, hn::Mul(ab, ce)), of_ab = hn::Mul(all, ce), of_ce = hn::Mul(all, ab);
      write(i, a, hn::Mul(of_ab, value_of(b)));
      write(i + 1, b, hn::Mul(of_ab, value_of(a)));
      write(i + 2, c, hn::Mul(of_ce, value_of(e)));
      write(i + 3, e, hn::Mul(of_ce, value_of(c)));
    }
    store(constant<N>(zeros), column + j * stride, plane);
  }

  const LaneMatrices& m_;
  LaneOutcome outcome_;
};

}  // namespace kirchhoff::tree::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // KIRCHHOFF_LANES_ELIMINATION_INL
