// Random graphs, features and trees to measure on.
#include "graphs.hpp"

#include <cmath>

namespace kirchhoff::bench {
namespace {

using Rng = std::mt19937_64;

int below(int bound, Rng& rng) { return std::uniform_int_distribution<int>(0, bound - 1)(rng); }

}  // namespace

Matrix random_scores(int words, double scale, std::uint64_t seed) {
  Rng rng(seed);
  std::normal_distribution<double> normal(0.0, scale);
  Matrix scores(words + 1, words + 1);
  for (double& score : scores.reshaped()) score = normal(rng);
  return scores;
}

Matrix random_weights(int words, const DrawWeight& weight, std::uint64_t seed) {
  Rng rng(seed);
  Matrix scores(words + 1, words + 1);
  for (double& score : scores.reshaped()) score = std::log(weight(rng));
  return scores;
}

Matrix untrained_scores(int words, std::uint64_t seed) {
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  return random_weights(
      words, [&](Rng& rng) { return 1.0 - uniform(rng); }, seed);
}

Matrix peaked_scores(int words, std::uint64_t seed) {
  Matrix scores = random_scores(words, 2.0, seed);
  const Heads heads = random_tree(words, seed).heads;
  for (int d = 1; d <= words; ++d) scores(heads[d], d) += 6.2 + std::log(words);
  return scores;
}

std::vector<Matrix> random_graphs(int words, double scale) {
  const int count = words <= 100 ? 16 : 2;
  std::vector<Matrix> graphs;
  for (int g = 0; g < count; ++g) graphs.push_back(random_scores(words, scale, 1000 * words + g));
  return graphs;
}

MatrixBatch random_batch(const std::vector<int>& lengths, std::uint64_t seed) {
  MatrixBatch batch;
  for (std::size_t i = 0; i < lengths.size(); ++i) batch.add(random_scores(lengths[i], 1.0, seed + i));
  return batch;
}

MatrixBatch repeat(const std::vector<Matrix>& graphs, int copies) {
  MatrixBatch batch;
  for (int c = 0; c < copies; ++c) {
    for (const Matrix& graph : graphs) batch.add(graph);
  }
  return batch;
}

std::vector<Matrix> random_features(int words, int count, std::uint64_t seed) {
  std::vector<Matrix> features;
  for (int f = 0; f < count; ++f) {
    Matrix feature = random_scores(words, 1.0, seed + f);
    feature.col(0).setZero();
    feature.diagonal().setZero();
    features.push_back(std::move(feature));
  }
  return features;
}

Features random_indicators(int words, int count, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<FeatureEntry> entries;
  for (int head = 0; head <= words; ++head) {
    for (int dependent = 1; dependent <= words; ++dependent) {
      if (head != dependent) entries.push_back({head, dependent, below(count, rng), 1.0});
    }
  }
  return Features(words, count, std::move(entries));
}

Gold random_tree(int words, std::uint64_t seed) {
  Rng rng(seed);
  Gold gold{{-1, 0}, {}};
  for (int d = 2; d <= words; ++d) gold.heads.push_back(1 + below(d - 1, rng));
  return gold;
}

}  // namespace kirchhoff::bench
