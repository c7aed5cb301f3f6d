// Register-blocked matrix products for the shapes elimination needs: tall, thin, on scattered or regular rows.
// For inclusion by files that are compiled once per instruction set, hence the odd guard (Highway's idiom).
//
// A block of kRows x kVectors accumulators stays in registers over the whole inner dimension, so one load and one store
// of an element of the result pay for 2*depth flops: with depth >= 4 the FMA units are the limit, not memory.
#if defined(KIRCHHOFF_PRODUCTS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef KIRCHHOFF_PRODUCTS_INL
#undef KIRCHHOFF_PRODUCTS_INL
#else
#define KIRCHHOFF_PRODUCTS_INL
#endif

#include "numeric/simd/products.hpp"
#include "numeric/simd/transpose-inl.hpp"

#include <hwy/highway.h>

#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace kirchhoff::numeric::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;

// Where result rows come from and go to. next() gives one row after the other: with indices instead, GCC computes all
// addresses first and runs out of registers.
template <class T>
struct Scattered {
  T* const* rows;
  Scattered from(std::size_t r) const { return {rows + r}; }
  T* next() { return *rows++; }
};
template <class T>
struct Regular {
  T* row;
  std::size_t ld;
  Regular from(std::size_t r) const { return {row + r * ld, ld}; }
  T* next() {
    T* const now = row;
    row += ld;
    return now;
  }
};
using ScatteredRows = Scattered<double>;
using ScatteredSource = Scattered<const double>;
using RegularRows = Regular<double>;
using RegularSource = Regular<const double>;
struct NoSource {
  NoSource from(std::size_t) const { return {}; }
};

// Where the left factor's rows are: element k of row r at from(0)[r * kRow + k * kStep] within a block of kRowBlock.
struct Packed {
  static constexpr std::size_t kRow = 1, kStep = kRowBlock;
  const double* a;
  std::size_t stride;
  const double* from(std::size_t r) const { return a + packed_index(r, 0, stride); }
};
template <std::size_t kLd>
struct RowMajor {
  static constexpr std::size_t kRow = kLd, kStep = 1;
  const double* a;
  const double* from(std::size_t r) const { return a + r * kLd; }
};

// 32 registers hold 8 x 3 accumulators, 16 registers 4 x 3.
constexpr std::size_t kRows = HWY_TARGET <= HWY_AVX3 ? kRowBlock : kRowBlock / 2;
constexpr std::size_t kVectors = 3;

template <class Left, std::size_t kR, std::size_t kV, class In, class Out>
HWY_INLINE void block(std::size_t depth, const double* HWY_RESTRICT a, const double* HWY_RESTRICT b, std::size_t ldb,
                      In in, Out out, std::size_t col) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  V acc[kR][kV];
  for (std::size_t r = 0; r < kR; ++r) {
    if constexpr (std::is_same_v<In, NoSource>) {
      for (std::size_t v = 0; v < kV; ++v) acc[r][v] = hn::Zero(d);
    } else {
      const double* row = in.next() + col;
      for (std::size_t v = 0; v < kV; ++v) acc[r][v] = hn::Load(d, row + v * lanes);
    }
  }
  for (std::size_t k = 0; k < depth; ++k, a += Left::kStep, b += ldb) {
    V bv[kV];
    for (std::size_t v = 0; v < kV; ++v) bv[v] = hn::Load(d, b + v * lanes);
    for (std::size_t r = 0; r < kR; ++r) {
      const V ar = hn::Set(d, a[r * Left::kRow]);
      for (std::size_t v = 0; v < kV; ++v) acc[r][v] = hn::MulAdd(ar, bv[v], acc[r][v]);
    }
  }
  for (std::size_t r = 0; r < kR; ++r) {
    double* row = out.next() + col;
    for (std::size_t v = 0; v < kV; ++v) hn::Store(acc[r][v], d, row + v * lanes);
  }
}

// kV vectors of columns from `col` on; b starts there.
template <std::size_t kV, class Left, class In, class Out>
HWY_INLINE void column_strip(std::size_t rows, std::size_t depth, const Left& left_factor, const double* b,
                             std::size_t ldb, In in, Out out, std::size_t col) {
  std::size_t row = 0;
  const auto part = [&]() { return left_factor.from(row); };
  for (; row + kRows <= rows; row += kRows) {
    block<Left, kRows, kV>(depth, part(), b, ldb, in.from(row), out.from(row), col);
  }
  const std::size_t left = rows - row;
  if (kRows > 4 && (left & 4)) {
    block<Left, 4, kV>(depth, part(), b, ldb, in.from(row), out.from(row), col);
    row += 4;
  }
  if (left & 2) {
    block<Left, 2, kV>(depth, part(), b, ldb, in.from(row), out.from(row), col);
    row += 2;
  }
  if (left & 1) block<Left, 1, kV>(depth, part(), b, ldb, in.from(row), out.from(row), col);
}

/// multiply_rows (products.hpp) for any layout of the left factor and of the rows.
template <class Left, class In, class Out>
HWY_INLINE void multiply(std::size_t rows, std::size_t first, std::size_t last, std::size_t depth,
                         const Left& left_factor, const double* b, std::size_t ldb, In in, Out out) {
  const std::size_t lanes = hn::Lanes(D());
  std::size_t col = first;
  for (; col + kVectors * lanes <= last; col += kVectors * lanes) {
    column_strip<kVectors>(rows, depth, left_factor, b + col, ldb, in, out, col);
  }
  const std::size_t left = (last - col) / lanes;
  if (left == 2) column_strip<2>(rows, depth, left_factor, b + col, ldb, in, out, col);
  if (left == 1) column_strip<1>(rows, depth, left_factor, b + col, ldb, in, out, col);
}

// A 4x4 block by interleaving within and then across 128-bit halves; one by one where vectors are shorter.
HWY_INLINE void transpose4(const double* src, std::size_t ld_src, double* dst, std::size_t ld_dst) {
#if HWY_TARGET != HWY_SCALAR
  const hn::CappedTag<double, 4> d;
  if (hn::Lanes(d) == 4) {
    hn::Vec<decltype(d)> rows[4];
    for (std::size_t r = 0; r < 4; ++r) rows[r] = hn::LoadU(d, src + r * ld_src);
    transpose_lanes(d, rows);
    for (std::size_t r = 0; r < 4; ++r) hn::StoreU(rows[r], d, dst + r * ld_dst);
    return;
  }
#endif
  for (std::size_t r = 0; r < 4; ++r) {
    for (std::size_t c = 0; c < 4; ++c) dst[c * ld_dst + r] = src[r * ld_src + c];
  }
}

HWY_INLINE void transpose_all(std::size_t rows, std::size_t cols, const double* src, std::size_t ld_src, double* dst,
                              std::size_t ld_dst) {
  for (std::size_t r = 0; r < rows; r += 4) {
    for (std::size_t c = 0; c < cols; c += 4) {
      transpose4(src + r * ld_src + c, ld_src, dst + c * ld_dst + r, ld_dst);
    }
  }
}

}  // namespace kirchhoff::numeric::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // KIRCHHOFF_PRODUCTS_INL
