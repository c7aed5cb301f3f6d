// Expectations, covariances and curvature by named features against all trees, listed one by one.
#include "kirchhoff/model_statistics.hpp"

#include "parser/statistics/listed_trees.hpp"
#include "support/message_of.hpp"

#include <gtest/gtest.h>

#include <map>

namespace kirchhoff {
namespace {

constexpr const char* kTags = "dir | h.upos d.upos";

/// The name of an arc's feature by kTags.
std::string tag_name(const Sentence& s, int h, int d) {
  const std::string head = h == 0 ? "ROOT" : std::string(s.upos(h));
  return "h.upos=" + head + " d.upos=" + std::string(s.upos(d)) + " dir=" + (h < d ? "rightward" : "leftward");
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

TEST(FeatureStatistics, HaveTheHessianAndTheFisherInformationOfListedTrees) {
  const std::vector<Sentence> sentences = short_sentences(4);
  const std::string det = "h.upos=NOUN d.upos=DET dir=leftward", root = "h.upos=ROOT d.upos=VERB dir=rightward";
  const FeatureChoice choice{
      .templates = kTags, .most = 12, .direction = {{det, 0.5}, {root, -2.0}, {"no such feature", 3.0}, {det, 0.25}}};
  const double squared = std::pow(ModelWeights(model()).temperature(), 2);
  for (const StatisticsOptions& options : {StatisticsOptions{}, StatisticsOptions{.projective = true}}) {
    const FeatureStatistics found = feature_statistics(model(), sentences, choice, options);
    auto listed = listed_moments<std::string>(sentences, options, [](const Sentence& s, int h, int d) {
      return std::vector<std::string>{tag_name(s, h, d)};
    });
    ASSERT_EQ(found.names.size(), 12U);
    ASSERT_TRUE(found.hessian_product.has_value());
    for (std::size_t f = 0; f < found.names.size(); ++f) {
      const std::string& name = found.names[f];
      const auto i = static_cast<Eigen::Index>(f);
      const double along = 0.75 * listed.covariance[{name, det}] - 2.0 * listed.covariance[{name, root}];
      EXPECT_NEAR((*found.hessian_product)(i), -along / squared, 1e-6) << name;
      EXPECT_NEAR(found.fisher(i), (listed.covariance[{name, name}]) / squared, 1e-6) << name;
    }
    EXPECT_GT(found.hessian_product->cwiseAbs().maxCoeff(), 0.01);
  }
  EXPECT_FALSE(feature_statistics(model(), sentences, {.templates = kTags}).hessian_product.has_value());
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
  EXPECT_EQ(message({.templates = kTags, .direction = {{"any", NAN}}}),
            "[feature_statistics] direction: 'any' is not finite");
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

}  // namespace
}  // namespace kirchhoff
