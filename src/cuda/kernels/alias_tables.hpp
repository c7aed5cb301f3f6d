// Alias tables [Walker77, Vose91] that a team makes, a thread for each row.
//
// These are the tables of sample/alias.cpp, slot for slot, so that the same random bits draw the same heads. They are
// made in place: a slot holds its weight, then its share, until it is filled.
#pragma once

#include "cuda/kernels/numbers.hpp"
#include "cuda/kernels/random_bits.hpp"

#include <cstddef>
#include <cstdint>

namespace kirchhoff::cuda {

/// A product that is rounded by itself: the compiler must not make one operation of it and a sum.
KIRCHHOFF_BOTH double rounded_product(double a, double b) {
#ifdef __CUDA_ARCH__
  return __dmul_rn(a, b);
#else
  return a * b;
#endif
}

/// One table for each of `size` rows, which has as many slots. Slots lie one after the other, each with all rows.
class AliasTables {
 public:
  KIRCHHOFF_BOTH AliasTables(char* memory, int size)
      : size_(size),
        slots_(reinterpret_cast<std::uint64_t*>(memory)),
        stacks_(reinterpret_cast<std::uint16_t*>(slots_ + static_cast<std::size_t>(size) * size)) {}
  static KIRCHHOFF_BOTH constexpr std::size_t bytes(int size) {
    const std::size_t cells = static_cast<std::size_t>(size) * size;
    return (cells * (sizeof(std::uint64_t) + sizeof(std::uint16_t)) + 15) / 16 * 16;
  }

  KIRCHHOFF_BOTH double number(int row, int slot) const { return double_of(slots_[at(row, slot)]); }
  KIRCHHOFF_BOTH void set_number(int row, int slot, double x) const { slots_[at(row, slot)] = bits_of(x); }

  /// Makes the table of a row whose slots hold weights >= 0 that are not all 0.
  KIRCHHOFF_BOTH void make(int row) const;

  /// Draws by 64 random bits.
  KIRCHHOFF_BOTH int draw(int row, std::uint64_t bits) const {
    const auto size = static_cast<std::uint64_t>(size_);
    const std::uint64_t slot = multiply_high(bits, size), fraction = bits * size;
    const std::uint64_t entry = slots_[at(row, static_cast<int>(slot))];
    return static_cast<int>(fraction >> 16 < entry >> 16 ? slot : entry & 0xffff);
  }

 private:
  KIRCHHOFF_BOTH std::size_t at(int row, int slot) const { return static_cast<std::size_t>(slot) * size_ + row; }
  /// Small slots are on a stack that grows from the beginning, large ones on another that grows from the end.
  KIRCHHOFF_BOTH std::uint16_t& stacked(int row, int place) const { return stacks_[at(row, place)]; }
  KIRCHHOFF_BOTH void scale(int row, int& small, int& large, int& heaviest) const;

  int size_;
  std::uint64_t* slots_;
  std::uint16_t* stacks_;
};

/// Turns weights into shares of their mean. A share of nothing is a negative zero, so that it is known for what it is.
KIRCHHOFF_BOTH void AliasTables::scale(int row, int& small, int& large, int& heaviest) const {
  double sum = 0.0, most = -1.0;
  for (int i = 0; i < size_; ++i) {
    const double weight = number(row, i);
    sum += weight;
    if (weight > most) heaviest = i;
    most = weight > most ? weight : most;
  }
  const double scale = size_ / sum;
  small = 0;
  large = size_;
  for (int i = 0; i < size_; ++i) {
    const double weight = number(row, i), share = weight > 0.0 ? rounded_product(weight, scale) : -0.0;
    set_number(row, i, share);
    stacked(row, share < 1.0 ? small++ : --large) = static_cast<std::uint16_t>(i);
  }
}

/// A slot that lacks weight is filled up by one that has too much. What is left at the end lacks or has rounding errors
/// only; a slot without any weight then points to the heaviest, so that it is never drawn itself.
KIRCHHOFF_BOTH void AliasTables::make(int row) const {
  int small = 0, large = 0, heaviest = 0;
  scale(row, small, large, heaviest);
  while (small > 0 && large < size_) {
    const int to = stacked(row, --small), from = stacked(row, large);
    const double share = number(row, to), rest = number(row, from) - (1.0 - share);
    slots_[at(row, to)] = static_cast<std::uint64_t>(share * 0x1p48) << 16 | static_cast<std::uint64_t>(from);
    set_number(row, from, rest);
    if (rest < 1.0) {
      ++large;
      stacked(row, small++) = static_cast<std::uint16_t>(from);
    }
  }
  for (; large < size_; ++large) {
    const int i = stacked(row, large);
    slots_[at(row, i)] = static_cast<std::uint64_t>(i);
  }
  for (int place = 0; place < small; ++place) {
    const int i = stacked(row, place);
    const bool nothing = slots_[at(row, i)] >> 63 != 0;
    slots_[at(row, i)] = static_cast<std::uint64_t>(nothing ? heaviest : i);
  }
}

}  // namespace kirchhoff::cuda
