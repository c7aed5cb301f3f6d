// The random numbers of base/random.hpp for threads of a device: Philox 4x64 with 7 rounds [Salmon11]. A stream is a
// function of (seed, index, purpose), and any of its numbers can be had without those before it.
#pragma once

#include "cuda/kernels/executor.hpp"

#include <cstdint>

namespace kirchhoff::cuda {

/// The upper half of a product.
KIRCHHOFF_BOTH std::uint64_t multiply_high(std::uint64_t a, std::uint64_t b) {
#ifdef __CUDA_ARCH__
  return __umul64hi(a, b);
#else
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>(static_cast<Wide>(a) * b >> 64);
#endif
}

/// What the streams of one sample are for; sample/sampler.cpp has the same.
enum class Purpose : std::uint64_t { walk = 0, labels = 2 };

class RandomBits {
 public:
  KIRCHHOFF_BOTH RandomBits(std::uint64_t seed, std::uint64_t index, Purpose purpose)
      : seed_(seed), index_(index), purpose_(static_cast<std::uint64_t>(purpose)) {}

  KIRCHHOFF_BOTH std::uint64_t bits() {
    if (left_ == 0) make_block(block_++);
    --left_;
    const std::uint64_t bits = next_[0];
    KIRCHHOFF_UNROLL
    for (int i = 0; i < 3; ++i) next_[i] = next_[i + 1];
    return bits;
  }
  /// Goes to a number of the stream, counted from 0.
  KIRCHHOFF_BOTH void seek(std::uint64_t number) {
    block_ = number / 4;
    left_ = 0;
    for (std::uint64_t i = 0; i < number % 4; ++i) bits();
  }
  /// A uniform number in [0, 1), with 53 random bits.
  KIRCHHOFF_BOTH double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

 private:
  KIRCHHOFF_BOTH void make_block(std::uint64_t block) {
    std::uint64_t a = block, b = index_, c = purpose_, d = 0, key = seed_, other_key = 0;
    KIRCHHOFF_UNROLL
    for (int round = 0; round < 7; ++round) {
      constexpr std::uint64_t kFirst = 0xD2E7470EE14C6C93, kSecond = 0xCA5A826395121157;
      const std::uint64_t new_a = multiply_high(kSecond, c) ^ b ^ key, new_c = multiply_high(kFirst, a) ^ d ^ other_key;
      b = kSecond * c;
      d = kFirst * a;
      a = new_a;
      c = new_c;
      key += 0x9E3779B97F4A7C15;
      other_key += 0xBB67AE8584CAA73B;
    }
    next_[0] = a;
    next_[1] = b;
    next_[2] = c;
    next_[3] = d;
    left_ = 4;
  }

  std::uint64_t seed_, index_, purpose_, block_ = 0;
  std::uint64_t next_[4];
  int left_ = 0;
};

}  // namespace kirchhoff::cuda
