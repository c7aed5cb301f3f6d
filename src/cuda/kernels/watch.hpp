// Watches that nothing leaves the range of doubles: a device raises no flags.
//
// Elimination adds products of factors and entries. If all factors and all entries that are not zero are between 2^-500
// and 2^500, no product has lost digits, and a zero is a zero because there is no path.
#pragma once

#include "cuda/kernels/numbers.hpp"

#include <cstdint>

namespace kirchhoff::cuda {

/// The range of the non-zero numbers seen, in the upper halves of their bits, which are ordered as the numbers are.
struct Range {
  std::uint32_t smallest = 0x3ff00000, largest = 0x3ff00000;  // 1

  KIRCHHOFF_BOTH void see_small(double x) {
    const std::uint32_t below = static_cast<std::uint32_t>(bits_of(x) >> 32) - 1;  // a zero wraps around, and is large
    smallest = below < smallest ? below : smallest;
  }
  KIRCHHOFF_BOTH void see(double x) {
    see_small(x);
    const auto high = static_cast<std::uint32_t>(bits_of(x) >> 32);
    largest = high > largest ? high : largest;
  }
  KIRCHHOFF_BOTH bool within() const {
    constexpr std::uint32_t kOne = 0x3ff00000, kMost = 500 << 20;  // the exponent begins at bit 20
    return smallest > kOne - kMost && largest < kOne + kMost;
  }
};
/// What a thread has seen.
struct Watch {
  Range entries, factors;
  bool bad = false;  // a pivot is zero, or a weight below the range

  KIRCHHOFF_BOTH bool failed() const { return bad || !entries.within() || !factors.within(); }
};

/// Only the root's numbers can be large: words' weights are at most as many times 1 as there are words and labels.
template <class N>
KIRCHHOFF_BOTH void see_small(Range& range, const N& x) {
  if constexpr (!kIsExtended<N>) range.see_small(value_of(x));
}
template <class N>
KIRCHHOFF_BOTH void see(Range& range, const N& x) {
  if constexpr (!kIsExtended<N>) range.see(value_of(x));
}

}  // namespace kirchhoff::cuda
