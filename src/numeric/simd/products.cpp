// Dispatches matrix products and transposition (products-inl.hpp) to the instruction set of the machine.
#include "numeric/simd/products.hpp"
#include "base/buffer.hpp"
#include "base/stop.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "numeric/simd/products.cpp"
#include "numeric/simd/highway.hpp"
#include "numeric/simd/products-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace kirchhoff::numeric::HWY_NAMESPACE {

void MultiplyRows(const PackedFactor& a, const ConstMatrixSpan& b, const double* const* in, double* const* out,
                  std::size_t first) {
  const Packed left{a.data, a.stride};
  if (in) {
    multiply(a.rows, first, b.cols, b.rows, left, b.data, b.stride, ScatteredSource{in}, ScatteredRows{out});
  } else {
    multiply(a.rows, first, b.cols, b.rows, left, b.data, b.stride, NoSource{}, ScatteredRows{out});
  }
}

void Transpose(const ConstMatrixSpan& from, const MatrixSpan& to) {
  transpose_all(from.rows, from.cols, from.data, from.stride, to.data, to.stride);
}

}  // namespace kirchhoff::numeric::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kirchhoff::numeric {
HWY_EXPORT(MultiplyRows);
HWY_EXPORT(Transpose);

void multiply_rows(const PackedFactor& a, const ConstMatrixSpan& b, const double* const* in, double* const* out,
                   std::size_t first) {
  static const auto kernel = KIRCHHOFF_KERNEL(MultiplyRows);
  kernel(a, b, in, out, first);
}

void multiply_square(const ConstMatrixSpan& at, const ConstMatrixSpan& b, const MatrixSpan& out) {
  const std::size_t n = at.rows, ld = at.stride;
  constexpr std::size_t kChunk = 64, kDepth = 256;  // kDepth x 3 vectors of b stay in the first-level cache
  thread_local base::Buffer packed;
  std::array<double*, kChunk> rows{};
  double* a = packed.take(kChunk * kDepth);
  for (std::size_t first = 0; first < n; first += kChunk) {
    StopScope::check();
    const std::size_t count = std::min(kChunk, n - first);
    for (std::size_t r = 0; r < count; ++r) rows[r] = out.row(first + r);
    for (std::size_t k0 = 0; k0 < n; k0 += kDepth) {
      const std::size_t depth = std::min(kDepth, n - k0);
      for (std::size_t r = 0; r < count; r += kRowBlock) {
        double* block = a + packed_index(r, 0, kRowBlock * depth);
        for (std::size_t k = 0; k < depth; ++k) {
          std::memcpy(block + k * kRowBlock, at.row(k0 + k) + first + r, kRowBlock * sizeof(double));
        }
      }
      multiply_rows({a, count, kRowBlock * depth}, {b.row(k0), depth, ld, ld}, k0 == 0 ? nullptr : rows.data(),
                    rows.data());
    }
  }
}

void transpose(const ConstMatrixSpan& from, const MatrixSpan& to) {
  static const auto kernel = KIRCHHOFF_KERNEL(Transpose);
  kernel(from, to);
}
}  // namespace kirchhoff::numeric
#endif
