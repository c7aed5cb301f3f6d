// Finds the maxima of columns, some rows at a time: what is known of the columns is read and written once for these.
#include "sample/kernels/block_maxima.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sample/kernels/block_maxima.cpp"
#include "numeric/simd/highway.hpp"
#include "tree/kernels/exponential-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace kirchhoff::sample::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using Columns = hn::ScalableTag<double>;

// Takes up kRows rows in the columns from 1 on; `best` begins with column 1, so that it can be aligned. Returns whether
// some element may be unusual: a sum of elements times 2^692 is finite unless one of them is none, or beyond
// 1e99 in size, and that takes one instruction for a vector.
template <std::size_t kRows>
HWY_INLINE bool take_rows(const double* first, std::size_t stride, std::size_t columns, double* HWY_RESTRICT best) {
  constexpr std::size_t kAhead = 64;  // doubles; processors foresee less of several rows than of one
  constexpr std::size_t kSums = 4;    // side by side, since each waits for its last
  const Columns d;
  const auto large = hn::Set(d, 0x1p692);
  const std::size_t lanes = hn::Lanes(d);
  hn::Vec<Columns> sum[kSums];
  for (auto& s : sum) s = hn::Zero(d);
  std::size_t c = 0;
  for (; c + lanes < columns; c += lanes) {
    auto most = hn::Load(d, best + c);
    for (std::size_t r = 0; r < kRows; ++r) {
      const double* const place = first + r * stride + c + 1;
      if (kRows > 1) __builtin_prefetch(place + kAhead);
      const auto x = hn::LoadU(d, place);
      sum[r % kSums] = hn::MulAdd(x, large, sum[r % kSums]);
      most = hn::Max(most, x);
    }
    hn::Store(most, d, best + c);
  }
  bool usual = true;
  for (const auto& s : sum)
    usual = usual && hn::AllTrue(d, hn::Le(hn::Abs(s), hn::Set(d, std::numeric_limits<double>::max())));
  for (; c + 1 < columns; ++c) {
    for (std::size_t r = 0; r < kRows; ++r) {
      const double x = first[r * stride + c + 1];
      usual = usual && std::abs(x) <= kLargestScore;
      best[c] = std::max(best[c], x);
    }
  }
  return !usual;
}

// Finds the best of each block; returns whether some element is unusual.
bool FindMaxima(const numeric::ConstMatrixSpan& m, std::size_t stride, double* best) {
  constexpr std::size_t kTogether = 16;
  bool unusual = false;
  for (std::size_t begin = 0; begin < m.rows; begin += kRowsOfBlock, best += stride) {
    const std::size_t end = std::min(begin + kRowsOfBlock, m.rows);
    std::size_t row = begin;
    for (; row + kTogether <= end; row += kTogether) {
      unusual |= take_rows<kTogether>(m.data + row * m.stride, m.stride, m.cols, best);
    }
    for (; row < end; ++row) unusual |= take_rows<1>(m.data + row * m.stride, m.stride, m.cols, best);
  }
  return unusual;
}

// Turns rows of the blocks' best scores, which begin with column 1, into columns of sums of weights and of scores.
void WeighMaxima(const double* best, std::size_t stride, BlockMaxima& maxima) {
  const Columns d;
  const std::size_t lanes = hn::Lanes(d), blocks = maxima.blocks, count = maxima.columns.size() / (2 * blocks) - 1;
  HWY_ALIGN double sums[HWY_MAX_BYTES / sizeof(double)];
  for (std::size_t c = 0; c < count; c += lanes) {
    const std::size_t inside = std::min(lanes, count - c);
    auto most = hn::Set(d, -HUGE_VAL), sum = hn::Zero(d);
    for (std::size_t b = 0; b < blocks; ++b) most = hn::Max(most, hn::Load(d, best + b * stride + c));
    for (std::size_t b = 0; b < blocks; ++b) {
      const double* const scores = best + b * stride + c;
      sum = hn::Add(sum, tree::HWY_NAMESPACE::exp_below(d, hn::Sub(hn::Load(d, scores), most)));
      hn::Store(sum, d, sums);
      double* const out = maxima.columns.data() + 2 * blocks * (c + 1) + b;
      for (std::size_t i = 0; i < inside; ++i) {
        out[2 * blocks * i] = sums[i];
        out[2 * blocks * i + blocks] = scores[i];
      }
    }
  }
}

void ChooseBlocks(const double* HWY_RESTRICT sums, std::size_t blocks, double* HWY_RESTRICT thresholds) {
  const hn::CappedTag<double, kThresholds> d;
  const auto one = hn::Set(d, 1.0);
  for (std::size_t i = 0; i < kThresholds; i += hn::Lanes(d)) {
    const auto threshold = hn::LoadU(d, thresholds + i);
    auto even = hn::Zero(d), odd = hn::Zero(d);
    const auto count = [&](std::size_t b)
                           HWY_ATTR { return hn::IfThenElseZero(hn::Le(hn::Set(d, sums[b]), threshold), one); };
    std::size_t b = 0;
    for (; b + 2 < blocks; b += 2) {
      even = hn::Add(even, count(b));
      odd = hn::Add(odd, count(b + 1));
    }
    if (b + 1 < blocks) even = hn::Add(even, count(b));
    hn::StoreU(hn::Add(even, odd), d, thresholds + i);
  }
}

}  // namespace kirchhoff::sample::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kirchhoff::sample {
HWY_EXPORT(FindMaxima);
HWY_EXPORT(WeighMaxima);
HWY_EXPORT(ChooseBlocks);

BlockMaxima block_maxima(const numeric::ConstMatrixSpan& matrix) {
  static const auto find = KIRCHHOFF_KERNEL(FindMaxima);
  static const auto weigh = KIRCHHOFF_KERNEL(WeighMaxima);
  const std::size_t blocks = (matrix.rows + kRowsOfBlock - 1) / kRowsOfBlock, stride = base::padded(matrix.cols - 1);
  std::vector<double, base::CacheAlignedAllocator<double>> best(blocks * stride, -HUGE_VAL);
  const bool unusual = find(matrix, stride, best.data());
  BlockMaxima maxima{blocks, {}, unusual};
  maxima.columns.resize(2 * blocks * matrix.cols);
  weigh(best.data(), stride, maxima);
  return maxima;
}

void choose_blocks(const double* sums, std::size_t blocks, double* thresholds) {
  static const auto kernel = KIRCHHOFF_KERNEL(ChooseBlocks);
  kernel(sums, blocks, thresholds);
}
}  // namespace kirchhoff::sample
#endif
