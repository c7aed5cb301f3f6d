// The random numbers of a beam search: a function of the seed, the prefix and the option.
#pragma once

#include "cuda/kernels/executor.hpp"

#include <cmath>
#include <cstdint>

namespace kirchhoff::cuda {

struct FourWords {
  std::uint32_t x[4];
};

/// Philox 4x32 with 10 rounds [Salmon11].
KIRCHHOFF_BOTH FourWords philox(FourWords counter, std::uint32_t key0, std::uint32_t key1) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53} * counter.x[0], b = std::uint64_t{0xCD9E8D57} * counter.x[2];
    counter = {{static_cast<std::uint32_t>(b >> 32) ^ counter.x[1] ^ key0, static_cast<std::uint32_t>(b),
                static_cast<std::uint32_t>(a >> 32) ^ counter.x[3] ^ key1, static_cast<std::uint32_t>(a)}};
    key0 += 0x9E3779B9;
    key1 += 0xBB67AE85;
  }
  return counter;
}

/// A uniform number between 0 and 1, neither of which it is, from 52 random bits.
KIRCHHOFF_BOTH double uniform(std::uint32_t high, std::uint32_t low) {
  const std::uint64_t bits = (std::uint64_t{high} << 32 | low) >> 12;
  return (static_cast<double>(bits) + 0.5) * 0x1p-52;
}

/// Two independent uniform numbers for an option below a prefix.
struct TwoUniforms {
  double first, second;
};
KIRCHHOFF_BOTH TwoUniforms random_numbers(std::uint64_t seed, std::uint64_t prefix, std::uint32_t option) {
  const FourWords random =
      philox({{static_cast<std::uint32_t>(prefix), static_cast<std::uint32_t>(prefix >> 32), option, 0}},
             static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32));
  return {uniform(random.x[0], random.x[1]), uniform(random.x[2], random.x[3])};
}
/// What is no option: the time of the first arrival of all.
inline constexpr std::uint32_t kFirstOfAll = 0xFFFFFFFF;

/// The name of a prefix that is one option longer, by splitmix64's finaliser.
KIRCHHOFF_BOTH std::uint64_t longer_key(std::uint64_t key, int option) {
  std::uint64_t x = key + 0x9e3779b97f4a7c15ULL * (static_cast<std::uint64_t>(option) + 1);
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/// -log(exp(-a) + exp(-b)): the perturbed log-probability of a time that is the sum of two.
KIRCHHOFF_BOTH double sum_of_times(double a, double b) {
  const double low = fmin(a, b), high = fmax(a, b);
  return low - log1p(exp(low - high));
}

}  // namespace kirchhoff::cuda
