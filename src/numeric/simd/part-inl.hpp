// Reads of a part of a vector, included once per instruction set.
#if defined(KIRCHHOFF_PART_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef KIRCHHOFF_PART_INL
#undef KIRCHHOFF_PART_INL
#else
#define KIRCHHOFF_PART_INL
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace kirchhoff::numeric::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Whether vectors can be read and written in part, without touching the rest of their memory. Highway says no for all
// types if there is one without such an instruction.
inline constexpr bool kHasMasks = !HWY_MEM_OPS_MIGHT_FAULT || HWY_TARGET == HWY_AVX2;

// The elements of p inside the mask, and zeros. Highway's MaskedLoad asks for aligned memory, and for all of a vector,
// where there are no masks.
template <class D>
HWY_INLINE hn::Vec<D> load_part(D d, hn::Mask<D> inside, const double* p) {
  if constexpr (kHasMasks) return hn::MaskedLoad(inside, d, p);
  std::uint8_t bits[8];  // what StoreMaskBits may write
  hn::StoreMaskBits(d, inside, bits);
  HWY_ALIGN double part[hn::MaxLanes(D())];
  for (std::size_t i = 0; i < hn::Lanes(d); ++i) part[i] = (bits[0] >> i & 1) != 0 ? p[i] : 0.0;
  return hn::Load(d, part);
}

}  // namespace kirchhoff::numeric::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // KIRCHHOFF_PART_INL
