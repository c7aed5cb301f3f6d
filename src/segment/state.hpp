// The machine of segmentations: which state is what, and between scores and the machine's places.
//
// State S(t, k) begins a segment with tag k at position t, state E(t, k) has just ended one there. Segments are
// transitions S(t, k) -> E(t + d, k), pairs of tags are transitions E(t, k) -> S(t, k') without a symbol.
#pragma once

#include "kirchhoff/segment.hpp"

#include <vector>

namespace kirchhoff {

struct SegmentDistribution::State {
  SegmentArrays scores;
  Wfsm machine;
};

struct SegmentAccess {
  static const SegmentDistribution::State& state(const SegmentDistribution& p) { return *p.state_; }
};

namespace segment {

struct Shape {
  int positions, longest, tags;
  friend bool operator==(const Shape&, const Shape&) = default;

  int begin_state(int t, int tag) const { return t * tags + tag; }                  // t = 0 .. positions - 1
  int end_state(int t, int tag) const { return (positions + t - 1) * tags + tag; }  // t = 1 .. positions
};
inline Shape shape_of(const SegmentArrays& a) { return {a.positions(), a.longest(), a.tags()}; }

/// Calls visit(segment) for all segments, in the order of the machine's transitions.
template <class Visit>
void for_each_segment(const Shape& shape, Visit visit) {
  for (int begin = 0; begin < shape.positions; ++begin) {
    for (int length = 1; length <= shape.longest && begin + length <= shape.positions; ++length) {
      for (int tag = 0; tag < shape.tags; ++tag) visit(Segment{begin, length, tag});
    }
  }
}

/// Throws InputError unless f has this shape.
void check_shape(const char* function, const Shape& shape, const SegmentArrays& f);
/// One number for each place of the machine, 0 for starts and ends.
WfsmWeights spread(const Shape& shape, const SegmentArrays& f);
/// The sums of what places that share a score have.
SegmentArrays gathered(const Shape& shape, const Vector& transitions);

}  // namespace segment
}  // namespace kirchhoff
