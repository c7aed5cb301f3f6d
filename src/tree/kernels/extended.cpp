// Updates rows of numbers m 2^e whose exponents are doubles (numeric/extended_dual.hpp): they have the relative
// precision of a double and a range without end.
#include "tree/kernels/extended.hpp"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tree/kernels/extended.cpp"
#include "numeric/simd/highway.hpp"

HWY_BEFORE_NAMESPACE();
namespace kirchhoff::tree::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;
using U = hn::RebindToUnsigned<D>;

constexpr double kMagic = 4503599627370496.0;  // 2^52: adding it leaves an integer in the low mantissa bits

// Returns 2^k for integer k <= 0, and 0 below -1022.
HWY_INLINE V shrink(D d, V k) {
  const V biased = hn::Add(hn::Max(k, hn::Set(d, -1023.0)), hn::Set(d, kMagic + 1023.0));
  return hn::BitCast(d, hn::ShiftLeft<52>(hn::BitCast(U(), biased)));
}

// The binary exponent of a normal m > 0, as a double; it is -1023 for 0.
HWY_INLINE V exponent_of(D d, V m) {
  const auto bits = hn::ShiftRight<52>(hn::BitCast(U(), m));
  return hn::Sub(hn::BitCast(d, hn::Or(bits, hn::BitCast(U(), hn::Set(d, kMagic)))), hn::Set(d, kMagic + 1023.0));
}

template <bool kTangent>
HWY_INLINE void axpy(std::size_t plane, const numeric::ExtendedDual& c, const double* HWY_RESTRICT source,
                     const double* in, double* row) {
  const D d;
  const V cm = hn::Set(d, c.m), ce = hn::Set(d, c.e), ct = hn::Set(d, c.t);
  for (std::size_t i = 0; i < plane; i += hn::Lanes(d)) {
    const V xm = hn::Load(d, source + i), ym = hn::Load(d, in + i);
    const V pe = hn::Add(ce, hn::Load(d, source + plane + i)), ye = hn::Load(d, in + plane + i);
    const V top = hn::Max(pe, ye);
    const V scale_p = shrink(d, hn::Sub(pe, top)), scale_y = shrink(d, hn::Sub(ye, top));
    const V m = hn::MulAdd(hn::Mul(cm, xm), scale_p, hn::Mul(ym, scale_y));
    const V k = exponent_of(d, m);
    const V normalise = shrink(d, hn::Neg(hn::Max(k, hn::Zero(d))));  // m is 0 or at least 1/4: only large m need it
    hn::Store(hn::Mul(m, normalise), d, row + i);
    hn::Store(hn::Add(top, hn::Max(k, hn::Zero(d))), d, row + plane + i);
    if (kTangent) {
      const V xt = hn::Load(d, source + 2 * plane + i), yt = hn::Load(d, in + 2 * plane + i);
      const V t = hn::MulAdd(hn::MulAdd(ct, xm, hn::Mul(cm, xt)), scale_p, hn::Mul(yt, scale_y));
      hn::Store(hn::Mul(t, normalise), d, row + 2 * plane + i);
    }
  }
}

void ExtendedUpdate(std::span<const numeric::ExtendedDual> coefficients, const ExtendedRow& source,
                    const double* const* in, double* const* out) {
  const std::size_t plane = source.plane;
  for (std::size_t r = 0; r < coefficients.size(); ++r) {
    if (coefficients[r].m == 0.0) {
      if (in[r] != out[r]) std::memcpy(out[r], in[r], (source.tangent ? 3 : 2) * plane * sizeof(double));
    } else if (source.tangent) {
      axpy<true>(plane, coefficients[r], source.data, in[r], out[r]);
    } else {
      axpy<false>(plane, coefficients[r], source.data, in[r], out[r]);
    }
  }
}

}  // namespace kirchhoff::tree::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kirchhoff::tree {
HWY_EXPORT(ExtendedUpdate);
void extended_update(std::span<const numeric::ExtendedDual> coefficients, const ExtendedRow& source,
                     const double* const* in, double* const* out) {
  static const auto kernel = KIRCHHOFF_KERNEL(ExtendedUpdate);
  kernel(coefficients, source, in, out);
}
}  // namespace kirchhoff::tree
#endif
