// Derivatives of the marginals of a group of graphs with mild weights, from their inverses by two matrix products, one
// graph in each lane; for files that are compiled once per instruction set.
//
// With slopes G = p / w and tangents t = w r, whose diagonal is minus the sum rho_j of column j (without the root in
// single-root graphs), X = t^T G, and Y = G X: the marginal of k -> l moves by t_kl G_kl - w_kl (Y_kl - Y_ll), of the
// root's arcs in single-root graphs by t_0l G_0l - w_0l Y_0l. Elimination with tangents takes half as long again.
#if defined(KIRCHHOFF_LANES_PRODUCTS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef KIRCHHOFF_LANES_PRODUCTS_INL
#undef KIRCHHOFF_LANES_PRODUCTS_INL
#else
#define KIRCHHOFF_LANES_PRODUCTS_INL
#endif

#include "tree/kernels/lanes_inverse-inl.hpp"

#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace kirchhoff::tree::HWY_NAMESPACE {

// Replaces the inverse by the slopes, as elimination would leave them. Returns the lanes where derivatives along the
// direction are as precise as marginals have to be.
//
// An error in G_il is at most E_l. So one in X_jl is at most 2 |rho_j| E_l, where |rho_j| sums up |t_ij|, and one of
// the derivative at most w_kl times a sum over j of |rho_j| E_j max(G_l), or of as much. Errors do not all have one
// sign: we take the root of the sum of squares, which was at least eight times the error in all of 22,000 directions
// (graphs of 2 to 60 words, scores N(0, s^2) with s = 0.1 to 2.5, both kinds of root). The derivative is precise where
// this is within the tolerance times w_kl G_kl times the largest number of the direction.
HWY_NOINLINE M slopes_of_inverse(const Group& group, const LaneInverse& inverse) {
  const D d;
  const LaneMatrices& m = group.m;
  const std::size_t stride = m.stride, longest = m.longest;
  double* const root = m.slopes;
  double* const words = m.slopes + stride;
  double* const u = m.slopes + m.plane;
  const V zeros = hn::Zero(d);
  V most_u = zeros;
  for (std::size_t l = 0; l < longest; ++l) {
    const V x = m.single_root ? at(root, l) : zeros;
    most_u = hn::Max(most_u, x);
    put(u, l, x);
    put(root, l, m.single_root ? inverse.g(l) : inverse.base(l));
  }
  for (std::size_t i = 0; i < longest; ++i) {
    const V u_i = at(u, i), base_i = inverse.base(i), g_i = inverse.g(i);
    put(words + i * stride, i, zeros);
    for (std::size_t l = 0; l < i; ++l) {
      double *const il = words + i * stride + l * kLanes, *const li = words + l * stride + i * kLanes;
      const V d_il = hn::Load(d, il), d_li = hn::Load(d, li);
      const V u_l = at(u, l);
      hn::Store(hn::MulAdd(u_i, inverse.g(l), hn::Sub(inverse.base(l), d_li)), d, il);
      hn::Store(hn::MulAdd(u_l, g_i, hn::Sub(base_i, d_il)), d, li);
    }
  }
  V spread = zeros;  // the root of the sum of squares of E_j |rho_j|
  M good = hn::Or(hn::Eq(group.reach, zeros), hn::Ge(group.reach, hn::Set(d, 1 / kLargestDirection)));
  for (std::size_t l = 0; l < longest; ++l) {
    V sum = hn::Abs(at(m.weights + m.plane, l));
    for (std::size_t i = 1; i <= longest; ++i) sum = hn::Add(sum, hn::Abs(at(m.weights + i * stride + m.plane, l)));
    const V error = hn::MulAdd(hn::Mul(inverse.scale, most_u), inverse.g(l), inverse.bound(l));
    const V part = hn::Mul(error, sum);
    spread = hn::MulAdd(part, part, spread);
  }
  spread = hn::Sqrt(spread);
  for (std::size_t l = 0; l < longest; ++l) {
    const V far = hn::Set(d, HUGE_VAL);
    V least = far, most = zeros;
    for (std::size_t i = 0; i <= longest; ++i) {
      const V slope = at(m.slopes + i * stride, l);
      const M arc = hn::Ne(at(m.weights + i * stride, l), zeros);
      least = hn::Min(least, hn::IfThenElse(arc, slope, far));
      most = hn::Max(most, slope);
    }
    const V error = hn::MulAdd(hn::Mul(inverse.scale, most_u), inverse.g(l), inverse.bound(l));
    const M precise = hn::And(hn::Le(error, least), hn::Le(hn::Mul(spread, most), hn::Mul(group.reach, least)));
    good = hn::And(good, hn::Or(precise, hn::Ne(at(m.exits, l), zeros)));
  }
  return good;
}

// out_jl = sum over i < count of a_ij b_il, for T columns of a's from j on, and U of b's from l on.
template <std::size_t T, std::size_t U>
HWY_INLINE void multiply_tile(const double* a, std::size_t a_step, std::size_t a_next, const double* b,
                              std::size_t b_step, std::size_t count, double* out, std::size_t out_step) {
  const D d;
  V sum[T][U];
  for (std::size_t t = 0; t < T; ++t) {
    for (std::size_t c = 0; c < U; ++c) sum[t][c] = hn::Zero(d);
  }
  for (std::size_t i = 0; i < count; ++i) {
    V x[U];
    for (std::size_t c = 0; c < U; ++c) x[c] = at(b + i * b_step, c);
    for (std::size_t t = 0; t < T; ++t) {
      const V y = hn::Load(d, a + i * a_step + t * a_next);
      for (std::size_t c = 0; c < U; ++c) sum[t][c] = hn::MulAdd(y, x[c], sum[t][c]);
    }
  }
  for (std::size_t t = 0; t < T; ++t) {
    for (std::size_t c = 0; c < U; ++c) put(out + t * out_step, c, sum[t][c]);
  }
}

// The product of a matrix, whose element (j, i) is at a + i * a_step + j * a_next, and b.
inline constexpr std::size_t kTileRows = kLanes == 8 ? 4 : 3, kTileColumns = kLanes == 8 ? 6 : 3;
HWY_NOINLINE void multiply_lanes(const double* a, std::size_t a_step, std::size_t a_next, std::size_t rows,
                                 const double* b, std::size_t b_step, std::size_t count, std::size_t columns,
                                 double* out, std::size_t out_step) {
  std::size_t j = 0;
  const auto add_rows_of = [&]<std::size_t T>() HWY_ATTR {
    for (; j + T <= rows; j += T) {
      const double* const from = a + j * a_next;
      double* const to = out + j * out_step;
      std::size_t l = 0;
      for (; l + kTileColumns <= columns; l += kTileColumns) {
        multiply_tile<T, kTileColumns>(from, a_step, a_next, b + l * kLanes, b_step, count, to + l * kLanes, out_step);
      }
      for (; l + 2 <= columns; l += 2) {
        multiply_tile<T, 2>(from, a_step, a_next, b + l * kLanes, b_step, count, to + l * kLanes, out_step);
      }
      if (l < columns) {
        multiply_tile<T, 1>(from, a_step, a_next, b + l * kLanes, b_step, count, to + l * kLanes, out_step);
      }
    }
  };
  add_rows_of.template operator()<kTileRows>();
  add_rows_of.template operator()<1>();
}

// Computes X and Y, in the room for tangents of slopes and for rows.
inline void multiply_slopes(const Group& group) {
  const D d;
  const LaneMatrices& m = group.m;
  const std::size_t stride = m.stride, longest = m.longest, plane = m.plane;
  double* const tangents = m.weights + plane;
  double* const x = m.slopes + stride + plane;
  for (std::size_t j = 0; j < longest; ++j) {
    put(tangents + (1 + j) * stride, j, hn::Neg(at(m.totals + plane, j)));
  }
  multiply_lanes(tangents, stride, kLanes, longest, m.slopes, stride, longest + 1, longest, x, stride);
  multiply_lanes(m.slopes, kLanes, stride, longest + 1, x, stride, longest, longest, m.rows, plane);
  for (std::size_t j = 0; j < longest; ++j) put(tangents + (1 + j) * stride, j, hn::Zero(d));
}

}  // namespace kirchhoff::tree::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // KIRCHHOFF_LANES_PRODUCTS_INL
