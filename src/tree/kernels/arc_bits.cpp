// Compares scores with -inf, a vector at a time, and packs the answers into words of 64 bits.
#include "tree/kernels/arc_bits.hpp"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tree/kernels/arc_bits.cpp"
#include "numeric/simd/highway.hpp"

HWY_BEFORE_NAMESPACE();
namespace kirchhoff::tree::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void ArcBits(const numeric::ConstMatrixSpan& scores, std::uint64_t* HWY_RESTRICT bits) {
  const hn::CappedTag<double, 8> d;  // so that a vector's bits are one byte
  const std::size_t cols = scores.cols, lanes = hn::Lanes(d);
  const auto none = hn::Set(d, -HUGE_VAL);
  const auto possible = [&](auto x) HWY_ATTR {
    std::uint8_t byte[8] = {};
    hn::StoreMaskBits(d, hn::Not(hn::Eq(x, none)), byte);  // also for NaN
    return std::uint64_t{byte[0]};
  };
  for (std::size_t r = 0; r < scores.rows; ++r) {
    const double* HWY_RESTRICT x = scores.row(r);
    for (std::size_t first = 0; first < cols; first += kBitsInWord) {
      const std::size_t end = std::min(first + kBitsInWord, cols);
      std::uint64_t word = 0;
      std::size_t c = first;
      for (; c + lanes <= end; c += lanes) word |= possible(hn::LoadU(d, x + c)) << (c - first);
      for (; c < end; ++c) word |= std::uint64_t{x[c] != -HUGE_VAL} << (c - first);
      *bits++ = word;
    }
  }
}

}  // namespace kirchhoff::tree::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kirchhoff::tree {
HWY_EXPORT(ArcBits);

void arc_bits(const numeric::ConstMatrixSpan& scores, std::uint64_t* bits) {
  static const auto kernel = KIRCHHOFF_KERNEL(ArcBits);
  kernel(scores, bits);
}
}  // namespace kirchhoff::tree
#endif
