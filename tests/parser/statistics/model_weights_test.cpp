// The curvature of a model's log-likelihood by all its weights against all trees, listed one by one, and finite
// differences.
#include "kirchhoff/model_statistics.hpp"

#include "parser/statistics/listed_trees.hpp"
#include "support/message_of.hpp"

#include <gtest/gtest.h>

namespace kirchhoff {
namespace {

TEST(ModelWeights, AddUpToScores) {
  const ModelWeights weights(model());
  const Vector values = weights.values();
  ASSERT_EQ(values.size(), static_cast<Eigen::Index>(weights.size()));
  EXPECT_GT(weights.size(), 1000U);
  EXPECT_EQ((values.array() == 0.0).count(), 0) << "weights that are 0 are not in the file";
  for (const Sentence& s : short_sentences(4)) {
    const Matrix scores = Parser(model()).arc_scores(s);
    for (int d = 1; d <= s.size(); ++d) {
      for (int h = 0; h <= s.size(); ++h) {
        if (h == d || !std::isfinite(scores(h, d))) continue;
        double sum = 0.0;
        for (const std::size_t f : weights.of_arc(s, {h, d})) sum += values(static_cast<Eigen::Index>(f));
        EXPECT_NEAR(sum / weights.temperature(), scores(h, d), 1e-4);
      }
    }
  }
  const Sentence s = short_sentences(1)[0];
  EXPECT_THROW(weights.of_arc(s, {1, 1}), InputError);
  EXPECT_THROW(weights.of_arc(s, {0, s.size() + 1}), InputError);
}

TEST(ModelWeights, HaveTheCurvatureOfListedTrees) {
  const ModelWeights weights(model());
  const std::vector<Sentence> sentences = short_sentences(3, 7);
  const double squared = weights.temperature() * weights.temperature();
  for (const StatisticsOptions& options : {StatisticsOptions{}, StatisticsOptions{.projective = true}}) {
    const Vector direction = Vector::Random(static_cast<Eigen::Index>(weights.size()));
    Vector mean = Vector::Zero(direction.size()), product = mean, diagonal = mean;
    for (const Sentence& s : sentences) {
      const Matrix scores = Parser(model()).arc_scores(s, {.projective = options.projective});
      Vector own = Vector::Zero(direction.size()), square = own, cross = own;
      double along = 0.0;
      for (const ListedTree& tree : list_trees(scores, model().root(), options.projective)) {
        const auto counts = counts_of<std::size_t>(tree.heads, [&](int h, int d) { return weights.of_arc(s, {h, d}); });
        double dot = 0.0;
        for (const auto& [f, x] : counts) dot += x * direction(static_cast<Eigen::Index>(f));
        along += tree.probability * dot;
        for (const auto& [f, x] : counts) {
          const auto i = static_cast<Eigen::Index>(f);
          own(i) += tree.probability * x;
          square(i) += tree.probability * x * x;
          cross(i) += tree.probability * x * dot;
        }
      }
      mean += own;
      product -= (cross - along * own) / squared;
      diagonal += (square - own.cwiseAbs2()) / squared;
    }
    EXPECT_LT((expected_counts(weights, sentences, options) - mean).cwiseAbs().maxCoeff(), 1e-6);
    EXPECT_LT((hessian_product(weights, sentences, direction, options) - product).cwiseAbs().maxCoeff(), 1e-5);
    EXPECT_LT((fisher_diagonal(weights, sentences, options) - diagonal).cwiseAbs().maxCoeff(), 1e-6);
  }
}

TEST(ModelWeights, HessianIsTheSlopeOfTheGradient) {
  const ModelWeights weights(model());
  const Sentence s = ToyTreebank(12).sentences(1)[0];
  const Matrix scores = Parser(model()).arc_scores(s);
  const Vector direction = Vector::Random(static_cast<Eigen::Index>(weights.size()));
  Matrix along = Matrix::Zero(scores.rows(), scores.cols());
  const auto for_each_use = [&](const auto& visit) {
    for (int d = 1; d <= s.size(); ++d) {
      for (int h = 0; h <= s.size(); ++h) {
        if (h == d || !std::isfinite(scores(h, d))) continue;
        for (const std::size_t f : weights.of_arc(s, {h, d})) visit(h, d, static_cast<Eigen::Index>(f));
      }
    }
  };
  for_each_use([&](int h, int d, Eigen::Index f) { along(h, d) += direction(f) / weights.temperature(); });
  // The gradient of the log-likelihood by the weights, but for the observed counts, when they have moved by `step`.
  const auto gradient = [&](double step) {
    const TreeDistribution p(scores + step * along, model().root());
    Vector g = Vector::Zero(direction.size());
    for_each_use([&](int h, int d, Eigen::Index f) { g(f) -= p.marginals()(h, d) / weights.temperature(); });
    return g;
  };
  constexpr double kStep = 1e-4;
  const Vector slope = (gradient(kStep) - gradient(-kStep)) / (2.0 * kStep);
  const Vector found = hessian_product(weights, std::span(&s, 1), direction);
  EXPECT_LT((found - slope).cwiseAbs().maxCoeff(), 1e-5 * std::max(1.0, slope.cwiseAbs().maxCoeff()));
  EXPECT_GT(slope.cwiseAbs().maxCoeff(), 1e-3);
}

TEST(ModelWeights, StatisticsAreSumsAndTheSameOnAnyNumberOfThreads) {
  const ModelWeights weights(model());
  std::vector<Sentence> sentences = ToyTreebank(9).sentences(20);
  sentences.insert(sentences.begin() + 3, Sentence());
  const Vector direction = Vector::Random(static_cast<Eigen::Index>(weights.size()));
  const Vector product = hessian_product(weights, sentences, direction, {.threads = 1});
  const Vector diagonal = fisher_diagonal(weights, sentences, {.threads = 1});
  EXPECT_EQ(product, hessian_product(weights, sentences, direction, {.threads = 4}));
  EXPECT_EQ(diagonal, fisher_diagonal(weights, sentences, {.threads = 4}));
  Vector product_sum = Vector::Zero(direction.size()), diagonal_sum = product_sum;
  for (const Sentence& s : sentences) {
    product_sum += hessian_product(weights, std::span(&s, 1), direction);
    diagonal_sum += fisher_diagonal(weights, std::span(&s, 1));
  }
  EXPECT_LT((product - product_sum).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LT((diagonal - diagonal_sum).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LE(direction.dot(product), 0.0) << "the log-likelihood is concave";
  // One row of the Hessian has the diagonal's entry.
  Eigen::Index largest = 0;
  diagonal.maxCoeff(&largest);
  Vector unit = Vector::Zero(direction.size());
  unit(largest) = 1.0;
  EXPECT_NEAR(hessian_product(weights, sentences, unit)(largest), -diagonal(largest), 1e-6 * diagonal(largest));

  EXPECT_EQ(message_of<InputError>([&] { hessian_product(weights, sentences, Vector::Zero(3)); }),
            "[hessian_product] direction: must be " + std::to_string(weights.size()) +
                " finite numbers, one for each weight of the model");
  unit(0) = NAN;
  EXPECT_THROW(hessian_product(weights, sentences, unit), InputError);
}

}  // namespace
}  // namespace kirchhoff
