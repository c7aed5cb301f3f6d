// Sums of doubles without any rounding, which are the same bits in whatever order and whatever parts they are added.
//
//   ExactSum left, right;
//   left.add(1e300);
//   right.add(1.0);
//   right.add(-1e300);
//   left.add(right);      // partial sums are merged without rounding, too
//   left.value();         // 1, the double nearest to the sum
//
// The sum is held as one long integer, of 32 bits a digit, in units of the smallest double [Neal15].
#pragma once

#include "kirchhoff/types.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace kirchhoff {

/// It has room for 2^64 doubles of any size.
class ExactSum {
 public:
  /// Throws InputError for a number that is not finite. O(1).
  void add(double x);
  void add(const ExactSum& other);

  /// The double nearest to the sum, and of two the one with an even mantissa; infinity when the sum is beyond all
  /// doubles.
  double value() const;

  /// A sum as it is stored or sent: the integer whose bytes these are, least significant first and in two's complement,
  /// times 2^exponent. The same sum has the same digits, which begin with no zero and are as few as possible; 0 has
  /// none, and the exponent 0.
  struct Digits {
    int exponent = 0;
    std::vector<std::uint8_t> bytes;
    friend bool operator==(const Digits&, const Digits&) = default;
  };
  Digits digits() const;
  /// Throws InputError for digits that no ExactSum gives.
  void add(int exponent, std::span<const std::uint8_t> bytes);

 private:
  static constexpr std::size_t kLimbs = 69;  // 2098 bits of doubles, 64 of carries, and the sign
  using Limbs = std::array<std::int64_t, kLimbs>;

  void count_addition();
  static void carry(Limbs& limbs);
  Limbs carried() const;

  Limbs limbs_{};  ///< Limb i counts 2^(32 i - 1074). All but the last lie in 0 .. 2^32 - 1 after carrying.
  std::int32_t additions_ = 0;  ///< Since the last carrying.
};

}  // namespace kirchhoff
