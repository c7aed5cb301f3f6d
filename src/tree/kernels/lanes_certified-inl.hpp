// Writes the marginals of a group of graphs from their inverses, and certifies them; for files that are compiled once
// per instruction set.
#if defined(KIRCHHOFF_LANES_CERTIFIED_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef KIRCHHOFF_LANES_CERTIFIED_INL
#undef KIRCHHOFF_LANES_CERTIFIED_INL
#else
#define KIRCHHOFF_LANES_CERTIFIED_INL
#endif

#include "tree/kernels/lanes_arrays-inl.hpp"
#include "tree/kernels/lanes_inverse-inl.hpp"

#include <algorithm>
#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace kirchhoff::tree::HWY_NAMESPACE {

// Writes the marginals of the graphs that are said to be solved. Returns the lanes where every error is within its
// bound.
template <bool kSingleRoot>
HWY_NOINLINE M write_certified(const Group& group, const LaneInverse& inverse, double floor,
                               const LaneAnswer (&answers)[kLanes]) {
  const D d;
  const LaneMatrices& m = group.m;
  const std::size_t stride = m.stride, longest = m.longest;
  const V zeros = hn::Zero(d), one = hn::Set(d, 1.0), low = hn::Set(d, floor), scale = inverse.scale;
  M good = hn::Eq(zeros, zeros);
  write_arcs(group, answers, &LaneGraph::marginals,
             [&]<std::size_t T>(std::size_t r, std::size_t c, V(&p)[T]) HWY_ATTR {
               const double* const w = m.weights + r * stride;
               const V u = r == 0 ? zeros : at(m.slopes, r - 1);
               const double* const column = m.slopes + stride + (r == 0 ? 0 : (r - 1) * kLanes);
               const auto of_root = [&](std::size_t j) HWY_ATTR {
                 return hn::Min(hn::Mul(at(w, j), kSingleRoot ? inverse.g(j) : inverse.base(j)), one);
               };
               const auto of_word = [&](std::size_t j) HWY_ATTR {
                 V slope = hn::Sub(inverse.base(j), hn::Load(d, column + j * stride)), error = inverse.bound(j);
                 if constexpr (kSingleRoot) {
                   const V first_order = hn::Mul(u, inverse.g(j));
                   slope = hn::Add(slope, first_order);
                   error = hn::MulAdd(scale, first_order, error);
                 }
                 const V weight = at(w, j), product = hn::Mul(weight, slope);
                 good = hn::And(good, hn::Le(hn::Mul(weight, error), hn::Max(product, low)));
                 return hn::Min(hn::Max(product, zeros), one);
               };
               const std::size_t count = std::min(T, longest - c);
               if (r == 0) {
                 for (std::size_t i = 0; i < T; ++i) p[i] = i < count ? of_root(c + i) : zeros;
               } else if (count == T) {
                 for (std::size_t i = 0; i < T; ++i) p[i] = of_word(c + i);
               } else {
                 for (std::size_t i = 0; i < T; ++i) p[i] = i < count ? of_word(c + i) : zeros;
               }
             });
  return good;
}

}  // namespace kirchhoff::tree::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // KIRCHHOFF_LANES_CERTIFIED_INL
