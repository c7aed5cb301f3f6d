// Refines the slopes of an inverse, column after column of the graph: those of arcs into different words do not depend
// on each other.
#include "tree/kernels/refined_slopes.hpp"

#include "base/stop.hpp"

#include <algorithm>
#include <cstdint>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tree/kernels/refined_slopes.cpp"
#include "numeric/simd/highway.hpp"
#include "numeric/simd/products-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace kirchhoff::tree::HWY_NAMESPACE {
using namespace numeric::HWY_NAMESPACE;  // NOLINT: vectors and products, for this instruction set

constexpr std::size_t kLook = 64;  // words from one look whether to go on to the next
// More slopes than this for each word are too many for it to be worth while.
constexpr std::size_t kMostForEachWord = 8;

// The slopes of the arcs into word j, by head, with bounds of their errors.
struct SlopesInto {
  std::size_t j;
  double* slopes;
  double* errors;
  double root_slope;
};

// Writes the inverse's slopes of the arcs into a word. Returns whether all errors are within their bounds.
HWY_INLINE bool read_slopes(const MarginalTerms& terms, const MarginalBound& bound, const double* weights,
                            std::size_t columns, const SlopesInto& x) {
  const D d;
  const V base = hn::Set(d, terms.base[x.j]), g = hn::Set(d, terms.g[x.j]), a = hn::Set(d, terms.a[x.j]);
  const V scale = hn::Set(d, bound.scale), tolerance = hn::Set(d, bound.tolerance), floor = hn::Set(d, bound.floor);
  const double* const inverse = terms.d + x.j * columns;
  auto good = hn::Eq(hn::Zero(d), hn::Zero(d));
  for (std::size_t c = 0; c < columns; c += hn::Lanes(d)) {
    const V u = hn::Load(d, terms.u + c), w = hn::Load(d, weights + c);
    const V slope = hn::Max(hn::MulAdd(u, g, hn::Sub(base, hn::Load(d, inverse + c))), hn::Zero(d));
    const V error = hn::Mul(scale, hn::MulAdd(u, g, a));
    hn::Store(slope, d, x.slopes + c);
    hn::Store(error, d, x.errors + c);
    good = hn::And(good, hn::Le(hn::Mul(w, error), hn::Mul(tolerance, hn::Max(hn::Mul(w, slope), floor))));
  }
  return hn::AllTrue(d, good);
}

// The sums of weights times slopes, and of weights times their errors.
HWY_INLINE void sum_heads(const double* HWY_RESTRICT weights, std::size_t columns, const SlopesInto& x, double& slope,
                          double& error) {
  const D d;
  V slopes = hn::Zero(d), errors = hn::Zero(d);
  for (std::size_t c = 0; c < columns; c += hn::Lanes(d)) {
    const V w = hn::Load(d, weights + c);
    slopes = hn::MulAdd(w, hn::Load(d, x.slopes + c), slopes);
    errors = hn::MulAdd(w, hn::Load(d, x.errors + c), errors);
  }
  slope = hn::GetLane(hn::SumOfLanes(d, slopes));
  error = hn::GetLane(hn::SumOfLanes(d, errors));
}

// Computes slopes of arcs into word j anew until all are within their bounds. False when that fails.
HWY_INLINE bool refine(const RefinedGraph& graph, const MarginalBound& bound, const SlopesInto& x,
                       std::size_t& allowed) {
  const std::size_t n = graph.into.rows, columns = graph.into.stride;
  const double* const weights = graph.into.row(x.j);
  for (int sweep = 0; sweep < kRefinementSweeps; ++sweep) {
    bool good = true;
    for (std::size_t turn = 0; turn < n; ++turn) {
      const std::size_t i = sweep % 2 == 0 ? turn : n - 1 - turn;
      const auto is_bad = [&](double w) {
        return w * x.errors[i] > bound.tolerance * std::max(w * x.slopes[i], bound.floor);
      };
      if (!is_bad(sweep < kSweepsOfArcs ? weights[i] : 1.0)) continue;
      if (allowed-- == 0 || !(graph.totals[i] > 0.0)) return false;
      double slope, error;
      sum_heads(graph.into.row(i), columns, x, slope, error);
      x.slopes[i] = (slope + graph.root[i] * x.root_slope) / graph.totals[i];
      x.errors[i] = error / graph.totals[i] + bound.scale * x.slopes[i];
      good = good && !is_bad(weights[i]);
    }
    if (good) return true;
  }
  return false;
}

bool RefinedSlopes(const RefinedGraph& graph, const MarginalTerms& terms, const MarginalBound& bound,
                   const double* root_slopes, double* errors, const numeric::MatrixSpan& slopes) {
  const std::size_t n = graph.into.rows, columns = graph.into.stride;
  std::size_t allowed = kMostForEachWord * n;
  for (std::size_t j = 0; j < n; ++j) {
    if (j % kLook == kLook - 1) StopScope::check();
    const SlopesInto x{j, slopes.row(j), errors, root_slopes[j]};
    const bool good = read_slopes(terms, bound, graph.into.row(j), columns, x);
    x.slopes[j] = x.errors[j] = 0.0;
    if (!good && !refine(graph, bound, x, allowed)) return false;
  }
  return true;
}

}  // namespace kirchhoff::tree::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kirchhoff::tree {
HWY_EXPORT(RefinedSlopes);

bool refined_slopes(const RefinedGraph& graph, const MarginalTerms& terms, const MarginalBound& bound,
                    const double* root_slopes, double* errors, const numeric::MatrixSpan& slopes) {
  static const auto kernel = KIRCHHOFF_KERNEL(RefinedSlopes);
  return kernel(graph, terms, bound, root_slopes, errors, slopes);
}
}  // namespace kirchhoff::tree
#endif
