// The kernel that turns a score matrix into sets of bits: which arcs are possible.
#pragma once

#include "numeric/matrix_span.hpp"

#include <cstddef>
#include <cstdint>

namespace kirchhoff::tree {

constexpr std::size_t kBitsInWord = 64;
/// How many words of 64 bits a row of so many columns takes.
constexpr std::size_t bit_words(std::size_t cols) { return (cols + kBitsInWord - 1) / kBitsInWord; }

/// Writes a row of bit_words(cols) words for each row of scores: bit c is set where column c is not -inf. Bits behind
/// the last column are 0.
void arc_bits(const numeric::ConstMatrixSpan& scores, std::uint64_t* bits);

}  // namespace kirchhoff::tree
