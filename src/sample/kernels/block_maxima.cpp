// Finds the maxima of columns, some rows at a time: what is known of the columns is read and written once for these.
#include "sample/kernels/block_maxima.hpp"

#include "base/buffer.hpp"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sample/kernels/block_maxima.cpp"
#include "numeric/simd/highway.hpp"
#include "tree/kernels/exponential-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace kirchhoff::sample::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr double kLargest = 1e100;  // beyond, TreeDistribution refuses a score

// Takes up kRows rows in the columns from 1 on. Returns how many elements are not unusual.
template <std::size_t kRows, class D>
HWY_INLINE std::size_t take_rows(D d, const double* first, std::size_t stride, std::size_t columns, double* best) {
  const auto largest = hn::Set(d, kLargest);
  const std::size_t lanes = hn::Lanes(d);
  std::size_t usual = 0, c = 1;
  for (; c + lanes <= columns; c += lanes) {
    auto most = hn::LoadU(d, best + c);
    for (std::size_t r = 0; r < kRows; ++r) {
      const auto x = hn::LoadU(d, first + r * stride + c);
      usual += hn::CountTrue(d, hn::Le(hn::Abs(x), largest));
      most = hn::Max(most, x);
    }
    hn::StoreU(most, d, best + c);
  }
  for (; c < columns; ++c) {
    for (std::size_t r = 0; r < kRows; ++r) {
      const double x = first[r * stride + c];
      usual += std::abs(x) <= kLargest ? 1 : 0;
      best[c] = std::max(best[c], x);
    }
  }
  return usual;
}

// Returns how many elements are unusual.
std::size_t FindMaxima(const numeric::ConstMatrixSpan& m, BlockMaxima& maxima) {
  constexpr std::size_t kTogether = 4;
  const hn::ScalableTag<double> d;
  std::size_t usual = 0;
  double* best = maxima.scores.data();
  for (std::size_t begin = 0; begin < m.rows; begin += kRowsOfBlock, best += maxima.stride) {
    const std::size_t end = std::min(begin + kRowsOfBlock, m.rows);
    std::size_t row = begin;
    for (; row + kTogether <= end; row += kTogether) {
      usual += take_rows<kTogether>(d, m.data + row * m.stride, m.stride, m.cols, best);
    }
    for (; row < end; ++row) usual += take_rows<1>(d, m.data + row * m.stride, m.stride, m.cols, best);
  }
  return m.rows * (m.cols - 1) - usual;
}

void WeighMaxima(BlockMaxima& maxima) {
  const hn::ScalableTag<double> d;
  const std::size_t size = maxima.scores.size(), stride = maxima.stride;
  for (std::size_t c = 0; c < stride; c += hn::Lanes(d)) {
    auto best = hn::Set(d, -HUGE_VAL);
    for (std::size_t i = c; i < size; i += stride) best = hn::Max(best, hn::LoadU(d, maxima.scores.data() + i));
    for (std::size_t i = c; i < size; i += stride) {
      const auto x = hn::Sub(hn::LoadU(d, maxima.scores.data() + i), best);
      hn::StoreU(tree::HWY_NAMESPACE::exp_below(d, x), d, maxima.weights.data() + i);
    }
  }
}

}  // namespace kirchhoff::sample::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kirchhoff::sample {
HWY_EXPORT(FindMaxima);
HWY_EXPORT(WeighMaxima);

BlockMaxima block_maxima(const numeric::ConstMatrixSpan& matrix) {
  static const auto find = KIRCHHOFF_KERNEL(FindMaxima);
  static const auto weigh = KIRCHHOFF_KERNEL(WeighMaxima);
  const std::size_t blocks = (matrix.rows + kRowsOfBlock - 1) / kRowsOfBlock;
  const std::size_t stride = base::padded(matrix.cols);
  BlockMaxima maxima{stride, std::vector<double>(blocks * stride, -HUGE_VAL), std::vector<double>(blocks * stride), 0};
  maxima.unusual = find(matrix, maxima);
  weigh(maxima);
  return maxima;
}
}  // namespace kirchhoff::sample
#endif
