// Adds doubles to a long integer and rounds it once, at the end, after the small superaccumulator of [Neal15].
#include "kirchhoff/exact_sum.hpp"

#include "base/check.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

namespace kirchhoff {
namespace {

constexpr int kUnit = -1074;  // the exponent of the smallest double
constexpr std::int64_t kLimb = 0xffffffff;
// Each addition changes a limb by less than 2^32, so that this many cannot overflow 63 bits.
constexpr std::int32_t kMostAdditions = 1 << 29;

/// The bytes of an integer whose limbs were carried, in two's complement.
template <class Limbs>
std::vector<std::uint8_t> bytes_of(const Limbs& limbs) {
  std::vector<std::uint8_t> bytes;
  for (std::size_t i = 0; i + 1 < limbs.size(); ++i) {
    for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<std::uint8_t>(limbs[i] >> shift));
  }
  for (int shift = 0; shift < 64; shift += 8) bytes.push_back(static_cast<std::uint8_t>(limbs.back() >> shift));
  return bytes;
}

}  // namespace

void ExactSum::add(double x) {
  if (!std::isfinite(x)) base::input_error("ExactSum", "x: is " + std::to_string(x) + ", expected a finite number");
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const auto biased = static_cast<int>(bits >> 52 & 0x7ff);
  std::uint64_t mantissa = bits & ((std::uint64_t{1} << 52) - 1);
  if (biased > 0) mantissa |= std::uint64_t{1} << 52;
  // x is the mantissa times 2^(place + kUnit). It reaches into three limbs, of which the first has 32 - shift bits.
  const int place = std::max(biased, 1) - 1;
  const int shift = place % 32;
  const auto first = static_cast<std::size_t>(place / 32);
  const std::uint64_t low = mantissa << shift;
  const std::int64_t parts[3] = {static_cast<std::int64_t>(low & kLimb), static_cast<std::int64_t>(low >> 32),
                                 shift == 0 ? 0 : static_cast<std::int64_t>(mantissa >> (64 - shift))};
  const bool negative = (bits >> 63) != 0;
  for (std::size_t i = 0; i < 3; ++i) limbs_[first + i] += negative ? -parts[i] : parts[i];
  count_addition();
}

void ExactSum::add(const ExactSum& other) {
  const Limbs more = other.carried();
  for (std::size_t i = 0; i < kLimbs; ++i) limbs_[i] += more[i];
  count_addition();
}

void ExactSum::add(int exponent, std::span<const std::uint8_t> bytes) {
  if (bytes.empty() && exponent == 0) return;
  const int place = exponent - kUnit;
  constexpr std::size_t room = 4 * kLimbs;  // half of the last limb, of which doubles need the sign only
  if (bytes.empty() || place < 0 || place % 8 != 0 || static_cast<std::size_t>(place) / 8 + bytes.size() > room) {
    base::input_error("ExactSum", "digits: " + std::to_string(bytes.size()) + " bytes with the exponent " +
                                      std::to_string(exponent) + " are not those of a sum");
  }
  std::array<std::uint8_t, 4 * (kLimbs - 1) + 8> all;
  const auto begin = all.begin() + place / 8;
  std::fill(all.begin(), begin, std::uint8_t{0});
  const auto end = std::copy(bytes.begin(), bytes.end(), begin);
  std::fill(end, all.end(), static_cast<std::uint8_t>(bytes.back() >= 0x80 ? 0xff : 0));
  for (std::size_t i = 0; i < kLimbs; ++i) {
    std::uint64_t limb = 0;
    for (std::size_t b = 0; b < (i + 1 < kLimbs ? 4U : 8U); ++b) limb |= std::uint64_t{all[4 * i + b]} << (8 * b);
    limbs_[i] += static_cast<std::int64_t>(limb);
  }
  count_addition();
}

ExactSum::Digits ExactSum::digits() const {
  std::vector<std::uint8_t> bytes = bytes_of(carried());
  const auto first = std::find_if(bytes.begin(), bytes.end(), [](std::uint8_t b) { return b != 0; });
  if (first == bytes.end()) return {};
  const auto zeros = static_cast<int>(first - bytes.begin());
  bytes.erase(bytes.begin(), first);
  // A byte that only repeats the sign of the one below it says nothing.
  while (bytes.size() > 1 && bytes.back() == (bytes[bytes.size() - 2] >= 0x80 ? 0xff : 0)) bytes.pop_back();
  return {kUnit + 8 * zeros, std::move(bytes)};
}

double ExactSum::value() const {
  Limbs limbs = carried();
  const bool negative = limbs.back() < 0;
  if (negative) {
    for (std::int64_t& limb : limbs) limb = -limb;
    carry(limbs);
  }
  const auto limb_at = [&](int i) {
    return i < 0 ? 0 : static_cast<std::uint64_t>(limbs[static_cast<std::size_t>(i)]);
  };
  auto top = static_cast<int>(kLimbs) - 1;
  while (top > 0 && limb_at(top) == 0) --top;
  if (limb_at(top) > static_cast<std::uint64_t>(kLimb)) return negative ? -HUGE_VAL : HUGE_VAL;
  // The highest 64 bits hold the 53 of the result unless it is tiny; what lies below only says whether it is a tie.
  const int width = std::bit_width(limb_at(top));
  const std::uint64_t pair = limb_at(top) << 32 | limb_at(top - 1);
  std::uint64_t head = pair << (32 - width);
  if (width < 32) head |= limb_at(top - 2) >> width;
  bool below = (limb_at(top - 2) & ((std::uint64_t{1} << width) - 1)) != 0;
  for (int i = top - 3; i >= 0 && !below; --i) below = limb_at(i) != 0;
  const int scale = 32 * top + width - 64 + kUnit;  // the sum is head * 2^scale, and a little more if `below`
  const int dropped = std::max(11, kUnit - scale);  // bits that a double has no room for
  if (dropped >= 64) return negative ? -0.0 : 0.0;  // only for a sum of 0, whose width is 0
  const std::uint64_t half = std::uint64_t{1} << (dropped - 1);
  const std::uint64_t rest = head & (2 * half - 1);
  std::uint64_t mantissa = head >> dropped;
  if (rest > half || (rest == half && (below || (mantissa & 1) != 0))) ++mantissa;
  const double size = std::ldexp(static_cast<double>(mantissa), scale + dropped);
  return negative ? -size : size;
}

void ExactSum::count_addition() {
  if (++additions_ < kMostAdditions) return;
  carry(limbs_);
  additions_ = 1;
}

void ExactSum::carry(Limbs& limbs) {
  for (std::size_t i = 0; i + 1 < kLimbs; ++i) {
    limbs[i + 1] += limbs[i] >> 32;
    limbs[i] &= kLimb;
  }
}

ExactSum::Limbs ExactSum::carried() const {
  Limbs limbs = limbs_;
  carry(limbs);
  return limbs;
}

}  // namespace kirchhoff
