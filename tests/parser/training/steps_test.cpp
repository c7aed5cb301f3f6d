// Training with steps that are far too short or far too long.
#include "parser/toy_treebank.hpp"
#include "parser/training/small_training.hpp"
#include "support/message_of.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace kirchhoff {
namespace {

/// Steps that may be far too short learn little, and those that may be far too long are as long as the loss allows:
/// neither ends in weights that are no numbers.
TEST(Train, TakesAnyLongestStep) {
  const auto train = ToyTreebank(1).sentences(40), dev = ToyTreebank(2).sentences(5);
  for (const PartSet& parts : {kArcs, kNextSiblings}) {
    for (const Loss loss : {kCrfLoss, kSvmLoss}) {
      TrainOptions options = small_options();
      options.parts = parts;
      options.loss = loss;
      options.step.kind = StepRule::Kind::aggressive;
      const auto last = [&](double cap) {
        options.step.cap = cap;
        const TrainResult result = train_parser(train, dev, options);
        for (const EpochReport& e : result.epochs) EXPECT_TRUE(std::isfinite(e.loss)) << cap;
        for (const Sentence& s : dev)
          EXPECT_FALSE(tree_problem(Parser(*result.model).parse(s).tree.heads, Root::single));
        return result.epochs.back();
      };
      const EpochReport usual = last(options.step.cap), longest = last(1e12), shortest = last(1e-12);
      EXPECT_GE(usual.uas, 95.0);
      EXPECT_GE(longest.uas, 95.0);
      EXPECT_GT(shortest.loss, 2.0 * usual.loss);
    }
  }
}

/// Where structures tie the perceptron takes the whole step.
TEST(Train, RefusesStepsThatMakeWeightsTooLarge) {
  TrainOptions options = small_options();
  options.loss = kPerceptronLoss;
  options.step = {.kind = StepRule::Kind::aggressive, .cap = 1e12};
  for (const PartSet& parts : {kArcs, kNextSiblings}) {
    options.parts = parts;
    EXPECT_EQ(message_of<InputError>([&] { train_parser(ToyTreebank(1).sentences(20), {}, options); }),
              "[train_parser] step: weights grow beyond 1e9; take a smaller cap (a larger lambda)");
  }
  options.step = {.rate = 1e12};
  EXPECT_EQ(message_of<InputError>([&] { train_parser(ToyTreebank(1).sentences(20), {}, options); }),
            "[train_parser] step: weights grow beyond 1e9; take a smaller rate");
}

}  // namespace
}  // namespace kirchhoff
