// Training with parts of several arcs learns with every loss that can use them, and refuses the others.
#include "parser/toy_treebank.hpp"
#include "parser/training/small_training.hpp"
#include "support/message_of.hpp"

#include <gmock/gmock.h>

namespace kirchhoff {
namespace {

TEST(Train, LearnsAToyLanguageWithSecondOrderParts) {
  const auto train = ToyTreebank(1).sentences(50), dev = ToyTreebank(2).sentences(10),
             test = ToyTreebank(3).sentences(30);
  for (const char* parts : {"next", "all", "grandparents", "siblings=next,bigrams", "all,nonprojective"}) {
    for (const Loss loss : {kCrfLoss, kSvmLoss}) {
      TrainOptions options = small_options();
      options.parts = parse_parts(parts);
      options.loss = loss;
      if (options.parts.non_projective && loss.beta == 1.0) continue;
      const TrainResult result = train_parser(train, dev, options);
      EXPECT_LT(result.epochs[2].loss, result.epochs[0].loss);
      EXPECT_GE(attachment(result.model.value(), test, false), 95.0) << parts << ", " << loss.beta;
      EXPECT_EQ(result.model->parts(), options.parts);
    }
  }
}

/// A pruner that keeps one head of each word throws gold trees away. Training puts their arcs back, so that there is
/// a loss to learn from; parsing does not, and what it then finds is a tree all the same.
TEST(Train, LearnsFromGoldTreesThatArePrunedAway) {
  const auto train = ToyTreebank(1).sentences(60), dev = ToyTreebank(2).sentences(20);
  for (const char* parts : {"arcs", "next", "all"}) {
    for (const Loss loss : {kSoftmaxMarginLoss, kSvmLoss}) {
      TrainOptions options = small_options();
      options.parts = parse_parts(parts);
      options.loss = loss;
      options.pruning.max_heads = 1;
      options.pruning.threshold = 1.0;
      std::string pruner;
      const TrainResult result = train_parser(train, dev, options, {.note = [&](const std::string& text) {
                                                if (text.starts_with("pruner")) pruner = text;
                                              }});
      EXPECT_EQ(pruner.find("recall on train 100"), std::string::npos) << pruner;
      EXPECT_TRUE(std::isfinite(result.epochs[0].loss));
      EXPECT_GT(result.epochs[0].loss, 0.0) << pruner;
      EXPECT_LT(result.epochs[2].loss, result.epochs[0].loss) << parts;
      for (const Sentence& s : dev) {
        EXPECT_FALSE(tree_problem(Parser(*result.model).parse(s).tree.heads, Root::single)) << parts;
      }
    }
  }
}

TEST(Train, LearnsAToyLanguageFromRelaxedTrees) {
  const auto train = ToyTreebank(1).sentences(50), dev = ToyTreebank(2).sentences(10),
             test = ToyTreebank(3).sentences(30);
  TrainOptions options = small_options();
  for (const char* parts : {"all,nonprojective", "next"}) {
    options.parts = parse_parts(parts);
    options.loss = kSvmLoss;
    options.relaxed = true;
    const TrainResult result = train_parser(train, dev, options);
    EXPECT_LT(result.epochs[2].loss, result.epochs[0].loss);
    EXPECT_GE(attachment(result.model.value(), test, false), 95.0) << parts;
  }
}

TEST(Train, RefusesPartsThatALossCannotUse) {
  const auto train = ToyTreebank(1).sentences(5);
  const auto problem = [&](const char* parts, Loss loss, bool relaxed) {
    TrainOptions options = small_options();
    options.parts = parse_parts(parts);
    options.loss = loss;
    options.relaxed = relaxed;
    return message_of<InputError>([&] { train_parser(train, {}, options); });
  };
  EXPECT_THAT(problem("all,nonprojective", kCrfLoss, false), testing::HasSubstr("non-projective arcs need"));
  EXPECT_THAT(problem("all", kRiskLoss, true), testing::HasSubstr("relaxed: needs"));
  EXPECT_THAT(problem("arcs", kSvmLoss, true), testing::HasSubstr("relaxed: needs"));
  EXPECT_THAT(problem("all", kCrfLoss, true), testing::HasSubstr("relaxed: needs"));
}

TEST(Train, LearnsTheExpectedCostOfParts) {
  const std::vector<Sentence> train = ToyTreebank(1).sentences(30), test = ToyTreebank(3).sentences(30);
  for (const PartSet& parts : {kNextSiblings, kAllSiblings}) {
    TrainOptions options = small_options();
    options.parts = parts;
    options.loss = kRiskLoss;
    const TrainResult result = train_parser(train, {}, options);
    EXPECT_LT(result.epochs.back().loss, 0.5 * result.epochs.front().loss);
    EXPECT_GT(attachment(*result.model, test, false), 80.0) << to_string(parts);
  }
}

}  // namespace
}  // namespace kirchhoff
