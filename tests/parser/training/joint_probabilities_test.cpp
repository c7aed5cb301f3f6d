// What models of joint relations say of labelled trees, against a LabelledTreeDistribution of all scores.
#include "kirchhoff/decode.hpp"
#include "kirchhoff/projective.hpp"
#include "parser/toy_treebank.hpp"
#include "parser/training/joint_models.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace kirchhoff::parser {
namespace {

TEST(JointLabels, HaveTheProbabilitiesOfTheLabelledDistribution) {
  const ParserModel model = *train_parser(ToyTreebank(1).sentences(40), {}, joint_options(kCrfLoss)).model;
  Parser parser(model);
  for (const Sentence& s : ToyTreebank(7).sentences(10)) {
    const LabelledTreeDistribution p(all_scores(model, s), Root::single);
    const Parsed parsed = parser.parse(s, {.probabilities = true});
    EXPECT_EQ(parsed.tree.heads, best_tree(p.tree()).heads);
    EXPECT_NEAR(parsed.log_prob, p.tree().log_prob(parsed.tree.heads), 1e-4);
    for (int d = 1; d <= s.size(); ++d) {
      const auto w = static_cast<std::size_t>(d);
      const int h = parsed.tree.heads[w];
      double most = 0.0;
      for (int l = 0; l < p.labels(); ++l) most = std::max(most, p.marginals()(h, d, l));
      const double own = p.marginals()(h, d, parsed.tree.labels[w]);
      EXPECT_EQ(own, most);
      EXPECT_NEAR(parsed.arc_probabilities[w] * parsed.label_probabilities[w], own, 1e-5);
    }
  }
}

TEST(JointLabels, OfAnSvmAreThoseOfTheBestLabelledTree) {
  const ParserModel model = *train_parser(ToyTreebank(1).sentences(20), {}, joint_options(kSvmLoss)).model;
  for (const bool projective : {false, true}) {
    for (const Sentence& s : ToyTreebank(7).sentences(20)) {
      const LabelledMatrix scores = all_scores(model, s);
      const Tree best = projective ? best_projective_tree(scores, Root::single) : best_tree(scores, Root::single);
      const Parsed parsed = Parser(model).parse(s, {.projective = projective});
      EXPECT_NEAR(parsed.tree.score, best.score, 1e-4);
      EXPECT_EQ(parsed.tree.heads, best.heads);
      EXPECT_EQ(std::vector(parsed.tree.labels.begin() + 1, parsed.tree.labels.end()),
                std::vector(best.labels.begin() + 1, best.labels.end()));
    }
  }
}

/// Without dev the temperatures are 1. With it the one of relations is where gold relations of gold arcs are most
/// likely.
TEST(JointLabels, OfAnSvmAreCalibratedOnDev) {
  const std::vector<Sentence> train = ToyTreebank(1).sentences(20), dev = ToyTreebank(2).sentences(60);
  TrainOptions options = joint_options(kSvmLoss);
  EXPECT_EQ(ModelAccess::model_of(*train_parser(train, {}, options).model)->settings.label_temperature, 1.0);
  const ParserModel model = *train_parser(train, dev, options).model;
  const std::string file = testing::TempDir() + "/calibrated.model";
  model.save(file);
  const double temperature = ModelAccess::model_of(ParserModel::open(file))->settings.label_temperature;
  EXPECT_NE(temperature, 1.0);
  const auto loss = [&](double t) {
    double sum = 0.0;
    for (const Sentence& s : dev) {
      const LabelledMatrix scores = all_scores(model, s, false);
      for (int d = 1; d <= s.size(); ++d) {
        double z = 0.0, gold = -HUGE_VAL;
        for (std::size_t l = 0; l < model.labels().size(); ++l) {
          const double own = scores(s.head(d), d, static_cast<int>(l));
          if (model.labels()[l] == s.deprel(d)) gold = own;
        }
        if (std::isinf(gold)) continue;
        for (std::size_t l = 0; l < model.labels().size(); ++l) {
          z += std::exp((scores(s.head(d), d, static_cast<int>(l)) - gold) / t);
        }
        sum += std::log(z);
      }
    }
    return sum;
  };
  const double least = loss(temperature);
  EXPECT_GT(least, 0.0);
  for (const double factor : {0.8, 0.95, 1.05, 1.25}) EXPECT_GT(loss(factor * temperature), least) << factor;
}

TEST(JointLabels, OfSamplesAreAsProbableAsTheySay) {
  const ParserModel model = *train_parser(ToyTreebank(1).sentences(15), {}, joint_options(kCrfLoss)).model;
  constexpr int kDraws = 4000;
  const Sentence s = ToyTreebank(7).sentences(1)[0];
  const LabelledTreeDistribution p(all_scores(model, s), Root::single);
  const Parsed parsed = Parser(model).parse(s, {.samples = kDraws, .seed = 5});
  ASSERT_EQ(parsed.trees.size(), static_cast<std::size_t>(kDraws));
  double squares = 0.0;
  int cells = 0;
  for (int d = 1; d <= s.size(); ++d) {
    for (int h = 0; h <= s.size(); ++h) {
      for (int l = 0; h != d && l < p.labels(); ++l) {
        const double expected = kDraws * p.marginals()(h, d, l);
        if (expected < 10.0 || expected > kDraws - 10.0) continue;
        const auto w = static_cast<std::size_t>(d);
        const auto found = std::count_if(parsed.trees.begin(), parsed.trees.end(),
                                         [&](const Tree& tree) { return tree.heads[w] == h && tree.labels[w] == l; });
        squares += std::pow(static_cast<double>(found) - expected, 2) / (expected * (1.0 - expected / kDraws));
        ++cells;
      }
    }
  }
  // Each term has mean 1, and a few are not independent: twice the mean is beyond 1e-3 for ten of them.
  EXPECT_GE(cells, 3);
  EXPECT_LT(squares, 3.0 * cells);
}

}  // namespace
}  // namespace kirchhoff::parser
