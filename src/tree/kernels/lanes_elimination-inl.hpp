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

  void recurse(const Part& part, double* free, bool leftmost) {
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
      constexpr decltype(&eliminate<1>) kEliminate[] = {&eliminate<1>, &eliminate<2>, &eliminate<3>, &eliminate<4>};
      const std::size_t words = std::min(count, m_.longest - first);
      const V counts = kEliminate[words - 1](m_, part, step, outcome_);
      part = {free, kept, begin, end, counts};
    }
    return part;
  }

  // Only word j is left: this writes the slopes of the arcs to it.
  void leaf(const Part& part, bool leftmost) {
    const D d;
    const std::size_t j = part.begin;
    const V z = at(part.root, j), one = hn::Set(d, 1.0);
    const M fills = hn::Eq(at(m_.exits, j), one);
    outcome_.bad = hn::Or(outcome_.bad, hn::AndNot(fills, hn::Eq(z, hn::Zero(d))));
    if (leftmost) outcome_.product.multiply(z);
    const V inverse = hn::Div(one, z);
    const M committed = hn::Ne(part.counts, hn::Set(d, m_.single_root ? 0.0 : 1.0));  // then j is no root child
    put(m_.slopes, j, hn::IfThenZeroElse(committed, inverse));
    const std::size_t longest = m_.longest, stride = m_.stride;
    double* const column = m_.slopes + stride + j * kLanes;
    const double* const root = part.root;
    const double* const word = part.words;
    const V counts = part.counts;
    // Beyond the last word there is no number, and none may be touched: it would leave its mark in the flags.
    const auto within = [&](std::size_t i) HWY_ATTR { return std::min(i, longest - 1); };
    const auto total = [&](std::size_t i) HWY_ATTR {
      const V sum = hn::MulAdd(counts, at(root, within(i)), at(word, within(i)));
      const V product = hn::IfThenElse(hn::Eq(sum, hn::Zero(d)), one, hn::Mul(sum, z));  // 0 for words that fill up
      return i < longest ? product : one;
    };
    const auto write = [&](std::size_t i, V reciprocal) HWY_ATTR {
      const V slope = hn::Mul(at(root, within(i)), reciprocal);
      if (i < longest) hn::Store(slope, d, column + i * stride);
    };
    for (std::size_t i = 0; i < longest; i += 4) {  // one division for four, or it would be half of the work
      const V a = total(i), b = total(i + 1), c = total(i + 2), e = total(i + 3);
      const V ab = hn::Mul(a, b), ce = hn::Mul(c, e), all = hn::Div(one, hn::Mul(ab, ce));
      const V of_ab = hn::Mul(all, ce), of_ce = hn::Mul(all, ab);
      write(i, hn::Mul(of_ab, b));
      write(i + 1, hn::Mul(of_ab, a));
      write(i + 2, hn::Mul(of_ce, e));
      write(i + 3, hn::Mul(of_ce, c));
    }
    hn::Store(hn::Zero(d), d, column + j * stride);
  }

  const LaneMatrices& m_;
  LaneOutcome outcome_;
};

}  // namespace kirchhoff::tree::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // KIRCHHOFF_LANES_ELIMINATION_INL
