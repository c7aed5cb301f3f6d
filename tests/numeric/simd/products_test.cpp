// The matrix products of the kernels against sums of products of small integers, which are exact in any order.
#include "numeric/simd/products.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace kirchhoff::numeric {
namespace {

/// Padded, aligned rows of random integers, zero in the padding.
struct TestMatrix {
  base::Buffer buffer;
  MatrixSpan span;
  TestMatrix(std::size_t rows, std::size_t cols, std::mt19937_64& random) {
    const std::size_t stride = base::padded(cols), backed = base::padded(rows);
    span = {buffer.take(backed * stride), rows, cols, stride};
    std::fill(span.data, span.data + backed * stride, 0.0);
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < cols; ++j) span(i, j) = std::uniform_int_distribution<>(-9, 9)(random);
    }
  }
};

double product_at(ConstMatrixSpan a, ConstMatrixSpan b, std::size_t i, std::size_t j) {
  double sum = 0.0;
  for (std::size_t k = 0; k < b.rows; ++k) sum += a(i, k) * b(k, j);
  return sum;
}

TEST(Products, RowsTakeUpMultiplesOfRows) {
  std::mt19937_64 random(1);
  for (const std::size_t rows : {1, 2, 3, 7, 8, 13, 24}) {
    for (const std::size_t cols : {1, 8, 9, 24, 41}) {
      for (const std::size_t depth : {1, 4, 9}) {
        TestMatrix a(rows, depth, random), b(depth, cols, random), c(rows, cols, random), out(rows, cols, random);
        const std::size_t stride = kRowBlock * depth, padded = b.span.stride;
        base::Buffer storage;
        double* packed = storage.take(base::padded(rows) * depth);
        std::fill(packed, packed + base::padded(rows) * depth, 0.0);
        std::vector<double*> in_rows, out_rows;
        for (std::size_t r = 0; r < rows; ++r) {
          for (std::size_t k = 0; k < depth; ++k) packed[packed_index(r, k, stride)] = a.span(r, k);
          in_rows.push_back(c.span.row(rows - 1 - r));  // scattered: in the opposite order
          out_rows.push_back(out.span.row(r));
        }
        const ConstMatrixSpan right{b.span.data, depth, padded, padded};
        for (const bool with_source : {true, false}) {
          multiply_rows({packed, rows, stride}, right, with_source ? in_rows.data() : nullptr, out_rows.data());
          for (std::size_t i = 0; i < rows; ++i) {
            for (std::size_t j = 0; j < cols; ++j) {
              const double source = with_source ? c.span(rows - 1 - i, j) : 0.0;
              ASSERT_EQ(out.span(i, j), source + product_at(a.span, b.span, i, j));
            }
          }
        }
      }
    }
  }
}

TEST(Products, ColumnsBeforeTheFirstStay) {
  std::mt19937_64 random(2);
  TestMatrix b(3, 32, random), out(1, 32, random);
  const std::vector<double> before(out.span.data, out.span.data + 32);
  base::Buffer storage;
  double* packed = storage.take(3 * kRowBlock);
  std::fill(packed, packed + 3 * kRowBlock, 0.0);
  for (std::size_t k = 0; k < 3; ++k) packed[packed_index(0, k, 3 * kRowBlock)] = 1.0;
  double* row = out.span.row(0);
  multiply_rows({packed, 1, 3 * kRowBlock}, b.span, &row, &row, 16);
  for (std::size_t j = 0; j < 32; ++j) {
    const double sum = b.span(0, j) + b.span(1, j) + b.span(2, j);
    EXPECT_EQ(row[j], before[j] + (j < 16 ? 0.0 : sum));
  }
}

TEST(Products, Squares) {
  std::mt19937_64 random(3);
  for (const std::size_t n : {1, 5, 8, 31, 70, 300}) {
    TestMatrix at(n, n, random), b(n, n, random), out(n, n, random);
    multiply_square(at.span, b.span, out.span);
    for (std::size_t i = 0; i < n; i += 1 + n / 20) {
      for (std::size_t j = 0; j < n; ++j) {
        double sum = 0.0;
        for (std::size_t k = 0; k < n; ++k) sum += at.span(k, i) * b.span(k, j);
        ASSERT_EQ(out.span(i, j), sum);
      }
    }
  }
}

TEST(Products, Transposes) {
  std::mt19937_64 random(4);
  for (const std::size_t rows : {1, 4, 6, 17}) {
    for (const std::size_t cols : {1, 3, 8, 21}) {
      TestMatrix from(rows, cols, random), to(cols, rows, random);
      transpose(from.span, to.span);
      for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t j = 0; j < cols; ++j) ASSERT_EQ(to.span(j, i), from.span(i, j));
      }
    }
  }
}

TEST(MatrixSpan, PartsKeepTheirPlace) {
  std::vector<double> numbers(12);
  for (std::size_t i = 0; i < 12; ++i) numbers[i] = static_cast<double>(i);
  const MatrixSpan all{numbers.data(), 3, 2, 4};
  EXPECT_EQ(all(2, 1), 9.0);
  EXPECT_EQ(all.from_row(1)(1, 1), 9.0);
  EXPECT_EQ(all.from_row(1).rows, 2u);
  EXPECT_EQ(all.first_rows(2).rows, 2u);
  const ConstMatrixSpan read = all;
  EXPECT_EQ(read.row(1), numbers.data() + 4);
}

}  // namespace
}  // namespace kirchhoff::numeric
