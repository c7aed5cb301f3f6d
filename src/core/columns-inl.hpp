// The place of a column's maximum, for files that are compiled once per instruction set.
// Include after core/highway.hpp.
#if defined(KIRCHHOFF_COLUMNS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef KIRCHHOFF_COLUMNS_INL
#undef KIRCHHOFF_COLUMNS_INL
#else
#define KIRCHHOFF_COLUMNS_INL
#endif

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace kirchhoff::core::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::CappedTag<double, 8>;  // columns are padded to multiples of 8
constexpr int kLanes = static_cast<int>(hn::MaxLanes(Doubles()));
constexpr int kBlock = 4;  // vectors taken at a time

/// Lanes where the mask is true, one bit for each.
template <class D, class M>
HWY_INLINE std::uint32_t bits_of(D d, M mask) {
  std::uint8_t bits[8] = {};
  hn::StoreMaskBits(d, mask, bits);
  return bits[0];
}

template <int kVectors>
HWY_INLINE std::uint32_t bits_equal(const double* values, hn::Vec<Doubles> wanted) {
  std::uint32_t bits = 0;
  for (int v = 0; v < kVectors; ++v) {
    bits |= bits_of(Doubles(), hn::Eq(hn::LoadU(Doubles(), values + v * kLanes), wanted)) << (v * kLanes);
  }
  return bits;
}

/// Lowest head from `lowest` (0 or 1) on that has the highest value, given the maximum of each lane over these heads.
HWY_INLINE int find_best(hn::Vec<Doubles> top, std::ptrdiff_t size, const double* values, int lowest) {
  const auto best = hn::MaxOfLanes(Doubles(), top);
  if (hn::GetLane(best) == -HUGE_VAL) return -1;
  std::uint32_t counts = ~static_cast<std::uint32_t>(lowest);
  std::ptrdiff_t u = 0;
  for (; u + kBlock * kLanes <= size; u += kBlock * kLanes) {
    const std::uint32_t bits = bits_equal<kBlock>(values + u, best) & counts;
    if (bits != 0) return static_cast<int>(u) + std::countr_zero(bits);
    counts = ~0u;
  }
  for (;; u += kLanes) {
    const std::uint32_t bits = bits_equal<1>(values + u, best) & counts;
    if (bits != 0) return static_cast<int>(u) + std::countr_zero(bits);
    counts = ~0u;
  }
}

}  // namespace kirchhoff::core::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // KIRCHHOFF_COLUMNS_INL
