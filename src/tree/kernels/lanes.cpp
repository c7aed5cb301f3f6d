// From the scores of a group of graphs to their marginals: transposes them into lanes and back, scales them, and has
// them eliminated.
#include "tree/kernels/lanes.hpp"

#include "base/buffer.hpp"
#include "numeric/sum.hpp"
#include "tree/floating_point_flags.hpp"

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <cstdint>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tree/kernels/lanes.cpp"
#include "numeric/simd/highway.hpp"
#include "numeric/simd/transpose-inl.hpp"
#include "tree/kernels/exponential-inl.hpp"
#include "tree/kernels/lanes_elimination-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace kirchhoff::tree::HWY_NAMESPACE {
using numeric::HWY_NAMESPACE::transpose_lanes;

constexpr double kMinusInfinity = -HUGE_VAL;
constexpr double kLargestLaneScore = 1e9;  // beyond, sums of scores must be compared exactly

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

// Elements [column, column + kLanes) of a row of one graph's scores, without column 0; -inf beyond its words.
HWY_INLINE V load_scores(const GraphView& graph, std::size_t row, std::size_t column) {
  const D d;
  const std::size_t words = graph.words;
  if (row > words || column >= words) return hn::Set(d, kMinusInfinity);
  const double* const from = graph.scores + row * graph.head_stride + (column + 1) * graph.dependent_stride;
  if (graph.dependent_stride == 1) {
    if (column + kLanes <= words) return hn::LoadU(d, from);
#if !HWY_MEM_OPS_MIGHT_FAULT
    const M inside = hn::FirstN(d, words - column);
    return hn::IfThenElse(inside, hn::MaskedLoad(inside, d, from), hn::Set(d, kMinusInfinity));
#endif
  }
  HWY_ALIGN double part[kLanes];
  for (std::size_t i = 0; i < kLanes; ++i) {
    part[i] = column + i < words ? from[i * graph.dependent_stride] : kMinusInfinity;
  }
  return hn::Load(d, part);
}

// A group in its storage, and what is known of it.
struct Group {
  LaneMatrices m;
  const LaneGraph* graphs[kLanes];  // the last of them again and again where there are fewer
  double* best;                     // one row: each word's best score
  std::size_t shortest;             // words of the smallest graph
  std::size_t whole;                // columns that all graphs have as whole vectors
  M bad;
  LaneSum log_scale;
  Group() : bad(hn::Lt(hn::Zero(D()), hn::Zero(D()))) {}
};

// Reads the scores, with -inf on the diagonal, and finds each word's best.
void read_scores(Group& group) {
  const D d;
  const LaneMatrices& m = group.m;
  const V none = hn::Set(d, kMinusInfinity);
  const std::size_t longest = m.longest, stride = m.stride, shortest = group.shortest;
  for (std::size_t c = 0; c < longest; c += kLanes) {
    V best[kLanes];
    for (V& x : best) x = none;
    const bool whole = c < group.whole;
    for (std::size_t r = 0; r <= longest; ++r) {
      V x[kLanes];
      if (whole && r <= shortest) {
        for (std::size_t i = 0; i < kLanes; ++i) {
          const GraphView& graph = group.graphs[i]->view;
          x[i] = hn::LoadU(d, graph.scores + r * graph.head_stride + c + 1);
        }
      } else {
        for (std::size_t i = 0; i < kLanes; ++i) x[i] = load_scores(group.graphs[i]->view, r, c);
      }
      transpose_lanes(d, x);
      if (c < r && r <= c + kLanes) {
        for (std::size_t i = 0; i < kLanes; ++i) x[i] = c + i + 1 == r ? none : x[i];
      }
      for (std::size_t i = 0; i < kLanes; ++i) put(m.weights + r * stride, c + i, x[i]);
      if (r == 0 && m.single_root) continue;
      for (std::size_t i = 0; i < kLanes; ++i) best[i] = hn::Max(best[i], x[i]);
    }
    for (std::size_t i = 0; i < kLanes; ++i) put(group.best, c + i, best[i]);
  }
}

// Turns the scores of a row into weights, given by power(c, score). Lanes are bad where a weight is below the normal
// doubles, or not a number.
template <class PowerOf>
HWY_INLINE void weigh_row(Group& group, double* row, const PowerOf& power_of) {
  const D d;
  const std::size_t longest = group.m.longest;
  const V smallest = hn::Set(d, -1022.0), none = hn::Set(d, kMinusInfinity);
  M bad = group.bad;
  for (std::size_t c = 0; c < longest; ++c) {
    const V x = at(row, c);
    const Power power = power_of(c, x);
    const M normal = hn::Ge(power.k, smallest);
    put(row, c, hn::IfThenElseZero(normal, hn::Mul(power.m, power_of_two(d, power.k))));
    bad = hn::Or(bad, hn::Not(hn::Or(normal, hn::Eq(x, none))));
  }
  group.bad = bad;
}

// Scales each word's scores by its best, and the root's of single-root graphs by their best then, and exponentiates.
void weigh(Group& group) {
  const D d;
  const LaneMatrices& m = group.m;
  const V none = hn::Set(d, kMinusInfinity), largest = hn::Set(d, kLargestLaneScore);
  V most = none, best_score = hn::Zero(d), best_column = hn::Zero(d);
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
  }
  group.bad = hn::Or(group.bad, hn::Not(hn::And(hn::Gt(most, none), hn::Le(hn::Abs(best_score), largest))));
  if (m.single_root) {
    group.log_scale.add(best_score);
    group.log_scale.add(hn::Neg(best_column));
    weigh_row(group, m.weights, [&](std::size_t c, V x) HWY_ATTR {
      LaneSum apart, shift;  // best_score + (the word's best - best_column), exactly
      apart.add(at(group.best, c));
      apart.add(hn::Neg(best_column));
      shift.add(best_score);
      shift.add(apart.high);
      return shifted_exp<true, false>(d, x, shift.high, hn::Add(shift.low, apart.low));
    });
  }
  // Rounding the difference costs |difference| 2^-53: at most 8e-14, of the smallest weights that there are.
  for (std::size_t r = m.single_root ? 1 : 0; r <= m.longest; ++r) {
    weigh_row(group, m.weights + r * m.stride,
              [&](std::size_t c, V x) HWY_ATTR { return exp_of(d, hn::Sub(x, at(group.best, c))); });
  }
}

// Writes p = w G of the graphs that are solved.
void write_marginals(const Group& group, const LaneAnswer (&answers)[kLanes]) {
  const D d;
  const LaneMatrices& m = group.m;
  const V one = hn::Set(d, 1.0);
  const std::size_t longest = m.longest, stride = m.stride;
  const bool all = std::all_of(answers, answers + kLanes, [](const LaneAnswer& answer) { return answer.solved; });
  for (std::size_t c = 0; c < longest; c += kLanes) {
    const bool whole = all && c < group.whole;
    for (std::size_t r = 0; r <= longest; ++r) {
      V p[kLanes];
      for (std::size_t i = 0; i < kLanes; ++i) {
        p[i] = hn::Min(hn::Mul(at(m.weights + r * stride, c + i), at(m.slopes + r * stride, c + i)), one);
      }
      transpose_lanes(d, p);
      for (std::size_t i = 0; i < kLanes; ++i) {
        const LaneGraph& graph = *group.graphs[i];
        double* const to = graph.marginals + r * graph.stride + 1 + c;
        if (whole && r <= group.shortest) {
          hn::StoreU(p[i], d, to);
          continue;
        }
        const std::size_t words = graph.view.words;
        if (!answers[i].solved || r > words || c >= words) continue;
        hn::BlendedStore(p[i], hn::FirstN(d, std::min(kLanes, words - c)), d, to);
      }
    }
  }
  for (std::size_t i = 0; i < kLanes; ++i) {
    const LaneGraph& graph = *group.graphs[i];
    if (!answers[i].solved) continue;
    for (int r = 0; r <= graph.view.words; ++r) graph.marginals[r * graph.stride] = 0.0;
  }
}

// Eliminates, and tells each lane's log Z and whether it can be trusted.
void eliminate(Group& group, LaneAnswer (&answers)[kLanes]) {
  const D d;
  LaneElimination elimination(group.m);
  elimination.run();
  const LaneOutcome& outcome = elimination.outcome();
  HWY_ALIGN double mantissa[kLanes], high[kLanes], low[kLanes], bad[kLanes];
  HWY_ALIGN std::int64_t exponent[kLanes];
  hn::Store(outcome.product.mantissa(), d, mantissa);
  hn::Store(outcome.product.exponent(), hn::RebindToSigned<D>(), exponent);
  hn::Store(group.log_scale.high, d, high);
  hn::Store(group.log_scale.low, d, low);
  hn::Store(hn::IfThenElseZero(hn::Or(group.bad, outcome.bad), hn::Set(d, 1.0)), d, bad);
  for (std::size_t i = 0; i < kLanes; ++i) {
    answers[i].solved = bad[i] == 0.0;
    if (!answers[i].solved) continue;
    numeric::LogProduct product;
    product.multiply(mantissa[i], static_cast<double>(exponent[i]));
    numeric::Sum log_z{high[i], low[i]};
    product.add_to(log_z);
    answers[i].log_partition = log_z.value();
  }
}

void SolveLanes(std::span<const LaneGraph> graphs, Root root, std::span<LaneAnswer> answers) {
  thread_local base::Buffer storage;
  Group group;
  LaneMatrices& m = group.m;
  m.single_root = root == Root::single;
  m.longest = 0;
  group.shortest = kLaneWords;
  bool side_by_side = true;
  for (std::size_t i = 0; i < kLanes; ++i) {
    group.graphs[i] = &graphs[std::min(i, graphs.size() - 1)];
    const GraphView& view = group.graphs[i]->view;
    m.longest = std::max<std::size_t>(m.longest, view.words);
    group.shortest = std::min<std::size_t>(group.shortest, view.words);
    side_by_side = side_by_side && view.dependent_stride == 1;
  }
  group.whole = side_by_side ? group.shortest / kLanes * kLanes : 0;
  // Whole vectors of columns, and an odd number of them: columns of even ones would crowd into a few cache sets.
  const std::size_t columns = (m.longest + kLanes - 1) / kLanes * kLanes | 1;
  m.stride = columns * kLanes;
  const std::size_t matrix = (m.longest + 1) * m.stride;
  m.weights = storage.take(2 * matrix + (2 + m.row_count()) * m.stride);
  m.slopes = m.weights + matrix;
  group.best = m.slopes + matrix;
  m.exits = group.best + m.stride;
  m.rows = m.exits + m.stride;
  for (std::size_t c = 0; c < m.longest; ++c) {
    for (std::size_t i = 0; i < kLanes; ++i) {
      m.exits[c * kLanes + i] = static_cast<std::size_t>(group.graphs[i]->view.words) <= c ? 1.0 : 0.0;
    }
  }
  read_scores(group);
  weigh(group);
  LaneAnswer all[kLanes];
  const FloatingPointFlags flags;
  eliminate(group, all);
  std::copy_n(all, answers.size(), answers.begin());
  if (std::fetestexcept(FE_UNDERFLOW | FE_OVERFLOW) == 0) return write_marginals(group, all);
  // Some lane left the range of doubles. Which one it was is seen when each is alone: results stay what they are.
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (graphs.size() == 1) {
      answers[0].solved = false;
    } else if (answers[i].solved) {
      SolveLanes(graphs.subspan(i, 1), root, answers.subspan(i, 1));
    }
  }
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
HWY_EXPORT(Lanes);

std::size_t lanes() {
  static const auto kernel = KIRCHHOFF_KERNEL(Lanes);
  return kernel();
}

void solve_lanes(std::span<const LaneGraph> graphs, Root root, std::span<LaneAnswer> answers) {
  static const auto kernel = KIRCHHOFF_KERNEL(SolveLanes);
  kernel(graphs, root, answers);
}
}  // namespace kirchhoff::tree
#endif
