// Matrix products and transposition (products-inl.hpp), dispatched.
#include "numeric/simd/products.hpp"
#include "base/buffer.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "numeric/simd/products.cpp"
#include "numeric/simd/highway.hpp"
#include "numeric/simd/products-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace kirchhoff::numeric::HWY_NAMESPACE {

void MultiplyRows(std::size_t rows, std::size_t first, std::size_t last, std::size_t depth, const double* a,
                  std::size_t a_stride, const double* b, std::size_t ldb, const double* const* in, double* const* out) {
  if (in) {
    multiply(rows, first, last, depth, Packed{a, a_stride}, b, ldb, ScatteredSource{in}, ScatteredRows{out});
  } else {
    multiply(rows, first, last, depth, Packed{a, a_stride}, b, ldb, NoSource{}, ScatteredRows{out});
  }
}

void Transpose(std::size_t rows, std::size_t cols, const double* src, std::size_t ld_src, double* dst,
               std::size_t ld_dst) {
  transpose_all(rows, cols, src, ld_src, dst, ld_dst);
}

}  // namespace kirchhoff::numeric::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kirchhoff::numeric {
HWY_EXPORT(MultiplyRows);
HWY_EXPORT(Transpose);

void multiply_rows(std::size_t rows, std::size_t first, std::size_t last, std::size_t depth, const double* a,
                   std::size_t a_stride, const double* b, std::size_t ldb, const double* const* in,
                   double* const* out) {
  static const auto kernel = KIRCHHOFF_KERNEL(MultiplyRows);
  kernel(rows, first, last, depth, a, a_stride, b, ldb, in, out);
}

void multiply_square(std::size_t n, std::size_t ld, const double* at, const double* b, double* out) {
  constexpr std::size_t kChunk = 64, kDepth = 256;  // kDepth x 3 vectors of b stay in the first-level cache
  thread_local base::Buffer packed;
  std::array<double*, kChunk> rows{};
  double* a = packed.take(kChunk * kDepth);
  for (std::size_t first = 0; first < n; first += kChunk) {
    const std::size_t count = std::min(kChunk, n - first);
    for (std::size_t r = 0; r < count; ++r) rows[r] = out + (first + r) * ld;
    for (std::size_t k0 = 0; k0 < n; k0 += kDepth) {
      const std::size_t depth = std::min(kDepth, n - k0);
      for (std::size_t r = 0; r < count; r += kRowBlock) {
        double* block = a + packed_index(r, 0, kRowBlock * depth);
        for (std::size_t k = 0; k < depth; ++k) {
          std::memcpy(block + k * kRowBlock, at + (k0 + k) * ld + first + r, kRowBlock * sizeof(double));
        }
      }
      multiply_rows(count, 0, ld, depth, a, kRowBlock * depth, b + k0 * ld, ld, k0 == 0 ? nullptr : rows.data(),
                    rows.data());
    }
  }
}

void transpose(std::size_t rows, std::size_t cols, const double* src, std::size_t ld_src, double* dst,
               std::size_t ld_dst) {
  static const auto kernel = KIRCHHOFF_KERNEL(Transpose);
  kernel(rows, cols, src, ld_src, dst, ld_dst);
}
}  // namespace kirchhoff::numeric
#endif
