// Random bits and alias tables of kernels are those of the CPU's samplers.
#include "base/random.hpp"
#include "cuda/kernels/alias_tables.hpp"
#include "cuda/kernels/random_bits.hpp"
#include "sample/alias.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace kirchhoff::cuda {
namespace {

TEST(CudaDraws, RandomBitsAreThoseOfTheCpu) {
  for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{17}, ~std::uint64_t{0}}) {
    for (const std::uint64_t index : {std::uint64_t{0}, std::uint64_t{3}, std::uint64_t{1} << 40}) {
      for (const Purpose purpose : {Purpose::walk, Purpose::labels}) {
        base::Random expected(seed, index, static_cast<std::uint64_t>(purpose));
        RandomBits random(seed, index, purpose);
        std::vector<std::uint64_t> all;
        for (int i = 0; i < 50; ++i) {
          all.push_back(expected.bits());
          EXPECT_EQ(random.bits(), all.back()) << "number " << i;
        }
        for (const std::uint64_t number : {49, 0, 3, 4, 17, 30}) {
          random.seek(number);
          EXPECT_EQ(random.bits(), all[number]) << "number " << number;
        }
      }
    }
  }
  base::Random expected(5, 6, 0);
  RandomBits random(5, 6, Purpose::walk);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(random.uniform(), expected.uniform());
}

/// Weights that are equal, that are 0, that add up to a mean in steps, and that are far apart.
std::vector<double> weights(int kind, int size, std::mt19937_64& random) {
  std::vector<double> weights(static_cast<std::size_t>(size));
  std::normal_distribution<double> normal;
  std::uniform_int_distribution<int> small(0, 3);
  for (double& w : weights) {
    w = kind == 0 ? 1.0 : kind == 1 ? small(random) : std::exp((kind == 2 ? 1.0 : 200.0) * -std::abs(normal(random)));
  }
  weights[static_cast<std::size_t>(size / 2)] = 1.0;
  return weights;
}

TEST(CudaDraws, AliasTablesAreThoseOfTheCpu) {
  std::mt19937_64 random(81);
  for (const int size : {1, 2, 3, 10, 64, 255, 256, 257, 400}) {
    for (int kind = 0; kind < 4; ++kind) {
      sample::AliasTables expected(size, size);
      std::vector<char> memory(AliasTables::bytes(size));
      const AliasTables tables(memory.data(), size);
      for (int row = 0; row < size; ++row) {
        const std::vector<double> w = weights(kind, size, random);
        expected.set(row, w.data());
        for (int i = 0; i < size; ++i) tables.set_number(row, i, w[static_cast<std::size_t>(i)]);
        tables.make(row);
      }
      int differing = 0;
      for (int draw = 0; draw < 20000; ++draw) {
        const std::uint64_t bits = random();
        const int row = draw % size;
        differing += tables.draw(row, bits) != static_cast<int>(expected.draws().draw(row, bits)) ? 1 : 0;
      }
      EXPECT_EQ(differing, 0) << "size " << size << ", kind " << kind;
    }
  }
}

}  // namespace
}  // namespace kirchhoff::cuda
