// Graphs for the tests of batches, and how their answers are compared.
#pragma once

#include "kirchhoff/tree_batch.hpp"

#include "support/graphs.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

namespace kirchhoff::batches {

using graphs::kInf;

/// Different sizes, mild and peaked; every seventh has no tree.
inline std::vector<Matrix> some_graphs(int count) {
  graphs::Random random(141);
  std::vector<Matrix> result;
  for (int k = 0; k < count; ++k) {
    const double s = k % 3 == 0 ? 1 : k % 3 == 1 ? 20 : 200;
    Matrix scores = graphs::masked_feasible(graphs::normal(1 + k * 7 % 23, s, random), 0.8, random);
    if (k % 7 == 3) scores.col(1).setConstant(-kInf);
    result.push_back(scores);
  }
  return result;
}

inline MatrixBatch batch_of(const std::vector<Matrix>& matrices) {
  MatrixBatch batch;
  for (const Matrix& m : matrices) batch.add(m);
  return batch;
}

/// Bits, not numbers: the fast method may be forced where it gives NaN.
inline bool same_bits(std::span<const double> a, const double* b) {
  return std::memcmp(a.data(), b, a.size() * sizeof(double)) == 0;
}

inline bool all_zero(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return x == 0.0; });
}

}  // namespace kirchhoff::batches
