// The place of a column's maximum, for files that are compiled once per instruction set.
// It is included after numeric/simd/highway.hpp.
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
namespace kirchhoff::decode::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::CappedTag<double, 8>;  // columns are padded to multiples of 8
constexpr int kLanes = static_cast<int>(hn::MaxLanes(Doubles()));

/// One bit for each lane, set where the mask is true.
template <class D, class M>
HWY_INLINE std::uint32_t bits_of(D d, M mask) {
  std::uint8_t bits[8] = {};
  hn::StoreMaskBits(d, mask, bits);
  return bits[0];
}

struct BestHead {
  double value;
  int head;
};

/// The lowest head from `lowest` (0 or 1) on that has the highest value, given the maximum of each lane over these
/// heads; the root when that is -inf.
HWY_INLINE BestHead find_best(hn::Vec<Doubles> top, std::ptrdiff_t size, const double* values, int lowest) {
  const Doubles d;
  const auto best = hn::MaxOfLanes(d, top);
  const double value = hn::GetLane(best);
  if (value == -HUGE_VAL) return {values[0], 0};
  const auto bits_at = [&](std::ptrdiff_t u) { return bits_of(d, hn::Eq(hn::LoadU(d, values + u), best)); };
  std::uint32_t counts = ~static_cast<std::uint32_t>(lowest);
  std::ptrdiff_t u = 0;
  for (; u + 4 * kLanes <= size; u += 4 * kLanes) {
    const std::uint32_t low = bits_at(u) | bits_at(u + kLanes) << kLanes;
    const std::uint32_t high = bits_at(u + 2 * kLanes) | bits_at(u + 3 * kLanes) << kLanes;
    const std::uint32_t bits = (low | high << (2 * kLanes)) & counts;
    if (bits != 0) return {value, static_cast<int>(u) + std::countr_zero(bits)};
    counts = ~0u;
  }
  for (;; u += kLanes) {
    const std::uint32_t bits = bits_at(u) & counts;
    if (bits != 0) return {value, static_cast<int>(u) + std::countr_zero(bits)};
    counts = ~0u;
  }
}

}  // namespace kirchhoff::decode::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // KIRCHHOFF_COLUMNS_INL
