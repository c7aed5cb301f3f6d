// Expectations, covariances and curvature over a corpus against all trees, listed one by one, and finite differences.
#include "kirchhoff/model_statistics.hpp"

#include "parser/statistics/listed_trees.hpp"
#include "support/message_of.hpp"

#include <gtest/gtest.h>

#include <map>

namespace kirchhoff {
namespace {

const ParserModel& model() {
  static const ParserModel trained = small_model();
  return trained;
}

constexpr const char* kTags = "dir | h.upos d.upos";

/// The name of an arc's feature by kTags.
std::string tag_name(const Sentence& s, int h, int d) {
  const std::string head = h == 0 ? "ROOT" : std::string(s.upos(h));
  return "h.upos=" + head + " d.upos=" + std::string(s.upos(d)) + " dir=" + (h < d ? "rightward" : "leftward");
}

/// The counts of features of a tree, by what `features_of` makes of its arcs.
template <class Key, class FeaturesOf>
std::map<Key, double> counts_of(const Heads& heads, const FeaturesOf& features_of) {
  std::map<Key, double> counts;
  for (std::size_t d = 1; d < heads.size(); ++d) {
    for (const Key& key : features_of(heads[d], static_cast<int>(d))) counts[key] += 1.0;
  }
  return counts;
}

/// First and second moments of counts, summed over sentences.
template <class Key>
struct Moments {
  std::map<Key, double> mean;
  std::map<std::pair<Key, Key>, double> covariance;
};

template <class Key, class FeaturesOf>
Moments<Key> listed_moments(std::span<const Sentence> sentences, const StatisticsOptions& options,
                            const FeaturesOf& features_of) {
  Moments<Key> sum;
  const Root root = options.root.value_or(model().root());
  for (const Sentence& s : sentences) {
    const Matrix scores = Parser(model()).arc_scores(s, {.root = root, .projective = options.projective});
    const auto own = [&](int h, int d) { return features_of(s, h, d); };
    std::map<Key, double> mean;
    std::map<std::pair<Key, Key>, double> second;
    for (const ListedTree& tree : list_trees(scores, root, options.projective)) {
      const auto counts = counts_of<Key>(tree.heads, own);
      for (const auto& [a, x] : counts) {
        mean[a] += tree.probability * x;
        for (const auto& [b, y] : counts) second[{a, b}] += tree.probability * x * y;
      }
    }
    for (const auto& [a, x] : mean) {
      sum.mean[a] += x;
      for (const auto& [b, y] : mean) sum.covariance[{a, b}] += second[{a, b}] - x * y;
    }
  }
  return sum;
}

TEST(FeatureStatistics, AreTheMomentsOfListedTrees) {
  const std::vector<Sentence> sentences = short_sentences(4);
  for (const StatisticsOptions& options :
       {StatisticsOptions{}, StatisticsOptions{.root = Root::multi}, StatisticsOptions{.projective = true}}) {
    const FeatureStatistics found = feature_statistics(model(), sentences, {.templates = kTags, .most = 1000}, options);
    auto listed = listed_moments<std::string>(sentences, options, [](const Sentence& s, int h, int d) {
      return std::vector<std::string>{tag_name(s, h, d)};
    });
    ASSERT_GT(found.names.size(), 10U);
    EXPECT_GE(found.names.size(), listed.mean.size());
    for (std::size_t a = 0; a < found.names.size(); ++a) {
      const auto i = static_cast<Eigen::Index>(a);
      EXPECT_NEAR(found.expectation(i), listed.mean[found.names[a]], 1e-7) << found.names[a];
      for (std::size_t b = 0; b < found.names.size(); ++b) {
        const double expected = listed.covariance[{found.names[a], found.names[b]}];
        EXPECT_NEAR(found.covariance(i, static_cast<Eigen::Index>(b)), expected, 1e-7) << found.names[a];
      }
    }
  }
}

TEST(FeatureStatistics, CountWhatTreesHaveAndSayWhatTheModelWeighs) {
  const std::vector<Sentence> sentences = short_sentences(6);
  std::map<std::string, double> counts;
  for (const Sentence& s : sentences) {
    for (int d = 1; d <= s.size(); ++d) counts[tag_name(s, s.head(d), d)] += 1.0;
  }
  const std::string noun = "h.upos=NOUN d.upos=DET dir=leftward", never = "h.upos=DET d.upos=X dir=leftward";
  const FeatureStatistics found = feature_statistics(model(), sentences, {.templates = kTags, .names = {noun, never}});
  EXPECT_EQ(found.names, (std::vector<std::string>{noun, never}));
  ASSERT_TRUE(found.observed.has_value());
  EXPECT_EQ((*found.observed)(0), counts[noun]);
  EXPECT_EQ((*found.observed)(1), 0.0);
  EXPECT_EQ(found.expectation(1), 0.0);
  EXPECT_TRUE(found.covariance.row(1).isZero(0.0));
  EXPECT_EQ(found.weights(1), 0.0);
  EXPECT_EQ(found.sentences, 6);
  EXPECT_GT(found.weights(0), 0.0);
  const FeatureStatistics other =
      feature_statistics(model(), sentences, {.templates = "any | h.upos d.upos", .names = {"h.upos=NOUN d.upos=DET"}});
  EXPECT_EQ(other.weights(0), 0.0) << "no built-in template has these tags and no direction";

  std::vector<Sentence> unknown = sentences;
  unknown[2].set_head(1, -1);
  EXPECT_FALSE(feature_statistics(model(), unknown, {.templates = kTags}).observed.has_value());
}

TEST(FeatureStatistics, TakeTheMostExpectedFeaturesFirst) {
  const std::vector<Sentence> sentences = short_sentences(6);
  const FeatureStatistics all = feature_statistics(model(), sentences, {.templates = kTags, .most = 1000});
  const FeatureStatistics some = feature_statistics(model(), sentences, {.templates = kTags, .most = 5});
  ASSERT_EQ(some.names.size(), 5U);
  for (Eigen::Index f = 0; f < 5; ++f) {
    EXPECT_EQ(some.names[static_cast<std::size_t>(f)], all.names[static_cast<std::size_t>(f)]);
    EXPECT_EQ(some.expectation(f), all.expectation(f));
    if (f > 0) {
      EXPECT_GE(all.expectation(f - 1), all.expectation(f));
    }
  }
  EXPECT_TRUE(some.covariance.isApprox(all.covariance.topLeftCorner(5, 5), 1e-12));
}

TEST(FeatureStatistics, OfACorpusAreSumsOverSentencesOnAnyNumberOfThreads) {
  std::vector<Sentence> sentences = ToyTreebank(9).sentences(150);
  const FeatureChoice choice{
      .templates = kTags, .names = {"h.upos=VERB d.upos=NOUN dir=rightward", "h.upos=NOUN d.upos=NOUN dir=rightward"}};
  const FeatureStatistics one = feature_statistics(model(), sentences, choice, {.threads = 1});
  const FeatureStatistics three = feature_statistics(model(), sentences, choice, {.threads = 3});
  EXPECT_EQ(one.covariance, three.covariance);
  EXPECT_EQ(one.expectation, three.expectation);
  Matrix covariance = Matrix::Zero(2, 2);
  for (const Sentence& s : sentences) covariance += feature_statistics(model(), std::span(&s, 1), choice).covariance;
  EXPECT_TRUE(one.covariance.isApprox(covariance, 1e-10));
  EXPECT_LT(one.covariance(0, 1), 0.0) << "a phrase hangs from the verb or from the noun";
}

TEST(FeatureStatistics, RefuseWhatTheyCannotAnswer) {
  const std::vector<Sentence> sentences = short_sentences(2);
  const auto message = [&](const FeatureChoice& choice) {
    return message_of<InputError>([&] { feature_statistics(model(), sentences, choice); });
  };
  EXPECT_EQ(message({}), "[feature_statistics] templates: there are none");
  EXPECT_EQ(message({.templates = "h.upos"}), "[Templates] no bar in 'h.upos'");
  EXPECT_EQ(message({.templates = "any | s.upos"}), "[Templates] 's.upos' is no atom");
  EXPECT_EQ(message({.templates = "any | dir2"}),
            "[feature_statistics] templates: dir2, dist2, puncts2 and dir3 are for parts of three words");
  EXPECT_EQ(message({.templates = kTags, .most = 0}), "[feature_statistics] most: must be 1 or more");
  const ParserModel parts = small_model(kNextSiblings);
  const std::string refusal =
      "model: it scores parts of several arcs (next), and covariances are exact for models of "
      "arcs only";
  EXPECT_EQ(message_of<InputError>([&] { feature_statistics(parts, sentences, {.templates = kTags}); }),
            "[feature_statistics] " + refusal);
  EXPECT_EQ(message_of<InputError>([&] { ModelWeights{parts}; }), "[ModelWeights] " + refusal);
  EXPECT_THROW(feature_statistics(model(), sentences, {.templates = kTags}, {.stop = [] { return true; }}), Stopped);
}

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
