// Objectives on sentences without trees: gradients through the whole model by finite differences, and that they do what
// they are for.
#include "parser/training/small_training.hpp"
#include "parser/training/unannotated_fixture.hpp"

#include "kirchhoff/expectation.hpp"
#include "support/message_of.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace kirchhoff::parser {
namespace {

using Side = TagConstraint::Side;

TEST(Unannotated, EntropyHasItsGradient) {
  for (const double order : {1.0, 0.5, 2.0}) check_gradient({.entropy_weight = 0.7, .entropy_order = order});
}

TEST(Unannotated, ConstraintsHaveTheirGradient) {
  Unannotated u;
  u.constraints = {{"DET", "NOUN", Side::right, 0.9},
                   {"NOUN", "VERB", Side::any, 0.2},
                   {"VERB", "ROOT", Side::left, 1.0},
                   {"*", "*", Side::any, 0.8, 1, 2},
                   {"form=big", "feats=Number=Sing", Side::right, 0.9}};
  u.feature_constraints = {{"h.upos=VERB d.upos=NOUN dir=leftward", 0.2}, {"dist=rightward:1", 0.9}};
  for (const Penalty penalty : {Penalty::squared, Penalty::kl, Penalty::hinge}) {
    u.penalty = penalty;
    check_gradient(u);
  }
}

TEST(Unannotated, BatchesHaveTheGradientOfTheCorpusOnceSharesAreKnown) {
  Unannotated u;
  u.constraints = {{"DET", "NOUN", Side::right, 0.9}, {"ADV", "VERB", Side::any, 0.2}};
  UnannotatedFixture f(u);
  const auto of_corpus = f.trainer->objective(f.everything());
  const std::vector<double> expected = f.gradient(of_corpus);
  std::vector<double> sums = of_corpus.sums;
  for (double& sum : sums) sum *= 1e9;  // No batch changes these.
  f.trainer->restore(sums, "test");
  std::vector<double> mean(expected.size(), 0.0);
  const std::vector<std::size_t> all = f.everything();
  for (std::size_t i = 0; i < all.size(); i += 3) {
    const auto of_batch = f.gradient(f.trainer->objective(std::span(all).subspan(i, 3)));
    for (std::size_t k = 0; k < mean.size(); ++k) mean[k] += of_batch[k] * 3 / static_cast<double>(all.size());
  }
  double largest = 0.0;
  for (std::size_t k = 0; k < mean.size(); ++k) {
    // Gradients of arcs below kNegligible are left out.
    EXPECT_NEAR(mean[k], expected[k], 1e-3 * std::abs(expected[k]) + 20 * kNegligible) << k;
    largest = std::max(largest, std::abs(expected[k]));
  }
  EXPECT_GT(largest, 0.1);
  EXPECT_THROW(f.trainer->restore({1.0}, "test"), ModelError);
}

TEST(Unannotated, ConstraintsTeachWithoutTrees) {
  TrainOptions options{.root = Root::single};
  options.batch = 2;
  options.epochs = 60;
  options.min_count = 1;
  const auto few = ToyTreebank(1).sentences(2);
  const auto share = [](const ParserModel& model) {
    Parser parser(model);
    double right = 0.0, all = 0.0;
    for (const Sentence& s : ToyTreebank(9).sentences(30)) {
      const TreeDistribution p(parser.arc_scores(s), Root::single);
      const auto marginals = p.marginals();
      for (int d = 1; d <= s.size(); ++d) {
        if (s.upos(d) != "DET") continue;
        all += 1.0;
        for (int h = d + 1; h <= s.size(); ++h) right += s.upos(h) == "NOUN" ? marginals(h, d) : 0.0;
      }
    }
    return right / all;
  };
  const double before = share(train_parser(few, {}, options).model.value());
  options.unannotated.sentences = ToyTreebank(8).sentences(60);
  options.unannotated.constraints = {{"DET", "NOUN", Side::right, 0.5}};
  options.unannotated.constraint_weight = 1000.0;
  const double after = share(train_parser(few, {}, options).model.value());
  EXPECT_GT(std::abs(before - 0.5), 0.2);  // trees say it is 1
  EXPECT_LT(std::abs(after - 0.5), 0.15);
}

TEST(Unannotated, FeaturesOfTheTextGetWeights) {
  TrainOptions options{.root = Root::single};
  options.epochs = 1;
  options.unannotated.sentences = ToyTreebank(8).sentences(20);
  options.unannotated.entropy_weight = 0.1;
  const auto few = ToyTreebank(1).sentences(2);
  const auto features = [&](int min_count) {
    options.unannotated.min_count = min_count;
    std::size_t found = 0;
    train_parser(few, {}, options, {.note = [&](const std::string& text) {
                   if (text.starts_with("features: ")) found = std::stoul(text.substr(10));
                 }});
    return found;
  };
  const std::size_t of_trees = features(0), of_text = features(2), of_more = features(1);
  EXPECT_GT(of_text, 2 * of_trees);
  EXPECT_GT(of_more, of_text);
  EXPECT_EQ(features(1000000), of_trees);
}

TEST(Unannotated, RatioAndFirstEpochSayHowMuchIsLearnt) {
  const auto train = ToyTreebank(1).sentences(16);
  const auto model_of = [&](double ratio, int first_epoch) {
    TrainOptions options{.root = Root::single};
    options.epochs = 2;
    options.unannotated.sentences = ToyTreebank(8).sentences(20);
    options.unannotated.entropy_weight = 0.1;
    options.unannotated.ratio = ratio;
    options.unannotated.first_epoch = first_epoch;
    return train_parser(train, {}, options).model.value();
  };
  const auto scores = [](const ParserModel& model) { return Parser(model).arc_scores(ToyTreebank(9).sentences(1)[0]); };
  TrainOptions options{.root = Root::single};
  options.epochs = 2;
  const Matrix alone = scores(train_parser(train, {}, options).model.value());
  EXPECT_EQ(scores(model_of(1.0, 3)), alone);
  EXPECT_EQ(scores(model_of(0.01, 1)), alone);  // less than one of these sentences for all trees
  EXPECT_NE(scores(model_of(1.0, 2)), alone);
  EXPECT_NE(scores(model_of(1.0, 2)), scores(model_of(1.0, 1)));
  EXPECT_NE(scores(model_of(4.0, 1)), scores(model_of(1.0, 1)));
}

TEST(Unannotated, BadOptionsAreRefused) {
  TrainOptions options{.root = Root::single};
  const auto train = ToyTreebank(1).sentences(3);
  const auto refused = [&](const std::string& part, auto&& change) {
    TrainOptions bad = options;
    bad.unannotated.sentences = train;
    bad.unannotated.constraints = {{"DET", "NOUN", Side::right, 0.9}};
    change(bad.unannotated);
    const std::string said = message_of<InputError>([&] { train_parser(train, {}, bad); });
    EXPECT_NE(said.find(part), std::string::npos) << said;
  };
  refused("weights", [](Unannotated& u) { u.entropy_weight = -1.0; });
  refused("entropy_order", [](Unannotated& u) { u.entropy_order = -1.0; });
  refused("confidence", [](Unannotated& u) { u.confidence = 1.5; });
  refused("ratio", [](Unannotated& u) { u.ratio = 0.0; });
  refused("first_epoch", [](Unannotated& u) { u.first_epoch = 0; });
  refused("share", [](Unannotated& u) { u.constraints[0].share = 2.0; });
  refused("nearest", [](Unannotated& u) { u.constraints[0].nearest = 0; });
  refused("shape=x", [](Unannotated& u) { u.constraints[0].head = "shape=x"; });
}

/// Stopped wherever it can be, among trees and in the text that follows them, a training comes to the same model.
TEST(Unannotated, TextIsInterruptible) {
  const auto train = ToyTreebank(1).sentences(20), dev = ToyTreebank(2).sentences(5);
  for (const double ratio : {0.3, 100.0}) {
    TrainOptions options = small_options();
    options.epochs = 1;
    options.unannotated.sentences = ToyTreebank(8).sentences(50);
    options.unannotated.constraints = {{"DET", "NOUN", Side::right, 0.9}};
    options.unannotated.ratio = ratio;
    const TrainResult whole = train_parser(train, dev, options);
    options.checkpoint = testing::TempDir() + "/text.checkpoint";
    int runs = 0;
    std::optional<TrainResult> last;
    do {
      int calls = 0;
      options.resume = runs > 0;
      // The first calls come while the pruner is learnt, which begins anew until it is there.
      const int patience = runs == 0 ? 6 : 2;
      last = train_parser(train, dev, options, {.stop = [&] { return ++calls >= patience; }});
      ASSERT_LT(++runs, 100);
    } while (last->stopped);
    EXPECT_GT(runs, ratio > 1.0 ? 6 : 1);
    EXPECT_EQ(curve_of(*last), curve_of(whole));
  }
}

}  // namespace
}  // namespace kirchhoff::parser
