// What training refuses before it begins, and what it says then.
#include "kirchhoff/train.hpp"
#include "parser/toy_treebank.hpp"
#include "parser/training/checkpoint.hpp"
#include "support/message_of.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

namespace kirchhoff {
namespace {

TrainOptions small_options() {
  TrainOptions options{.root = Root::single};
  options.epochs = 1;
  options.pruner_epochs = 1;
  return options;
}

TEST(Train, RefusesBadArguments) {
  EXPECT_THROW(train_parser({}, {}, small_options()), InputError);
  auto train = ToyTreebank(1).sentences(3);
  TrainOptions options = small_options();
  options.epochs = 0;
  EXPECT_THROW(train_parser(train, {}, options), InputError);
  auto dev = train;
  dev[1].set_head(1, -1);
  EXPECT_THROW(train_parser(train, dev, small_options()), InputError);
  dev = train;
  train[1].set_head(1, 0);  // a second word below the root
  EXPECT_THROW(train_parser(train, {}, small_options()), InputError);
  options = small_options();
  for (const double bad : {-0.1, 1.1, std::nan("")}) {
    options.pruning.threshold = bad;
    EXPECT_EQ(message_of<InputError>([&] { train_parser(dev, {}, options); }),
              "[train_parser] pruning.threshold: must be from 0 to 1");
  }
}

TEST(Train, RefusesTreebanksItCannotUse) {
  const auto read = [](const std::string& text) {
    std::istringstream in(text);
    return read_sentences(in, "text", ConllFormat::conllu);
  };
  const auto message = [](const std::vector<Sentence>& train, const std::vector<Sentence>& dev) {
    return message_of<InputError>([&] { train_parser(train, dev, small_options()); });
  };
  const auto blank = read("1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n2\t\u00A0\t_\tX\t_\t_\t1\tdep\t_\t_\n\n");
  const auto good = ToyTreebank(1).sentences(3);
  EXPECT_EQ(message(good, {good[0], blank[0]}),
            "[train_parser] dev: sentence 2: the form of word 2 has blanks only, so it cannot be scored");
  std::string many;
  for (int i = 0; i <= 65535; ++i) many += "1\ta\t_\tX\t_\t_\t0\tr" + std::to_string(i) + "\t_\t_\n\n";
  EXPECT_EQ(message(read(many), {}), "[train_parser] train: has more than 65535 relations");
}

TEST(Train, RefusesACheckpointWithOtherFeatures) {
  parser::Learner learner(3, {});
  parser::Checkpoint::Weights two{{0.5F, 1.0F}, std::vector<parser::Learner::State>(2), 7};
  EXPECT_EQ(message_of<ModelError>([&] { parser::restore(learner, two, "a.checkpoint"); }),
            "a.checkpoint: is of a training with other features");
  two.weights.push_back(2.0F);
  two.state.emplace_back();
  parser::restore(learner, two, "a.checkpoint");
  EXPECT_EQ(learner.steps(), 7);
}

}  // namespace
}  // namespace kirchhoff
