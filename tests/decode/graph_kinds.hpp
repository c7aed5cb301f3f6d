// The graphs that decoding is tested on: scores that differ, scores that tie, few arcs, whole numbers.
#pragma once

#include "kirchhoff/decode.hpp"
#include "support/graphs.hpp"
#include "support/oracle.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <utility>

namespace kirchhoff {

inline constexpr const char* kKinds[] = {"random",    "sparse", "whole numbers", "sparse whole numbers",
                                         "all equal", "cycles", "huge"};
inline constexpr int kKindCount = 7;

inline Matrix make_graph(int kind, int n, graphs::Random& random) {
  std::uniform_int_distribution<int> small(-2, 2);
  Matrix scores = graphs::normal(n, 2.0, random);
  if (kind == 2 || kind == 3) scores = scores.unaryExpr([&](double) { return static_cast<double>(small(random)); });
  if (kind == 4) scores.setConstant(0.5);
  if (kind == 5 && n >= 2)
    scores = graphs::strong_cycle(n, std::uniform_int_distribution<int>(2, n)(random), 9, random);
  if (kind == 6) scores *= 1e12;
  if (kind == 1 || kind == 3) scores = graphs::masked(scores, 0.45, random);
  return scores;
}

inline LabelledMatrix make_labelled(int kind, int n, int labels, graphs::Random& random) {
  LabelledMatrix scores(n, labels);
  for (int y = 0; y < labels; ++y) {
    const Matrix one = make_graph(kind, n, random);
    for (int h = 0; h <= n; ++h)
      for (int d = 0; d <= n; ++d) scores(h, d, y) = one(h, d);
  }
  return scores;
}

/// The possible trees of the oracle by decreasing score.
inline std::vector<oracle::Tree> sorted_trees(const oracle::Forest& forest) {
  std::vector<oracle::Tree> trees;
  for (const oracle::Tree& tree : forest.trees())
    if (tree.score > -graphs::kInf) trees.push_back(tree);
  std::stable_sort(trees.begin(), trees.end(),
                   [](const oracle::Tree& a, const oracle::Tree& b) { return a.score > b.score; });
  return trees;
}

inline void expect_score(double actual, long double expected) {
  EXPECT_LE(std::abs(actual - expected), 1e-14L * std::max(1.0L, std::abs(expected))) << "expected " << expected;
}

/// Sum of the tree's arcs.
inline long double sum_of(const Tree& tree, const Matrix& scores) {
  long double sum = 0;
  for (std::size_t d = 1; d < tree.heads.size(); ++d) sum += scores(tree.heads[d], static_cast<int>(d));
  return sum;
}
inline long double sum_of(const Tree& tree, const LabelledMatrix& scores) {
  long double sum = 0;
  for (std::size_t d = 1; d < tree.heads.size(); ++d) sum += scores(tree.heads[d], static_cast<int>(d), tree.labels[d]);
  return sum;
}

}  // namespace kirchhoff
