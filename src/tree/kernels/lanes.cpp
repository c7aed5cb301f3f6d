// From the scores of a group of graphs to their marginals, and the derivatives of these: reads them into lanes, has
// them inverted or eliminated, and writes what came out.
#include "tree/kernels/lanes.hpp"

#include "base/buffer.hpp"
#include "numeric/sum.hpp"
#include "tree/floating_point_flags.hpp"
#include "tree/kernels/certified_marginals.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tree/kernels/lanes.cpp"
#include "numeric/simd/highway.hpp"
#include "tree/kernels/lanes_arrays-inl.hpp"
#include "tree/kernels/lanes_certified-inl.hpp"
#include "tree/kernels/lanes_elimination-inl.hpp"
#include "tree/kernels/lanes_products-inl.hpp"
#include "tree/kernels/lanes_weights-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace kirchhoff::tree::HWY_NAMESPACE {

constexpr double kSmallestTolerance = 1e-15;  // Rounding errors are larger.

// Tells each lane's log Z, given that of the scaled weights, and the entropy, if there are derivatives.
template <class N>
void tell(const Group& group, const LaneProduct& z, M trusted, Method method, LaneAnswer (&answers)[kLanes]) {
  const D d;
  HWY_ALIGN double mantissa[kLanes], high[kLanes], low[kLanes], good[kLanes];
  [[maybe_unused]] HWY_ALIGN double mean[kLanes], shift_high[kLanes], shift_low[kLanes];
  HWY_ALIGN std::int64_t exponent[kLanes];
  hn::Store(z.mantissa(), d, mantissa);
  hn::Store(z.exponent(), hn::RebindToSigned<D>(), exponent);
  hn::Store(group.log_scale.high, d, high);
  hn::Store(group.log_scale.low, d, low);
  hn::Store(hn::IfThenElseZero(trusted, hn::Set(d, 1.0)), d, good);
  if constexpr (kIsDual<N>) {
    hn::Store(mean_direction(group.m), d, mean);
    hn::Store(group.shift.high, d, shift_high);
    hn::Store(group.shift.low, d, shift_low);
  }
  for (std::size_t i = 0; i < kLanes; ++i) {
    answers[i].solved = good[i] != 0.0;
    if (!answers[i].solved) continue;
    answers[i].method = method;
    numeric::LogProduct product;
    product.multiply(mantissa[i], static_cast<double>(exponent[i]));
    numeric::Sum log_z{high[i], low[i]};
    product.add_to(log_z);
    answers[i].log_partition = log_z.value();
    if constexpr (kIsDual<N>) {
      numeric::Sum scaled;
      product.add_to(scaled);
      scaled.add(-mean[i]);
      answers[i].entropy = numeric::not_negative(scaled.value());
      answers[i].mean = {shift_high[i], shift_low[i]};
      answers[i].mean.add(mean[i]);
    }
  }
}

// Solves the graphs with mild weights by the fast method, as far as their errors are within the tolerance. Returns the
// other lanes that can be solved at all.
template <class N>
M solve_mild(const Group& group, const Accuracy& accuracy, LaneAnswer (&answers)[kLanes]) {
  const D d;
  const M possible = hn::Not(group.bad), mild = mild_lanes(group);
  if (accuracy.method == Method::robust || accuracy.tolerance < kSmallestTolerance || hn::AllFalse(d, mild)) {
    return possible;
  }
  HWY_ALIGN double scale[kLanes];
  for (std::size_t i = 0; i < kLanes; ++i) {
    const int words = group.graphs[i]->view.words;
    const bool again = i > 0 && words == group.graphs[i - 1]->view.words;
    scale[i] = again ? scale[i - 1] : error_scale(words) / accuracy.tolerance;
  }
  const FloatingPointFlags flags;  // other lanes may raise them
  const LaneInverse inverse{hn::Load(d, scale), group.m.factors};
  LaneOutcome outcome;
  invert(group, inverse, outcome);
  const M inverted = hn::AndNot(outcome.bad, mild);
  if constexpr (kIsDual<N>) {
    const M precise = hn::And(inverted, slopes_of_inverse(group, inverse));
    if (hn::AllFalse(d, precise)) return possible;
    tell<N>(group, outcome.product, precise, Method::fast, answers);
    if (group.graphs[0]->derivatives != nullptr) multiply_slopes(group);
    write_products(group, answers);
    write_marginals(group, answers);
    return hn::AndNot(precise, possible);
  }
  tell<V>(group, outcome.product, inverted, Method::fast, answers);
  const M certified =
      hn::And(inverted, group.m.single_root ? write_certified<true>(group, inverse, accuracy.floor, answers)
                                            : write_certified<false>(group, inverse, accuracy.floor, answers));
  HWY_ALIGN double good[kLanes];
  hn::Store(hn::IfThenElseZero(certified, hn::Set(d, 1.0)), d, good);
  for (std::size_t i = 0; i < kLanes; ++i) answers[i].solved = good[i] != 0.0;
  return hn::AndNot(certified, possible);
}

template <class N>
HWY_NOINLINE void solve_group(std::span<const LaneGraph> graphs, Root root, const Accuracy& accuracy,
                              std::span<LaneAnswer> answers) {
  thread_local base::Buffer storage;
  Group group;
  LaneMatrices& m = group.m;
  m.single_root = root == Root::single;
  m.longest = 0;
  group.shortest = std::numeric_limits<std::size_t>::max();
  bool side_by_side = true;
  for (std::size_t i = 0; i < kLanes; ++i) {
    group.graphs[i] = &graphs[std::min(i, graphs.size() - 1)];
    const GraphView& view = group.graphs[i]->view;
    m.longest = std::max<std::size_t>(m.longest, view.words);
    group.shortest = std::min<std::size_t>(group.shortest, view.words);
    side_by_side = side_by_side && view.dependent_stride == 1;
    if constexpr (kIsDual<N>) side_by_side = side_by_side && group.graphs[i]->direction.dependent_stride == 1;
  }
  group.columns = (m.longest + kColumns - 1) / kColumns * kColumns;
  group.whole = side_by_side ? group.shortest / kLanes * kLanes : 0;
  group.short_tail = kHasMasks && side_by_side && m.longest <= group.whole + kLanes;
  group.shorter_tail = group.short_tail && kHalf >= 4 && m.longest <= group.whole + kHalf;
  for (std::size_t i = 0; i < kLanes; ++i) {
    const std::size_t words = group.graphs[i]->view.words, left = words - std::min(words, group.whole);
    group.tail[i] = hn::FirstN(D(), std::min(kLanes, left));
    group.half_tail[i] = hn::FirstN(Half(), std::min(kHalf, left));
  }
  // Whole vectors of columns, and an odd number of them: columns of even ones would crowd into a few cache sets.
  const std::size_t columns = (m.longest + kLanes - 1) / kLanes * kLanes | 1;
  m.plane = columns * kLanes;
  m.stride = kIsDual<N> ? 2 * m.plane + kLanes : m.plane;
  const std::size_t matrix = (m.longest + 1) * m.stride;
  const std::size_t factors = kWordsTogether * m.longest * kSize<N>;
  const std::size_t rows = std::max(m.row_count() * m.stride, kIsDual<N> ? (m.longest + 1) * m.plane : 0);
  m.weights = storage.take(2 * matrix + rows + 2 * m.stride + 3 * m.plane + factors);
  m.slopes = m.weights + matrix;
  m.rows = m.slopes + matrix;
  m.totals = m.rows + rows;
  m.inverse = m.totals + m.stride;
  m.exits = m.inverse + m.stride;
  group.best = m.exits + m.plane;
  group.best_direction = group.best + m.plane;
  m.factors = group.best_direction + m.plane;
  const D d;
  HWY_ALIGN double words[kLanes];
  for (std::size_t i = 0; i < kLanes; ++i) words[i] = group.graphs[i]->view.words;
  for (std::size_t c = 0; c < m.longest; ++c) {
    const M fills = hn::Le(hn::Load(d, words), hn::Set(d, static_cast<double>(c)));
    put(m.exits, c, hn::IfThenElseZero(fills, hn::Set(d, 1.0)));
  }
  weigh<N>(group);
  LaneAnswer all[kLanes] = {};
  const M rest = solve_mild<N>(group, accuracy, all);
  std::copy_n(all, answers.size(), answers.begin());
  if (hn::AllFalse(d, rest)) return;
  const FloatingPointFlags flags;
  LaneElimination<N> elimination(m);
  elimination.run();
  const LaneOutcome& outcome = elimination.outcome();
  tell<N>(group, outcome.product, hn::AndNot(outcome.bad, rest), Method::robust, all);
  const bool in_range = !FloatingPointFlags::underflowed() && !FloatingPointFlags::overflowed();
  if (in_range) {
    if constexpr (kIsDual<N>) write_derivatives(group, all);
    write_marginals(group, all);
  }
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (!all[i].solved) continue;
    answers[i] = all[i];
    if (in_range) continue;
    // Some lane left the range of doubles. Which one it was is seen when each is alone: results stay what they are.
    answers[i].solved = false;
    if (graphs.size() > 1) solve_group<N>(graphs.subspan(i, 1), root, accuracy, answers.subspan(i, 1));
  }
}

// Where vectors are single numbers a group is one graph, which the methods for one graph solve as well: the code for it
// would only take time to compile.
template <class N>
void solve(std::span<const LaneGraph> graphs, Root root, const Accuracy& accuracy, std::span<LaneAnswer> answers) {
  if constexpr (kLanes > 1) {
    solve_group<N>(graphs, root, accuracy, answers);
  } else {
    for (LaneAnswer& answer : answers) answer.solved = false;
  }
}

void SolveLanes(std::span<const LaneGraph> graphs, Root root, const Accuracy& accuracy, std::span<LaneAnswer> answers) {
  solve<V>(graphs, root, accuracy, answers);
}
void SolveLanesAlong(std::span<const LaneGraph> graphs, Root root, const Accuracy& accuracy,
                     std::span<LaneAnswer> answers) {
  solve<Dual>(graphs, root, accuracy, answers);
}

std::size_t Lanes() {
  static_assert(kLanes <= kMostLanes);
  return kLanes;
}

}  // namespace kirchhoff::tree::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kirchhoff::tree {
HWY_EXPORT(SolveLanes);
HWY_EXPORT(SolveLanesAlong);
HWY_EXPORT(Lanes);

std::size_t lanes() {
  static const auto kernel = KIRCHHOFF_KERNEL(Lanes);
  return kernel();
}

void solve_lanes(std::span<const LaneGraph> graphs, Root root, const Accuracy& accuracy,
                 std::span<LaneAnswer> answers) {
  static const auto kernel = KIRCHHOFF_KERNEL(SolveLanes);
  kernel(graphs, root, accuracy, answers);
}

void solve_lanes_along(std::span<const LaneGraph> graphs, Root root, const Accuracy& accuracy,
                       std::span<LaneAnswer> answers) {
  static const auto kernel = KIRCHHOFF_KERNEL(SolveLanesAlong);
  kernel(graphs, root, accuracy, answers);
}
}  // namespace kirchhoff::tree
#endif
