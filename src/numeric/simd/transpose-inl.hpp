// Transposes as many vectors as a vector has lanes, in registers; for files that are compiled once per instruction set.
#if defined(KIRCHHOFF_TRANSPOSE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef KIRCHHOFF_TRANSPOSE_INL
#undef KIRCHHOFF_TRANSPOSE_INL
#else
#define KIRCHHOFF_TRANSPOSE_INL
#endif

#include <hwy/highway.h>

#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace kirchhoff::numeric::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Lane j of rows[i] and lane i of rows[j] change places; there are as many rows as d has lanes.
template <class D, class Rows>
HWY_INLINE void transpose_lanes([[maybe_unused]] D d, [[maybe_unused]] Rows& rows) {
#if HWY_TARGET != HWY_SCALAR
  using V = hn::Vec<D>;
  constexpr std::size_t kWidth = hn::MaxLanes(D());
  if constexpr (kWidth >= 2) {
    for (std::size_t i = 0; i < kWidth; i += 2) {  // squares of two lanes, the blocks of what follows
      const V even = hn::InterleaveLower(d, rows[i], rows[i + 1]);
      rows[i + 1] = hn::InterleaveUpper(d, rows[i], rows[i + 1]);
      rows[i] = even;
    }
  }
  if constexpr (kWidth == 4) {
    for (std::size_t i = 0; i < 2; ++i) {
      const V low = hn::ConcatLowerLower(d, rows[i + 2], rows[i]);
      rows[i + 2] = hn::ConcatUpperUpper(d, rows[i + 2], rows[i]);
      rows[i] = low;
    }
  }
  if constexpr (kWidth == 8) {
    for (std::size_t i = 0; i < 2; ++i) {
      V odd[4];
      for (std::size_t j = 0; j < 4; j += 2) {
        const V a = rows[i + 2 * j], b = rows[i + 2 * j + 2];
        odd[j] = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(b), a);
        odd[j + 1] = hn::OddEvenBlocks(b, hn::SwapAdjacentBlocks(a));
      }
      for (std::size_t j = 0; j < 2; ++j) {
        rows[i + 2 * j] = hn::ConcatLowerLower(d, odd[j + 2], odd[j]);
        rows[i + 2 * j + 4] = hn::ConcatUpperUpper(d, odd[j + 2], odd[j]);
      }
    }
  }
#endif
}

/// The same within the lower half of the vectors and, apart from it, within the upper one; there are half as many rows.
template <class D, class Rows>
HWY_INLINE void transpose_halves([[maybe_unused]] D d, [[maybe_unused]] Rows& rows) {
#if HWY_TARGET != HWY_SCALAR
  using V = hn::Vec<D>;
  constexpr std::size_t kWidth = hn::MaxLanes(D());
  if constexpr (kWidth >= 4) {
    for (std::size_t i = 0; i < kWidth / 2; i += 2) {
      const V even = hn::InterleaveLower(d, rows[i], rows[i + 1]);
      rows[i + 1] = hn::InterleaveUpper(d, rows[i], rows[i + 1]);
      rows[i] = even;
    }
  }
  if constexpr (kWidth == 8) {
    for (std::size_t i = 0; i < 2; ++i) {
      const V a = rows[i], b = rows[i + 2];
      rows[i] = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(b), a);
      rows[i + 2] = hn::OddEvenBlocks(b, hn::SwapAdjacentBlocks(a));
    }
  }
#endif
}

}  // namespace kirchhoff::numeric::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // KIRCHHOFF_TRANSPOSE_INL
