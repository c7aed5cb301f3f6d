// Reads the scores of a group of graphs, and the direction of their derivatives, into lanes, and weighs them; for files
// that are compiled once per instruction set.
#if defined(KIRCHHOFF_LANES_GROUP_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef KIRCHHOFF_LANES_GROUP_INL
#undef KIRCHHOFF_LANES_GROUP_INL
#else
#define KIRCHHOFF_LANES_GROUP_INL
#endif

#include "numeric/simd/transpose-inl.hpp"
#include "tree/kernels/exponential-inl.hpp"
#include "tree/kernels/lanes.hpp"
#include "tree/kernels/lanes_matrices-inl.hpp"

#include <cmath>
#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace kirchhoff::tree::HWY_NAMESPACE {
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

// Elements [column, column + kLanes) of a row of one graph's scores, without column 0; `none` beyond its words.
HWY_INLINE V load_scores(const GraphView& graph, std::size_t row, std::size_t column, double none) {
  const D d;
  const std::size_t words = graph.words;
  if (row > words || column >= words) return hn::Set(d, none);
  const double* const from = graph.scores + row * graph.head_stride + (column + 1) * graph.dependent_stride;
  if (graph.dependent_stride == 1) {
    if (column + kLanes <= words) return hn::LoadU(d, from);
#if !HWY_MEM_OPS_MIGHT_FAULT
    const M inside = hn::FirstN(d, words - column);
    return hn::IfThenElse(inside, hn::MaskedLoad(inside, d, from), hn::Set(d, none));
#endif
  }
  HWY_ALIGN double part[kLanes];
  for (std::size_t i = 0; i < kLanes; ++i) {
    part[i] = column + i < words ? from[i * graph.dependent_stride] : none;
  }
  return hn::Load(d, part);
}

// A group in its storage, and what is known of it.
struct Group {
  LaneMatrices m;
  const LaneGraph* graphs[kLanes];  // the last of them again and again where there are fewer
  double* best;                     // one plane: each word's best score
  double* best_direction;           // and the direction of that arc
  std::size_t shortest;             // words of the smallest graph
  std::size_t whole;                // columns that all graphs have as whole vectors
  M bad;
  LaneSum log_scale;
  Group() : bad(hn::Lt(hn::Zero(D()), hn::Zero(D()))) {}

  // kLanes columns of one row, with a vector for each column.
  HWY_INLINE void read(GraphView LaneGraph::*what, std::size_t row, std::size_t column, double none,
                       V (&x)[kLanes]) const {
    const bool inside = column < whole && row <= shortest;
    for (std::size_t i = 0; i < kLanes; ++i) {
      const GraphView& graph = graphs[i]->*what;
      x[i] = inside ? hn::LoadU(D(), graph.scores + row * graph.head_stride + column + 1)
                    : load_scores(graph, row, column, none);
    }
    transpose_lanes(D(), x);
  }
};

// Reads the scores, with -inf on the diagonal, and their direction, and finds each word's best.
template <class N>
void read_scores(Group& group) {
  const D d;
  const LaneMatrices& m = group.m;
  const V none = hn::Set(d, kMinusInfinity);
  const std::size_t longest = m.longest, stride = m.stride;
  for (std::size_t c = 0; c < longest; c += kLanes) {
    V best[kLanes], best_direction[kLanes];
    for (V& x : best) x = none;
    for (V& x : best_direction) x = hn::Zero(d);
    for (std::size_t r = 0; r <= longest; ++r) {
      V x[kLanes];
      group.read(&LaneGraph::view, r, c, kMinusInfinity, x);
      if (c < r && r <= c + kLanes) {
        for (std::size_t i = 0; i < kLanes; ++i) x[i] = c + i + 1 == r ? none : x[i];
      }
      double* const row = m.weights + r * stride;
      for (std::size_t i = 0; i < kLanes; ++i) put(row, c + i, x[i]);
      const bool scales = r > 0 || !m.single_root;
      if constexpr (kIsDual<N>) {
        V direction[kLanes];
        group.read(&LaneGraph::direction, r, c, 0.0, direction);
        for (std::size_t i = 0; i < kLanes; ++i) {
          put(row + m.plane, c + i, direction[i]);
          const M better = hn::Gt(x[i], best[i]);
          if (scales) best_direction[i] = hn::IfThenElse(better, direction[i], best_direction[i]);
        }
      }
      if (!scales) continue;
      for (std::size_t i = 0; i < kLanes; ++i) best[i] = hn::Max(best[i], x[i]);
    }
    for (std::size_t i = 0; i < kLanes; ++i) put(group.best, c + i, best[i]);
    if constexpr (kIsDual<N>) {
      for (std::size_t i = 0; i < kLanes; ++i) put(group.best_direction, c + i, best_direction[i]);
    }
  }
}

// Turns the scores of a row into weights, given by power(c, score), and their direction into tangents, after
// subtracting from it each word's and the root's. Lanes are bad where a weight is below the normal doubles, or not a
// number.
template <class N, class PowerOf>
HWY_INLINE void weigh_row(Group& group, double* row, const PowerOf& power_of, [[maybe_unused]] V root_direction) {
  const D d;
  const std::size_t longest = group.m.longest;
  const V smallest = hn::Set(d, -1022.0), none = hn::Set(d, kMinusInfinity);
  M bad = group.bad;
  for (std::size_t c = 0; c < longest; ++c) {
    const V x = at(row, c);
    const Power power = power_of(c, x);
    const M normal = hn::Ge(power.k, smallest);
    const V weight = hn::IfThenElseZero(normal, hn::Mul(power.m, power_of_two(d, power.k)));
    put(row, c, weight);
    bad = hn::Or(bad, hn::Not(hn::Or(normal, hn::Eq(x, none))));
    if constexpr (kIsDual<N>) {
      double* const tangents = row + group.m.plane;
      const V direction = hn::Sub(hn::Sub(at(tangents, c), at(group.best_direction, c)), root_direction);
      put(tangents, c, hn::IfThenElseZero(normal, hn::Mul(weight, direction)));
    }
  }
  group.bad = bad;
}

// Scales each word's scores by its best, and the root's of single-root graphs by their best then, and exponentiates.
// The direction is treated in the same way, which changes no derivative.
template <class N>
void weigh(Group& group) {
  const D d;
  const LaneMatrices& m = group.m;
  const V none = hn::Set(d, kMinusInfinity), largest = hn::Set(d, kLargestLaneScore);
  V most = none, best_score = hn::Zero(d), best_column = hn::Zero(d), root_direction = hn::Zero(d);
  for (std::size_t c = 0; c < m.longest; ++c) {
    V best = at(group.best, c);
    best = hn::IfThenZeroElse(hn::Eq(best, none), best);
    put(group.best, c, best);
    group.bad = hn::Or(group.bad, hn::Not(hn::Le(hn::Abs(best), largest)));
    group.log_scale.add(best);
    const V root = at(m.weights, c), here = hn::Sub(root, best);
    const M better = hn::Gt(here, most);
    most = hn::IfThenElse(better, here, most);
    best_score = hn::IfThenElse(better, root, best_score);
    best_column = hn::IfThenElse(better, best, best_column);
    if constexpr (kIsDual<N>) {
      const V direction = hn::Sub(at(m.weights + m.plane, c), at(group.best_direction, c));
      root_direction = hn::IfThenElse(better, direction, root_direction);
    }
  }
  group.bad = hn::Or(group.bad, hn::Not(hn::And(hn::Gt(most, none), hn::Le(hn::Abs(best_score), largest))));
  if (m.single_root) {
    group.log_scale.add(best_score);
    group.log_scale.add(hn::Neg(best_column));
    const auto power_of = [&](std::size_t c, V x) HWY_ATTR {
      LaneSum apart, shift;  // best_score + (the word's best - best_column), exactly
      apart.add(at(group.best, c));
      apart.add(hn::Neg(best_column));
      shift.add(best_score);
      shift.add(apart.high);
      return shifted_exp<true, false>(d, x, shift.high, hn::Add(shift.low, apart.low));
    };
    weigh_row<N>(group, m.weights, power_of, root_direction);
  }
  // Rounding the difference costs |difference| 2^-53: at most 8e-14, of the smallest weights that there are.
  const auto power_of = [&](std::size_t c, V x) HWY_ATTR { return exp_of(d, hn::Sub(x, at(group.best, c))); };
  for (std::size_t r = m.single_root ? 1 : 0; r <= m.longest; ++r) {
    weigh_row<N>(group, m.weights + r * m.stride, power_of, hn::Zero(d));
  }
}

}  // namespace kirchhoff::tree::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // KIRCHHOFF_LANES_GROUP_INL
