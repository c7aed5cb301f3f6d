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

// Turns the scores of T columns of R rows into weights, given distance(c, score), how far each is below the best, and
// their direction into tangents, after subtracting from it each word's and the root's. Returns the smallest of the
// distances of arcs.
template <std::size_t R, std::size_t T, class N, class Distance>
HWY_INLINE V weigh_columns(Group& group, double* rows, std::size_t first, const Distance& distance,
                           [[maybe_unused]] V root_direction, double* totals, V smallest) {
  const D d;
  const std::size_t plane = group.m.plane, stride = group.m.stride;
  const V none = hn::Set(d, kMinusInfinity);
  V x[R * T];
  for (std::size_t r = 0; r < R; ++r) {
    for (std::size_t t = 0; t < T; ++t) {
      const V y = distance(first + t, at(rows + r * stride, first + t));
      smallest = hn::IfThenElse(hn::Ne(y, none), hn::Min(smallest, y), smallest);
      x[r * T + t] = y;
    }
  }
  exp_below(d, x);
  for (std::size_t t = 0; t < T; ++t) {
    const std::size_t c = first + t;
    V total = at(totals, c);
    for (std::size_t r = 0; r < R; ++r) {
      const V weight = x[r * T + t];
      put(rows + r * stride, c, weight);
      total = hn::Add(total, weight);
      if constexpr (kIsDual<N>) {
        double* const tangents = rows + r * stride + plane;
        const V direction = hn::Sub(hn::Sub(at(tangents, c), at(group.best_direction, c)), root_direction);
        const M arc = hn::Ne(weight, hn::Zero(d));
        const V tangent = hn::IfThenElseZero(arc, hn::Mul(weight, direction));
        group.reach = hn::Max(group.reach, hn::IfThenElseZero(arc, hn::Abs(direction)));
        put(tangents, c, tangent);
        put(totals + plane, c, hn::Add(at(totals + plane, c), tangent));
      }
    }
    put(totals, c, total);
  }
  return smallest;
}

// The same for R whole rows. Lanes are bad where an arc's weight is below the normal doubles; where one is no number,
// neither is the sum of weights in `totals`.
template <std::size_t R, class N, class Distance>
HWY_INLINE void weigh_rows(Group& group, double* rows, const Distance& distance, V root_direction, double* totals) {
  V smallest = hn::Zero(D());
  std::size_t c = 0;
  const std::size_t longest = group.m.longest;
  const auto weigh_some = [&]<std::size_t T>() HWY_ATTR {
    for (; c + T <= longest; c += T) {
      smallest = weigh_columns<R, T, N>(group, rows, c, distance, root_direction, totals, smallest);
    }
  };
  if constexpr (R == 1) weigh_some.template operator()<4>();
  weigh_some.template operator()<2>();
  weigh_some.template operator()<1>();
  group.bad = hn::Or(group.bad, hn::Lt(smallest, hn::Set(D(), kLeastDistance)));
}

// The rows that are read next.
struct LaneSource {
  LaneRows<const double> scores, directions;
  LaneSource() {}  // NOLINT: an implicit one would not get the options of the instruction set
};

// Reads a row, with -inf on the diagonal, and its direction. With `see`, notes each word's best score so far, and the
// direction of that arc.
template <class N>
HWY_INLINE void read_row(const Group& group, LaneSource& source, std::size_t r, bool see) {
  const D d;
  const LaneMatrices& m = group.m;
  double* const row = m.weights + r * m.stride;
  const V none = hn::Set(d, kMinusInfinity);
  const std::size_t own = r == 0 ? m.longest : r - 1;  // in any case some column that has room
  const V best_of_own = at(group.best, own);
  const auto keep = [](double* to, std::size_t c, V x) HWY_ATTR { put(to, c, x); };
  if (see && !kIsDual<N>) {
    group.read(&LaneGraph::view, source.scores, r, none, row, [&](double* to, std::size_t c, V x) HWY_ATTR {
      put(to, c, x);
      put(group.best, c, hn::Max(at(group.best, c), x));
    });
    put(group.best, own, best_of_own);
  } else {
    group.read(&LaneGraph::view, source.scores, r, none, row, keep);
  }
  source.scores.next();
  if (r > 0) put(row, own, none);
  if constexpr (kIsDual<N>) {
    group.read(&LaneGraph::direction, source.directions, r, hn::Zero(d), row + m.plane, keep);
    source.directions.next();
    if (group.graphs[0]->difference) {
      double* const direction = row + m.plane;
      for (std::size_t c = 0; c < group.columns; ++c) put(direction, c, hn::Sub(at(row, c), at(direction, c)));
    }
    for (std::size_t c = 0; see && c < group.columns; ++c) {
      const V x = at(row, c), best = at(group.best, c), direction = at(row + m.plane, c);
      put(group.best_direction, c, hn::IfThenElse(hn::Gt(x, best), direction, at(group.best_direction, c)));
      put(group.best, c, hn::Max(best, x));
    }
  }
}

// Reads the graphs. Scales each word's scores by its best, and the root's of single-root graphs by their best then, and
// exponentiates. The direction is treated in the same way, which changes no derivative.
template <class N>
void weigh(Group& group) {
  const D d;
  const LaneMatrices& m = group.m;
  const V none = hn::Set(d, kMinusInfinity), largest = hn::Set(d, kLargestLaneScore), zeros = hn::Zero(d);
  for (std::size_t c = 0; c < m.plane / kLanes; ++c) {  // reading goes on to the end of a vector
    put(group.best, c, none);
    if constexpr (kIsDual<N>) put(group.best_direction, c, zeros);
  }
  double* const root_row = m.weights;
  LaneSource source;
  source.scores = group.rows_of(&LaneGraph::view);
  if constexpr (kIsDual<N>) source.directions = group.rows_of(&LaneGraph::direction);
  read_row<N>(group, source, 0, !m.single_root);
  for (std::size_t r = 1; r <= m.longest; ++r) read_row<N>(group, source, r, true);
  V most = none, best_score = zeros, best_column = zeros, root_direction = zeros;
  for (std::size_t c = 0; c < group.columns; ++c) {
    store(constant<N>(zeros), m.totals + c * kLanes, m.plane);
    V best = at(group.best, c);
    best = hn::IfThenZeroElse(hn::Eq(best, none), best);
    put(group.best, c, best);
    group.bad = hn::Or(group.bad, hn::Not(hn::Le(hn::Abs(best), largest)));
    group.log_scale.add(best);
    if constexpr (kIsDual<N>) group.shift.add(at(group.best_direction, c));
    const V root = at(root_row, c), here = hn::Sub(root, best);
    group.bad = hn::Or(group.bad, hn::Not(hn::Eq(root, root)));  // NaN
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
  if (kIsDual<N> && m.single_root) group.shift.add(root_direction);
  // Rounding the difference costs |difference| 2^-53: at most 8e-14, of the smallest weights that there are.
  const auto below_best = [&](std::size_t c, V x) HWY_ATTR { return hn::Sub(x, at(group.best, c)); };
  if (m.single_root) {
    group.log_scale.add(best_score);
    group.log_scale.add(hn::Neg(best_column));
    // The difference of the score and the word's best, less that of the best root arc, each of them exactly.
    const LaneSum top = difference(best_score, best_column);
    const auto below_best_root = [&](std::size_t c, V x) HWY_ATTR {
      const LaneSum own = difference(x, at(group.best, c));
      const V y = hn::Add(hn::Sub(own.high, top.high), hn::Sub(own.low, top.low));
      return hn::IfThenElse(hn::Eq(x, none), none, y);  // -inf has no difference
    };
    // The root's weights are in no total, which the room for totals' inverses holds for a while.
    for (std::size_t c = 0; c < group.columns * kLanes; c += kLanes) {
      store(constant<N>(zeros), m.inverse + c, m.plane);
    }
    weigh_rows<1, N>(group, root_row, below_best_root, root_direction, m.inverse);
  } else {
    weigh_rows<1, N>(group, root_row, below_best, zeros, m.totals);
  }
  std::size_t r = 1;
  for (; r + 2 <= m.longest + 1; r += 2) {
    weigh_rows<2, N>(group, m.weights + r * m.stride, below_best, zeros, m.totals);
  }
  if (r <= m.longest) weigh_rows<1, N>(group, m.weights + r * m.stride, below_best, zeros, m.totals);
  if constexpr (kIsDual<N>) {  // a sum that is no number has a part that is none
    const V limit = hn::Set(d, kLargestDirection);
    const M fits = hn::And(hn::Le(group.reach, limit), hn::Le(hn::Abs(group.shift.high), limit));
    group.bad = hn::Or(group.bad, hn::Not(fits));
  }
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
