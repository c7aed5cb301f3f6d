// Random graphs, features and trees to measure on; everything from fixed seeds.
#pragma once

#include "kirchhoff/expectation.hpp"
#include "kirchhoff/tree_batch.hpp"

#include <cstdint>
#include <functional>
#include <random>
#include <vector>

namespace kirchhoff::bench {

/// Dense log-weights N(0, scale^2).
Matrix random_scores(int words, double scale, std::uint64_t seed);

/// Logarithms of independent weights, each a call of `weight`.
using DrawWeight = std::function<double(std::mt19937_64&)>;
Matrix random_weights(int words, const DrawWeight& weight, std::uint64_t seed);
/// Weights uniform on (0, 1]: a parser before training, as in [Stanojevic22].
Matrix untrained_scores(int words, std::uint64_t seed);
/// Made up, peaked: log-weights N(0, 2^2), and 6.2 + log n more for the arcs of a random tree, so that the heads of
/// that tree have probabilities of about 0.95. The numbers were chosen by hand and are evidence for nothing.
Matrix peaked_scores(int words, std::uint64_t seed);

/// Several graphs to rotate through, so that neither cache nor branch predictor learns one by heart: 16 up to 100
/// words, 2 beyond.
std::vector<Matrix> random_graphs(int words, double scale = 1.0);

/// One graph for each length.
MatrixBatch random_batch(const std::vector<int>& lengths, std::uint64_t seed);
/// `copies` times the graphs in a row.
MatrixBatch repeat(const std::vector<Matrix>& graphs, int copies);

/// `count` dense feature matrices N(0,1).
std::vector<Matrix> random_features(int words, int count, std::uint64_t seed);
/// `count` indicator features, exactly one of which fires on each arc (F' = 1).
Features random_indicators(int words, int count, std::uint64_t seed);

/// A random tree with one root child.
Gold random_tree(int words, std::uint64_t seed);

}  // namespace kirchhoff::bench
