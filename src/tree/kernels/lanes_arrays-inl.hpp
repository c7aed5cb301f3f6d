// Writes the marginals of a group of graphs, and their derivatives; for files that are compiled once per instruction
// set.
#if defined(KIRCHHOFF_LANES_ARRAYS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef KIRCHHOFF_LANES_ARRAYS_INL
#undef KIRCHHOFF_LANES_ARRAYS_INL
#else
#define KIRCHHOFF_LANES_ARRAYS_INL
#endif

#include "tree/kernels/lanes_group-inl.hpp"

#include <algorithm>
#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace kirchhoff::tree::HWY_NAMESPACE {

// Writes an array of arcs of the graphs that are solved; columns(r, c, x) gives as many columns of a row as x has room
// for: kLanes, or half of them.
template <class Columns>
HWY_INLINE void write_arcs(const Group& group, const LaneAnswer (&answers)[kLanes], double* LaneGraph::*array,
                           const Columns& columns) {
  const D d;
  const std::size_t longest = group.m.longest;
  const bool all = std::all_of(answers, answers + kLanes, [](const LaneAnswer& answer) { return answer.solved; });
  LaneRows<double> rows;
  for (std::size_t i = 0; i < kLanes; ++i) {
    rows.at[i] = group.graphs[i]->*array + 1;
    rows.step[i] = group.graphs[i]->stride;
  }
  for (std::size_t r = 0; r <= longest; ++r, rows.next()) {
    const bool inside = all && r <= group.shortest;
    const auto& to = rows.at;
    for (std::size_t i = 0; i < kLanes; ++i) {
      if (inside || (answers[i].solved && r <= static_cast<std::size_t>(group.graphs[i]->view.words))) to[i][-1] = 0.0;
    }
    std::size_t c = 0;
    for (const std::size_t end = inside ? group.whole : 0; c < end; c += kLanes) {
      V x[kLanes];
      columns(r, c, x);
      transpose_lanes(d, x);
      for (std::size_t i = 0; i < kLanes; ++i) hn::StoreU(x[i], d, to[i] + c);
    }
#if HWY_TARGET != HWY_SCALAR
    if (inside && group.shorter_tail && c < longest) {
      V x[kHalf];
      columns(r, c, x);
      transpose_halves(d, x);
      for (std::size_t i = 0; i < kHalf; ++i) {
        hn::BlendedStore(hn::LowerHalf(Half(), x[i]), group.half_tail[i], Half(), to[i] + c);
        hn::BlendedStore(hn::UpperHalf(Half(), x[i]), group.half_tail[i + kHalf], Half(), to[i + kHalf] + c);
      }
      continue;
    }
#endif
    if (inside && group.short_tail && c < longest) {
      V x[kLanes];
      columns(r, c, x);
      transpose_lanes(d, x);
      for (std::size_t i = 0; i < kLanes; ++i) hn::BlendedStore(x[i], group.tail[i], d, to[i] + c);
      continue;
    }
    for (; c < longest; c += kLanes) {
      V x[kLanes];
      columns(r, c, x);
      transpose_lanes(d, x);
      for (std::size_t i = 0; i < kLanes; ++i) {
        const std::size_t words = group.graphs[i]->view.words;
        if (!answers[i].solved || r > words || c >= words) continue;
        hn::BlendedStore(x[i], hn::FirstN(d, std::min(kLanes, words - c)), d, to[i] + c);
      }
    }
  }
}

// p = w G.
inline void write_marginals(const Group& group, const LaneAnswer (&answers)[kLanes]) {
  const LaneMatrices& m = group.m;
  if (group.graphs[0]->marginals == nullptr) return;
  const V one = hn::Set(D(), 1.0);
  write_arcs(group, answers, &LaneGraph::marginals,
             [&]<std::size_t T>(std::size_t r, std::size_t c, V(&p)[T]) HWY_ATTR {
               const double* const w = m.weights + r * m.stride;
               const double* const g = m.slopes + r * m.stride;
               for (std::size_t i = 0; i < T; ++i) p[i] = hn::Min(hn::Mul(at(w, c + i), at(g, c + i)), one);
             });
}

// dp = r p + w dG, where r w is the tangent of the weight.
inline void write_derivatives(const Group& group, const LaneAnswer (&answers)[kLanes]) {
  const LaneMatrices& m = group.m;
  if (group.graphs[0]->derivatives == nullptr) return;
  const V sign = hn::Set(D(), group.graphs[0]->sign);
  write_arcs(group, answers, &LaneGraph::derivatives,
             [&]<std::size_t T>(std::size_t r, std::size_t c, V(&x)[T]) HWY_ATTR {
               const double* const w = m.weights + r * m.stride;
               const double* const g = m.slopes + r * m.stride;
               for (std::size_t i = 0; i < T; ++i) {
                 const V derivative =
                     hn::MulAdd(at(w, c + i), at(g + m.plane, c + i), hn::Mul(at(w + m.plane, c + i), at(g, c + i)));
                 x[i] = hn::MulAdd(sign, derivative, hn::Zero(D()));  // no -0
               }
             });
}

// The same from the products: dp_kl = t_kl G_kl - w_kl (Y_kl - Y_ll), without Y_ll for single roots' arcs.
inline void write_products(const Group& group, const LaneAnswer (&answers)[kLanes]) {
  const LaneMatrices& m = group.m;
  if (group.graphs[0]->derivatives == nullptr) return;
  const V sign = hn::Set(D(), group.graphs[0]->sign);
  write_arcs(group, answers, &LaneGraph::derivatives,
             [&]<std::size_t T>(std::size_t r, std::size_t c, V(&x)[T]) HWY_ATTR {
               const double* const w = m.weights + r * m.stride;
               const double* const g = m.slopes + r * m.stride;
               const double* const y = m.rows + r * m.plane;
               const double* const own = m.rows + m.plane;
               for (std::size_t i = 0; i < T; ++i) {
                 const std::size_t l = c + i;
                 if (l >= m.longest) {
                   x[i] = hn::Zero(D());
                   continue;
                 }
                 V change = at(y, l);
                 if (r > 0 || !m.single_root) change = hn::Sub(change, at(own + l * m.plane, l));
                 const V derivative = hn::NegMulAdd(at(w, l), change, hn::Mul(at(w + m.plane, l), at(g, l)));
                 x[i] = hn::MulAdd(sign, derivative, hn::Zero(D()));  // no -0
               }
             });
}

// The expectation of the direction as it was scaled: the sum of r p. Words that fill up have no slopes.
inline V mean_direction(const LaneMatrices& m) {
  const V zeros = hn::Zero(D());
  V sum = zeros;
  for (std::size_t r = 0; r <= m.longest; ++r) {
    const double* const tangents = m.weights + r * m.stride + m.plane;
    const double* const slopes = m.slopes + r * m.stride;
    for (std::size_t c = 0; c < m.longest; ++c) {
      const V tangent = at(tangents, c);
      sum = hn::MulAdd(tangent, hn::IfThenElseZero(hn::Ne(tangent, zeros), at(slopes, c)), sum);
    }
  }
  return sum;
}

}  // namespace kirchhoff::tree::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // KIRCHHOFF_LANES_ARRAYS_INL
