// Weighs the arcs of a group of graphs, one in each lane; for files that are compiled once per instruction set.
#if defined(KIRCHHOFF_LANES_WEIGHTS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef KIRCHHOFF_LANES_WEIGHTS_INL
#undef KIRCHHOFF_LANES_WEIGHTS_INL
#else
#define KIRCHHOFF_LANES_WEIGHTS_INL
#endif

#include "tree/kernels/exponential-inl.hpp"
#include "tree/kernels/lanes_group-inl.hpp"

#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace kirchhoff::tree::HWY_NAMESPACE {

// Finds each word's best score, and the direction of that arc. The room for slopes is free yet.
template <class N>
void find_best(Group& group) {
  const D d;
  const LaneMatrices& m = group.m;
  const std::size_t columns = (m.longest + kLanes - 1) / kLanes * kLanes;
  double* const found = m.slopes;
  double* const directions = m.slopes + m.stride;
  for (std::size_t i = 0; i < kLanes; ++i) {
    for (std::size_t c = 0; c < columns; c += kLanes) {
      const N best = best_scores<N>(*group.graphs[i], c, !m.single_root);
      hn::Store(value_of(best), d, found + i * columns + c);
      if constexpr (kIsDual<N>) hn::Store(best.tangent, d, directions + i * columns + c);
    }
  }
  const auto turn = [&](const double* from, double* to) HWY_ATTR {
    for (std::size_t c = 0; c < columns; c += kLanes) {
      V x[kLanes];
      for (std::size_t i = 0; i < kLanes; ++i) x[i] = hn::Load(d, from + i * columns + c);
      transpose_lanes(d, x);
      for (std::size_t i = 0; i < kLanes; ++i) put(to, c + i, x[i]);
    }
  };
  turn(found, group.best);
  if constexpr (kIsDual<N>) turn(directions, group.best_direction);
}

// Turns the scores of a row into weights, given by weight_of(c, score), and their direction into tangents, after
// subtracting from it each word's and the root's. Lanes are bad where a weight is below the normal doubles, or is not a
// number.
template <class N, class WeightOf>
HWY_INLINE void weigh_row(Group& group, double* row, const WeightOf& weight_of, [[maybe_unused]] V root_direction,
                          double* totals) {
  const D d;
  const std::size_t longest = group.m.longest, plane = group.m.plane;
  const V none = hn::Set(d, kMinusInfinity), zeros = hn::Zero(d);
  M bad = group.bad;
  for (std::size_t c = 0; c < longest; ++c) {
    const V x = at(row, c);
    const V weight = weight_of(c, x);
    put(row, c, weight);
    put(totals, c, hn::Add(at(totals, c), weight));
    bad = hn::Or(bad, hn::Not(hn::Or(hn::Gt(weight, zeros), hn::Eq(x, none))));  // NaN is none of both
    if constexpr (kIsDual<N>) {
      const V direction = hn::Sub(hn::Sub(at(row + plane, c), at(group.best_direction, c)), root_direction);
      const V tangent = hn::IfThenElseZero(hn::Ne(weight, zeros), hn::Mul(weight, direction));
      put(row + plane, c, tangent);
      put(totals + plane, c, hn::Add(at(totals + plane, c), tangent));
    }
  }
  group.bad = bad;
}

// Reads a row, with -inf on the diagonal, and its direction.
template <class N>
HWY_INLINE double* read_row(const Group& group, std::size_t r) {
  const D d;
  const LaneMatrices& m = group.m;
  double* const row = m.weights + r * m.stride;
  group.read(&LaneGraph::view, r, hn::Set(d, kMinusInfinity), row);
  if (r > 0) put(row, r - 1, hn::Set(d, kMinusInfinity));
  if constexpr (kIsDual<N>) group.read(&LaneGraph::direction, r, hn::Zero(d), row + m.plane);
  return row;
}

// Reads the graphs. Scales each word's scores by its best, and the root's of single-root graphs by their best then, and
// exponentiates. The direction is treated in the same way, which changes no derivative.
template <class N>
void weigh(Group& group) {
  const D d;
  const LaneMatrices& m = group.m;
  const V none = hn::Set(d, kMinusInfinity), largest = hn::Set(d, kLargestLaneScore), zeros = hn::Zero(d);
  find_best<N>(group);
  double* const root_row = read_row<N>(group, 0);
  V most = none, best_score = zeros, best_column = zeros, root_direction = zeros;
  for (std::size_t c = 0; c < m.longest; ++c) {
    store(constant<N>(zeros), m.totals + c * kLanes, m.plane);
    V best = at(group.best, c);
    best = hn::IfThenZeroElse(hn::Eq(best, none), best);
    put(group.best, c, best);
    group.bad = hn::Or(group.bad, hn::Not(hn::Le(hn::Abs(best), largest)));
    group.log_scale.add(best);
    const V root = at(root_row, c), here = hn::Sub(root, best);
    const M better = hn::Gt(here, most);
    most = hn::IfThenElse(better, here, most);
    best_score = hn::IfThenElse(better, root, best_score);
    best_column = hn::IfThenElse(better, best, best_column);
    if constexpr (kIsDual<N>) {
      const V direction = hn::Sub(at(root_row + m.plane, c), at(group.best_direction, c));
      root_direction = hn::IfThenElse(better, direction, root_direction);
    }
  }
  group.bad = hn::Or(group.bad, hn::Not(hn::And(hn::Gt(most, none), hn::Le(hn::Abs(best_score), largest))));
  // Rounding the difference costs |difference| 2^-53: at most 8e-14, of the smallest weights that there are.
  const auto weight_of = [&](std::size_t c, V x) HWY_ATTR { return exp_below(d, hn::Sub(x, at(group.best, c))); };
  if (m.single_root) {
    group.log_scale.add(best_score);
    group.log_scale.add(hn::Neg(best_column));
    // The difference of the score and the word's best, less that of the best root arc, each of them exactly.
    const LaneSum top = difference(best_score, best_column);
    const auto root_weight_of = [&](std::size_t c, V x) HWY_ATTR {
      const LaneSum own = difference(x, at(group.best, c));
      const V y = hn::Add(hn::Sub(own.high, top.high), hn::Sub(own.low, top.low));
      return exp_below(d, hn::IfThenElse(hn::Eq(x, none), none, y));  // -inf has no difference
    };
    // The root's weights are in no total, which the room for totals' inverses holds for a while.
    for (std::size_t c = 0; c < m.longest * kLanes; c += kLanes) store(constant<N>(zeros), m.inverse + c, m.plane);
    weigh_row<N>(group, root_row, root_weight_of, root_direction, m.inverse);
  } else {
    weigh_row<N>(group, root_row, weight_of, zeros, m.totals);
  }
  for (std::size_t r = 1; r <= m.longest; ++r) weigh_row<N>(group, read_row<N>(group, r), weight_of, zeros, m.totals);
  for (std::size_t c = 0; c < m.longest * kLanes; c += kLanes) {
    const N total = load<N>(m.totals + c, m.plane);
    const V size = value_of(total);
    group.bad = hn::Or(group.bad, hn::Not(hn::Le(size, largest)));
    const M empty = hn::Eq(size, zeros);  // words that fill up, or that only the root can reach
    const V inverse = hn::Div(hn::Set(d, 1.0), hn::IfThenElse(empty, hn::Set(d, 1.0), size));
    store(choose(empty, constant<N>(hn::Set(d, 1.0)), reciprocal(total, inverse)), m.inverse + c, m.plane);
  }
}

}  // namespace kirchhoff::tree::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // KIRCHHOFF_LANES_WEIGHTS_INL
