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
using numeric::HWY_NAMESPACE::transpose_lanes;

inline constexpr double kMinusInfinity = -HUGE_VAL;
inline constexpr double kLargestLaneScore = 1e9;  // beyond, sums of scores must be compared exactly

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

// The best scores of the words [column, column + kLanes) of a graph, and the directions of those arcs.
template <class N>
HWY_INLINE N best_scores(const LaneGraph& graph, std::size_t column, bool with_root) {
  const D d;
  const V none = hn::Set(d, kMinusInfinity), zeros = hn::Zero(d);
  const GraphView& view = graph.view;
  const std::size_t words = view.words;
  N best = constant<N>(none);
  const bool near = view.dependent_stride == 1, whole = near && column + kLanes <= words;
  const M inside = hn::FirstN(d, column < words ? std::min(kLanes, words - column) : 0);
  const double* const from = view.scores + column + 1;
  enum How { kWhole, kMasked, kScattered };
  const auto see = [&](std::size_t row, How how, M own) HWY_ATTR {
    V x = none;
    if (how == kWhole) {
      x = hn::LoadU(d, from + row * view.head_stride);
    } else if (how == kMasked) {
      x = hn::IfThenElse(inside, hn::MaskedLoad(inside, d, from + row * view.head_stride), none);
    } else {
      x = load_scores(view, row, column, none);
    }
    const V arc = hn::IfThenElse(own, none, x);
    if constexpr (kIsDual<N>) {
      const V direction = load_scores(graph.direction, row, column, zeros);
      best.tangent = hn::IfThenElse(hn::Gt(arc, best.value), direction, best.tangent);
      best.value = hn::Max(best.value, arc);
    } else {
      best = hn::Max(best, arc);
    }
  };
  const How how = whole ? kWhole : near && kHasMasks ? kMasked : kScattered;
  const auto see_rows = [&](std::size_t begin, std::size_t end) HWY_ATTR {
    const M no_own = hn::Ne(zeros, zeros);
    if (how == kWhole) {
      for (std::size_t row = begin; row < end; ++row) see(row, kWhole, no_own);
    } else if (how == kMasked) {
      for (std::size_t row = begin; row < end; ++row) see(row, kMasked, no_own);
    } else {
      for (std::size_t row = begin; row < end; ++row) see(row, kScattered, no_own);
    }
  };
  const std::size_t own_end = std::min(column + kLanes, words) + 1;
  see_rows(with_root ? 0 : 1, column + 1);
  for (std::size_t row = column + 1; row < own_end; ++row) {  // the diagonal is no arc
    see(row, how, hn::Eq(hn::Iota(d, 0), hn::Set(d, static_cast<double>(row - column - 1))));
  }
  see_rows(own_end, words + 1);
  return best;
}

// A group in its storage, and what is known of it.
struct Group {
  LaneMatrices m;
  const LaneGraph* graphs[kLanes];  // the last of them again and again where there are fewer
  double* best;                     // one plane: each word's best score
  double* best_direction;           // and the direction of that arc
  std::size_t shortest;             // words of the smallest graph
  std::size_t whole;                // columns that all graphs have as whole vectors
  bool short_tail;                  // all other columns fit into one vector
  M tail[kLanes];                   // those that a graph has there
  M bad;
  LaneSum log_scale;
  Group() : bad(hn::Lt(hn::Zero(D()), hn::Zero(D()))) {}

  // Reads a row of what all graphs have; `none` where there is nothing.
  HWY_INLINE void read(GraphView LaneGraph::*what, std::size_t row, V none, double* to) const {
    const D d;
    const double* from[kLanes];
    for (std::size_t i = 0; i < kLanes; ++i) {
      const GraphView& graph = graphs[i]->*what;
      from[i] = graph.scores + row * graph.head_stride + 1;
    }
    std::size_t c = 0;
    const std::size_t longest = m.longest;
    for (const std::size_t end = row <= shortest ? whole : 0; c < end; c += kLanes) {
      V x[kLanes];
      for (std::size_t i = 0; i < kLanes; ++i) x[i] = hn::LoadU(d, from[i] + c);
      transpose_lanes(d, x);
      for (std::size_t i = 0; i < kLanes; ++i) put(to, c + i, x[i]);
    }
    if (short_tail && row <= shortest && c < longest) {
      V x[kLanes];
      for (std::size_t i = 0; i < kLanes; ++i) {
        x[i] = hn::IfThenElse(tail[i], hn::MaskedLoad(tail[i], d, from[i] + c), none);
      }
      transpose_lanes(d, x);
      for (std::size_t i = 0; i < kLanes; ++i) put(to, c + i, x[i]);
      return;
    }
    for (; c < longest; c += kLanes) {
      V x[kLanes];
      for (std::size_t i = 0; i < kLanes; ++i) x[i] = load_scores(graphs[i]->*what, row, c, none);
      transpose_lanes(d, x);
      for (std::size_t i = 0; i < kLanes; ++i) put(to, c + i, x[i]);
    }
  }
};

}  // namespace kirchhoff::tree::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // KIRCHHOFF_LANES_GROUP_INL
