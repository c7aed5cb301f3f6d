// Counter-based random numbers (Philox 4x64, [Salmon11]): a stream is a function of (seed, index, purpose), so results
// depend neither on threads nor on what was drawn before.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <span>

namespace kirchhoff::base {

class Random {
 public:
  /// Streams of different `purpose` are independent for the same seed and index.
  Random(std::uint64_t seed, std::uint64_t index, std::uint64_t purpose = 0)
      : seed_(seed), counter_{0, index, purpose, 0} {}

  /// Whether the next number must be computed first. That happens by itself; a kernel does it before
  /// (random_refill.hpp).
  bool used_up() const { return next_ == filled_; }
  std::uint64_t bits() {
    if (used_up()) refill();
    return buffer_[next_++];
  }
  /// A uniform number in [0, 1), with 53 random bits.
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  /// An exponential number of mean 1, never 0.
  double exponential() { return -std::log((static_cast<double>(bits() >> 12) + 0.5) * 0x1p-52); }

  /// What bits() would give next, one number or more. skip() takes some of them away.
  std::span<const std::uint64_t> ahead() {
    if (used_up()) refill();
    return {buffer_.data() + next_, filled_ - next_};
  }
  void skip(std::size_t count) { next_ += count; }

 private:
  friend struct RandomAccess;                // random_refill.hpp
  static constexpr std::size_t kBlocks = 4;  // independent of one another: a processor computes them side by side
  void refill();

  std::uint64_t seed_;
  std::array<std::uint64_t, 4> counter_;
  std::array<std::uint64_t, 4 * kBlocks> buffer_;
  std::size_t filled_ = 0, next_ = 0;
};

}  // namespace kirchhoff::base
