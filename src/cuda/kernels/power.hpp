// An exponential function for weights: numbers that are not too small.
#pragma once

#include "cuda/kernels/executor.hpp"
#include "cuda/kernels/numbers.hpp"

#include <cmath>

namespace kirchhoff::cuda {

/// The logarithm of the smallest weight, with something to spare.
inline constexpr double kSmallestExponent = -644.0;

/// (e^r - 1 - r) / r^2, interpolated at the Chebyshev nodes of |r| <= ln(2) / 2, highest power first. Instructions read
/// them where they are: in registers they would take up 20, or be put there again and again.
KIRCHHOFF_TABLE(double, kPowerTerms) = {
    0x1.af38a9b0ec855p-26, 0x1.289185613a3d6p-22, 0x1.71de0dae63bb3p-19, 0x1.a019b90d2ae7ap-16, 0x1.a01a01a7c41d5p-13,
    0x1.6c16c1788bd90p-10, 0x1.11111111109b3p-7,  0x1.5555555553d63p-5,  0x1.5555555555556p-3,  0x1.0000000000001p-1};

/// exp(x) for x in [kSmallestExponent, 700], to 1 ulp and a little, and 0 for less: a third of the instructions of the
/// exponential function that is right everywhere.
KIRCHHOFF_BOTH double power(double x) {
  constexpr double kMagic = 0x1.8p52;  // added to a number, it leaves the nearest integer in the lowest bits
  const double shifted = fma(x, 0x1.71547652b82fep+0, kMagic), k = shifted - kMagic;
  const double r = fma(k, -0x1.abc9e3b39803fp-56, fma(k, -0x1.62e42fefa39efp-1, x));
  double p = kPowerTerms[0];
  KIRCHHOFF_UNROLL
  for (int i = 1; i < 10; ++i) p = fma(p, r, kPowerTerms[i]);
  p = fma(p * r, r, r) + 1.0;
  const double scaled = p * double_of((bits_of(shifted) + 1023) << 52);
  return x < kSmallestExponent ? 0.0 : scaled;
}

}  // namespace kirchhoff::cuda
