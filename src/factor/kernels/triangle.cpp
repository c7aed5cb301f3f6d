// Forward and back substitution by blocks of eight rows: one element waits for the one before only within a block, and
// what a block has to do with the elements outside it is a product. Both read L by rows. O(size^2).
#include "factor/kernels/triangle.hpp"

#include <algorithm>
#include <array>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "factor/kernels/triangle.cpp"
#include "numeric/simd/highway.hpp"

HWY_BEFORE_NAMESPACE();
namespace kirchhoff::factor::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<double, 8>;
constexpr std::size_t kRows = kTriangleRows;

/// A block of L's rows; those at `count` and after are there, but not part of it.
struct Rows {
  const double* first;
  std::size_t stride;
  std::size_t count;
  std::array<double, kRows> inverse{};  // the inverses of the diagonal

  Rows(const double* lower, std::size_t stride_, std::size_t begin, std::size_t size)
      : first(lower + begin * stride_), stride(stride_), count(std::min(kRows, size - begin)) {
    for (std::size_t r = 0; r < count; ++r) inverse[r] = 1.0 / (*this)[r][begin + r];
  }
  const double* operator[](std::size_t r) const { return first + r * stride; }
};

void SolveLower(const double* lower, std::size_t stride, std::size_t size, double* x) {
  const D d;
  for (std::size_t begin = 0; begin < size; begin += kRows) {
    const Rows rows(lower, stride, begin, size);
    hn::Vec<D> sums[kRows];
    for (auto& sum : sums) sum = hn::Zero(d);
    for (std::size_t k = 0; k < begin; k += hn::Lanes(d)) {
      const auto xv = hn::LoadU(d, x + k);
      for (std::size_t r = 0; r < kRows; ++r) sums[r] = hn::MulAdd(hn::LoadU(d, rows[r] + k), xv, sums[r]);
    }
    double* own = x + begin;
    for (std::size_t r = 0; r < rows.count; ++r) {
      double left = own[r] - hn::GetLane(hn::SumOfLanes(d, sums[r]));
      for (std::size_t l = 0; l < r; ++l) left -= rows[r][begin + l] * own[l];
      own[r] = left * rows.inverse[r];
    }
  }
}

void SolveLowerTransposed(const double* lower, std::size_t stride, std::size_t size, double* x) {
  const D d;
  for (std::size_t end = (size + kRows - 1) / kRows; end-- > 0;) {
    const std::size_t begin = end * kRows;
    const Rows rows(lower, stride, begin, size);
    std::array<double, kRows> own{};  // 0 for what is not part of the block
    for (std::size_t r = rows.count; r-- > 0;) {
      double left = x[begin + r];
      for (std::size_t l = r + 1; l < rows.count; ++l) left -= rows[l][begin + r] * own[l];
      x[begin + r] = own[r] = left * rows.inverse[r];
    }
    for (std::size_t k = 0; k < begin; k += hn::Lanes(d)) {
      auto xv = hn::LoadU(d, x + k);
      for (std::size_t r = 0; r < kRows; ++r) {
        xv = hn::NegMulAdd(hn::Set(d, own[r]), hn::LoadU(d, rows[r] + k), xv);
      }
      hn::StoreU(xv, d, x + k);
    }
  }
}

}  // namespace kirchhoff::factor::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kirchhoff::factor {

HWY_EXPORT(SolveLower);
HWY_EXPORT(SolveLowerTransposed);

void solve_lower(const double* lower, std::size_t stride, std::span<double> x) {
  static const auto kernel = KIRCHHOFF_KERNEL(SolveLower);
  kernel(lower, stride, x.size(), x.data());
}

void solve_lower_transposed(const double* lower, std::size_t stride, std::span<double> x) {
  static const auto kernel = KIRCHHOFF_KERNEL(SolveLowerTransposed);
  kernel(lower, stride, x.size(), x.data());
}

}  // namespace kirchhoff::factor
#endif
