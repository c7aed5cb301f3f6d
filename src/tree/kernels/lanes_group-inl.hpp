// Reads the scores of a group of graphs, and the direction of their derivatives, into lanes; for files that are
// compiled once per instruction set.
#if defined(KIRCHHOFF_LANES_GROUP_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef KIRCHHOFF_LANES_GROUP_INL
#undef KIRCHHOFF_LANES_GROUP_INL
#else
#define KIRCHHOFF_LANES_GROUP_INL
#endif

#include "numeric/simd/part-inl.hpp"
#include "numeric/simd/transpose-inl.hpp"
#include "tree/kernels/lanes.hpp"
#include "tree/kernels/lanes_matrices-inl.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace kirchhoff::tree::HWY_NAMESPACE {
using numeric::HWY_NAMESPACE::kHasMasks;
using numeric::HWY_NAMESPACE::transpose_halves;
using numeric::HWY_NAMESPACE::transpose_lanes;

using Half = hn::Half<D>;
inline constexpr std::size_t kHalf = kLanes / 2;
// Rows are filled up to a multiple of this many columns.
inline constexpr std::size_t kColumns = kLanes < 4 ? kLanes : 4;
inline constexpr double kMinusInfinity = -HUGE_VAL;
inline constexpr double kLargestLaneScore = 1e9;   // beyond, sums of scores must be compared exactly
inline constexpr double kLargestDirection = 1e90;  // beyond, products with weights could leave the range of doubles
inline constexpr double kLeastDistance = -708.0;   // of scores from the best: the exponential is a normal number

// A running sum with twice the precision of a double.
struct LaneSum {
  V high, low;
  HWY_INLINE LaneSum() : high(hn::Zero(D())), low(hn::Zero(D())) {}
  HWY_INLINE void add(V x) {
    const V sum = hn::Add(high, x), back = hn::Sub(sum, high);
    low = hn::Add(low, hn::Add(hn::Sub(high, hn::Sub(sum, back)), hn::Sub(x, back)));
    high = sum;
  }
};

// a - b as a sum of two numbers.
HWY_INLINE LaneSum difference(V a, V b) {
  LaneSum result;
  result.high = hn::Sub(a, b);
  const V back = hn::Sub(result.high, a);
  result.low = hn::Sub(hn::Sub(a, hn::Sub(result.high, back)), hn::Add(b, back));
  return result;
}

// Elements [column, column + kLanes) of a row of one graph's scores, without column 0; `none` beyond its words.
HWY_INLINE V load_scores(const GraphView& graph, std::size_t row, std::size_t column, V none) {
  const D d;
  const std::size_t words = graph.words;
  if (row > words || column >= words) return none;
  const double* const from = graph.scores + row * graph.head_stride + (column + 1) * graph.dependent_stride;
  if (graph.dependent_stride == 1) {
    if (column + kLanes <= words) return hn::LoadU(d, from);
    if constexpr (kHasMasks) {
      const M inside = hn::FirstN(d, words - column);
      return hn::IfThenElse(inside, hn::MaskedLoad(inside, d, from), none);
    }
  }
  HWY_ALIGN double part[kLanes];
  hn::Store(none, d, part);
  for (std::size_t i = 0; i < std::min(kLanes, words - column); ++i) part[i] = from[i * graph.dependent_stride];
  return hn::Load(d, part);
}

// Where a row of each graph's matrix begins, behind column 0; numbers are double, or const double.
template <class Number>
struct LaneRows {
  Number* at[kLanes];
  std::ptrdiff_t step[kLanes];  // to the next row
  LaneRows() {}                 // NOLINT: an implicit one would not get the options of the instruction set
  HWY_INLINE void next() {
    for (std::size_t i = 0; i < kLanes; ++i) at[i] += step[i];
  }
};

// A group in its storage, and what is known of it.
struct Group {
  LaneMatrices m;
  const LaneGraph* graphs[kLanes];  // the last of them again and again where there are fewer
  std::size_t columns;              // of the largest graph, filled up to whole vectors of kColumns
  double* best;                     // one plane: each word's best score
  double* best_direction;           // and the direction of that arc
  std::size_t shortest;             // words of the smallest graph
  std::size_t whole;                // columns that all graphs have as whole vectors
  bool short_tail;                  // all other columns fit into one vector
  bool shorter_tail;                // and into half of one
  M tail[kLanes];                   // those that a graph has there
  hn::Mask<Half> half_tail[kLanes];
  M bad;
  LaneSum log_scale;
  LaneSum shift;  // of the direction: what scaling took off every tree's sum of it
  V reach;        // the largest number of the direction then
  Group() : bad(hn::Lt(hn::Zero(D()), hn::Zero(D()))), reach(hn::Zero(D())) {}

  LaneRows<const double> rows_of(GraphView LaneGraph::*what) const {
    LaneRows<const double> rows;
    for (std::size_t i = 0; i < kLanes; ++i) {
      const GraphView& graph = graphs[i]->*what;
      rows.at[i] = graph.scores + 1;
      rows.step[i] = graph.head_stride;
    }
    return rows;
  }

  // Reads a row of what all graphs have; `none` where there is nothing. place(to, c, x) puts column c there.
  template <class Place>
  HWY_INLINE void read(GraphView LaneGraph::*what, const LaneRows<const double>& rows, std::size_t row, V none,
                       double* to, const Place& place) const {
    const D d;
    const auto& from = rows.at;
    std::size_t c = 0;
    const std::size_t longest = m.longest;
    for (const std::size_t end = row <= shortest ? whole : 0; c < end; c += kLanes) {
      V x[kLanes];
      for (std::size_t i = 0; i < kLanes; ++i) x[i] = hn::LoadU(d, from[i] + c);
      transpose_lanes(d, x);
      for (std::size_t i = 0; i < kLanes; ++i) place(to, c + i, x[i]);
    }
#if HWY_TARGET != HWY_SCALAR
    if (shorter_tail && row <= shortest && c < longest) {
      const auto load_half = [&](std::size_t i) HWY_ATTR {
        const auto x = hn::MaskedLoad(half_tail[i], Half(), from[i] + c);
        return hn::IfThenElse(half_tail[i], x, hn::LowerHalf(Half(), none));
      };
      V x[kHalf];
      for (std::size_t i = 0; i < kHalf; ++i) x[i] = hn::Combine(d, load_half(i + kHalf), load_half(i));
      transpose_halves(d, x);
      for (std::size_t i = 0; i < kHalf; ++i) place(to, c + i, x[i]);
      for (std::size_t i = kHalf; i < kColumns; ++i) place(to, c + i, none);
      return;
    }
#endif
    if (short_tail && row <= shortest && c < longest) {
      V x[kLanes];
      for (std::size_t i = 0; i < kLanes; ++i) {
        x[i] = hn::IfThenElse(tail[i], hn::MaskedLoad(tail[i], d, from[i] + c), none);
      }
      transpose_lanes(d, x);
      for (std::size_t i = 0; i < kLanes; ++i) place(to, c + i, x[i]);
      return;
    }
    for (; c < longest; c += kLanes) {
      V x[kLanes];
      for (std::size_t i = 0; i < kLanes; ++i) x[i] = load_scores(graphs[i]->*what, row, c, none);
      transpose_lanes(d, x);
      for (std::size_t i = 0; i < kLanes; ++i) place(to, c + i, x[i]);
    }
  }
};

}  // namespace kirchhoff::tree::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // KIRCHHOFF_LANES_GROUP_INL
