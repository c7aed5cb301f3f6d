// Hashes strings and conjunctions of features to 64 bits.
//
// A feature's key is the sum of the hashes of its atoms. Each atom is mixed with what it is (attribute, node, offset),
// so sums of different atoms are independent uniform numbers: two of N features share a key with probability about N^2
// / 2^65, 1e-6 for N = 10 million.
#pragma once

#include <cstdint>
#include <string_view>

namespace kirchhoff::parser {

/// Spreads the bits of a number over all 64.
constexpr std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93ULL;
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93ULL;
  x ^= x >> 32;
  return x;
}

/// The atom that `value` makes in the place named by `place`.
constexpr std::uint64_t atom(std::uint64_t value, std::uint64_t place) { return mix(value ^ place); }

constexpr std::uint64_t hash_text(std::string_view text, std::uint64_t seed = 0) {
  std::uint64_t h = 0x9e3779b97f4a7c15ULL ^ seed;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return mix(h ^ text.size());
}

}  // namespace kirchhoff::parser
