// Eliminates a block of words: finds the coefficients c with which the remaining rows take up the block's rows,
//     row_r <- row_r + sum_k c(k, r) block_k,
// found by elimination among the block words alone. Row 0 is the root's.
#pragma once

#include "base/buffer.hpp"
#include "numeric/simd/products.hpp"
#include "tree/kernels/coefficients.hpp"
#include "tree/kernels/extended.hpp"
#include "tree/robust/planes.hpp"

#include <array>
#include <type_traits>
#include <vector>

namespace kirchhoff::tree {

template <class T, bool kTangent>
class Block {
  using Row = Planes<T, kTangent>;
  static constexpr bool kExtended = kIsExtended<T>;
  static constexpr bool kJet = std::is_same_v<T, ExtendedJet>;
  static constexpr bool kPlain = std::is_same_v<T, double>;

 public:
  static constexpr int kWords =
      kExtended ? 1 : kBlockWords;  // at most; scalar work grows with it, memory traffic shrinks

  /// Makes room for n words; the storage is used again from call to call.
  void reserve(int n) {
    size_ = kWords * base::padded(n + 1);
    values_.take(2 * size_);
    coefficients_.resize(size_);
  }

  /// Reads the weights of the arcs from `rows` (row pointers) to the words [first, first + size), whose own rows start
  /// at `block`, `stride` doubles apart.
  void gather(const std::vector<const double*>& rows, int count, const double* block, std::size_t stride, int first,
              int size, std::size_t ld) {
    words_ = size;
    rows_ = count;
    for (int r = 0; r < count; ++r) {
      T* to = &c(0, r);
      for (int k = 0; k < size; ++k) to[k * numeric::kRowBlock] = Row::read(rows[r] + first + k, ld);
    }
    for (std::size_t r = count; r < base::padded(count); ++r) {
      T* to = &c(0, r);
      for (int k = 0; k < size; ++k) to[k * numeric::kRowBlock] = T();
    }
    for (int other = 0; other < size; ++other) {
      for (int k = 0; k < size; ++k) inner_[other][k] = Row::read(block + other * stride + first + k, ld);
    }
  }

  /// Finds all coefficients at once, in doubles; pivots(k) are the pivots then. False when a pivot is 0: nothing has
  /// happened then, and words are eliminated one by one, as below, ending with fold().
  bool eliminate_together(bool root_counts) {
    if constexpr (kPlain) {
      BlockWords words{static_cast<std::size_t>(words_), inner_, {}};
      const bool good = block_coefficients(column(0), root_counts, words);
      pivots_ = words.pivots;
      return good;
    }
    return false;
  }
  double pivot_of(int k) const { return pivots_[k]; }

  /// The pivot s_v of block word k: the sum of its arcs from remaining rows and later block words.
  T pivot(int k, bool root_counts) {
    T total = column_sum(k, root_counts);
    for (int other = k + 1; other < words_; ++other) total += inner_[other][k];
    return total;
  }

  /// Divides column k by its pivot and eliminates it from the later columns.
  void step(int k, const T& pivot) {
    const T inverse = Row::one() / pivot;
    for (int other = k + 1; other < words_; ++other) inner_[other][k] = inner_[other][k] * inverse;
    if constexpr (kPlain) {
      const std::size_t later = words_ - k - 1;
      pivot_step(column(k), inverse, {inner_[k].data() + k + 1, later});
    } else {
      for (int r = 0; r < rows_; ++r) c(k, r) = c(k, r) * inverse;
      for (int later = k + 1; later < words_; ++later) add_multiple(later, k, inner_[k][later]);
    }
    for (int later = k + 1; later < words_; ++later) {
      for (int other = k + 1; other < words_; ++other) inner_[other][later] += inner_[other][k] * inner_[k][later];
    }
  }

  /// Block word k, whose pivot is 0, takes the root's place: the new root row is row k and nothing of the old one.
  void replace_root(int k) {
    for (int earlier = 0; earlier < k; ++earlier) c(earlier, 0) = T();
    c(k, 0) = Row::one();
    for (int later = k + 1; later < words_; ++later) c(later, 0) = inner_[k][later];
  }

  const T& root_weight(int k) { return c(k, 0); }

  /// Block rows are themselves updated by earlier block rows: folds that into the coefficients.
  void fold() {
    if constexpr (kPlain) {
      const std::size_t words = words_;
      fold_block(column(0), {inner_[0].data(), words, words, kWords});
    } else {
      for (int k = words_ - 1; k > 0; --k) {
        for (int earlier = 0; earlier < k; ++earlier) add_multiple(earlier, k, inner_[k][earlier]);
      }
    }
  }

  /// Updates the rows.
  void apply(const double* block, std::size_t stride, std::size_t ld, std::vector<const double*>& in,
             std::vector<double*>& out) {
    const std::size_t words = words_;
    [[maybe_unused]] const numeric::ConstMatrixSpan values{block, words, ld, stride},
        tangents{block + ld, words, ld, stride};
    if constexpr (kJet) {
      for (int r = 0; r < rows_; ++r) add_to_row(coefficients_[r], block, ld, in[r], out[r]);
    } else if constexpr (kExtended) {
      const std::size_t rows = rows_;
      extended_update({coefficients_.data(), rows}, {block, ld, kTangent}, in.data(), out.data());
    } else if constexpr (kTangent) {
      double* value = values_.data();
      double* slope = value + size_;
      for (std::size_t i = 0; i < kWords * base::padded(rows_); ++i) {
        value[i] = coefficients_[i].v;
        slope[i] = coefficients_[i].t;
      }
      const auto shift = [&](std::ptrdiff_t by) {
        for (int r = 0; r < rows_; ++r) in[r] += by, out[r] += by;
      };
      shift(ld);  // tangents: d(row + c block) = d row + dc block + c d block
      numeric::multiply_rows(factor(slope), values, in.data(), out.data());
      numeric::multiply_rows(factor(value), tangents, out.data(), out.data());
      shift(-static_cast<std::ptrdiff_t>(ld));
      numeric::multiply_rows(factor(value), values, in.data(), out.data());
    } else {
      numeric::multiply_rows(factor(values_.data()), values, in.data(), out.data());
    }
  }

 private:
  static constexpr std::size_t kStride = numeric::kRowBlock * kWords;  // between the blocks of packed coefficients

  numeric::PackedFactor factor(const double* packed) const {
    return {packed, static_cast<std::size_t>(rows_), kStride};
  }
  PackedColumn column(int k) { return {&c(k, 0), blocks(), kStride}; }

  T& c(int k, std::size_t row) {
    const std::size_t i = numeric::packed_index(row, k, kStride);
    if constexpr (kPlain) {
      return values_.data()[i];
    } else {
      return coefficients_[i];
    }
  }
  std::size_t blocks() const { return base::padded(rows_) / numeric::kRowBlock; }

  T column_sum(int k, bool root_counts) {
    if constexpr (kPlain) {
      return tree::column_sum(column(k), root_counts);
    } else if constexpr (kExtended && !kJet) {
      return numeric::sum_of(&c(k, 0), root_counts ? 0 : 1, rows_);
    } else {
      T total = root_counts ? c(k, 0) : T();
      for (int r = 1; r < rows_; ++r) total += c(k, r);
      return total;
    }
  }

  // out = in + factor * row, number by number.
  static void add_to_row(const T& factor, const double* row, std::size_t ld, const double* in, double* out) {
    for (std::size_t c = 0; c < ld; ++c) {
      T sum = Row::read(in + c, ld);
      if (!is_zero(factor)) sum += factor * Row::read(row + c, ld);
      Row::write(out + c, ld, sum);
    }
  }

  void add_multiple(int to, int from, const T& factor) {
    for (int r = 0; r < rows_; ++r) c(to, r) += c(from, r) * factor;
  }

  std::size_t size_ = 0;
  int words_ = 0;
  int rows_ = 0;
  base::Buffer values_;  // packed as a left factor: the doubles themselves, or values and tangents
  std::vector<T> coefficients_;
  std::array<double, kBlockWords> pivots_{};
  std::array<std::array<T, kWords>, kWords> inner_{};  // [k'][k]: weight of block word k' -> block word k
};

}  // namespace kirchhoff::tree
