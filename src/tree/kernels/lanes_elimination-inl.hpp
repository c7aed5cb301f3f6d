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
#include "tree/kernels/lanes_leaves-inl.hpp"

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
  HWY_NOINLINE void recurse(const Part& part, double* free, bool leftmost) {
    if (part.end - part.begin <= kLeaves) {
      constexpr decltype(&leave_one<N, 1>) kLeaveOne[] = {&leave_one<N, 1>, &leave_one<N, 2>, &leave_one<N, 3>,
                                                          &leave_one<N, 4>};
      return kLeaveOne[std::min(part.end, m_.longest) - part.begin - 1](m_, part, leftmost, outcome_);
    }
    const std::size_t mid = (part.begin + part.end) / 2;
    double* const rest = free + (part.end - part.begin + 1) * m_.stride;
    for (const bool keep_left : {true, false}) {
      if (!keep_left && mid >= m_.longest) return;
      Part half = part;
      reduce(half, mid, keep_left, free, leftmost && keep_left);
      recurse(half, rest, leftmost && keep_left);
    }
  }

  // Eliminates one half of `part`, block by block, into fresh rows at `free`. Which words are in a block does
  // not depend on the size; words that would fill up all graphs are left out.
  HWY_INLINE void reduce(Part& part, std::size_t mid, bool keep_left, double* free, bool record) {
    const std::size_t origin = part.begin;
    std::size_t left = keep_left ? mid : part.begin, right = keep_left ? part.end : mid;  // what is to go
    while (left < right) {
      const std::size_t count = std::min(kWordsTogether, right - left);
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
      // One by one: the whole would be copied while its parts are still on their way to memory.
      part.counts = kEliminate[words - 1](m_, part, step, outcome_);
      part.root = free;
      part.words = kept;
      part.begin = begin;
      part.end = end;
    }
  }

  const LaneMatrices& m_;
  LaneOutcome outcome_;
};

}  // namespace kirchhoff::tree::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // KIRCHHOFF_LANES_ELIMINATION_INL
