// Relations that are learnt and chosen together with the tree: that models learn them, go on and are what their files
// say.
#include "parser/toy_treebank.hpp"
#include "parser/training/joint_models.hpp"
#include "support/message_of.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace kirchhoff::parser {
namespace {

TEST(JointLabels, AreLearnt) {
  const std::vector<Sentence> train = ToyTreebank(1).sentences(80), test = ToyTreebank(3).sentences(40);
  for (const Loss loss : {kCrfLoss, kSoftmaxMarginLoss, kSvmLoss, kPerceptronLoss, kRiskLoss}) {
    TrainOptions options = joint_options(loss);
    options.epochs = 6;
    const TrainResult result = train_parser(train, ToyTreebank(2).sentences(20), options);
    EXPECT_LT(result.epochs.back().loss, result.epochs.front().loss);
    EXPECT_GT(attachment(*result.model, test, true), 85.0) << "beta " << loss.beta << " gamma " << loss.gamma;
  }
}

TEST(JointLabels, AreLearntWithParts) {
  const std::vector<Sentence> train = ToyTreebank(1).sentences(60), test = ToyTreebank(3).sentences(30);
  for (const char* parts : {"next", "all", "siblings=next,bigrams", "all,nonprojective"}) {
    for (const Loss loss : {kCrfLoss, kSvmLoss, kRiskLoss}) {
      TrainOptions options = joint_options(loss);
      options.parts = parse_parts(parts);
      if (options.parts.non_projective && !std::isinf(loss.beta)) continue;
      options.epochs = 5;
      const TrainResult result = train_parser(train, ToyTreebank(2).sentences(10), options);
      EXPECT_LT(result.epochs.back().loss, result.epochs.front().loss);
      EXPECT_GT(attachment(*result.model, test, true), 85.0) << parts << " beta " << loss.beta;
      EXPECT_EQ(result.model->parts(), options.parts);
    }
  }
}

TEST(JointLabels, AreLearntByAggressiveStepsAndBesideText) {
  const std::vector<Sentence> train = ToyTreebank(1).sentences(80), test = ToyTreebank(3).sentences(40);
  for (const Loss loss : {kCrfLoss, kSvmLoss, kPerceptronLoss}) {
    for (const bool text : {false, true}) {
      TrainOptions options = joint_options(loss);
      options.epochs = 6;
      options.step.kind = StepRule::Kind::aggressive;
      if (text) {
        options.unannotated.sentences = ToyTreebank(5).sentences(20);
        options.unannotated.entropy_weight = 0.01;
      }
      const TrainResult result = train_parser(train, ToyTreebank(2).sentences(20), options);
      EXPECT_GT(attachment(*result.model, test, true), 85.0) << "beta " << loss.beta << " text " << text;
    }
  }
}

TEST(JointLabels, AreTheSameOnAnyNumberOfThreadsAndAfterAnInterruption) {
  const std::vector<Sentence> train = ToyTreebank(1).sentences(300), dev = ToyTreebank(2).sentences(10);
  TrainOptions options = joint_options();
  options.threads = 1;
  const TrainResult whole = train_parser(train, dev, options);
  options.threads = 3;
  options.checkpoint = testing::TempDir() + "/joint.checkpoint";
  int calls = 0;
  EXPECT_TRUE(train_parser(train, dev, options, {.stop = [&] { return ++calls == 40; }}).stopped);
  options.resume = true;
  const TrainResult resumed = train_parser(train, dev, options);
  EXPECT_EQ(curve_of(whole), curve_of(resumed));
  options.labels = Labelling::given_tree;
  options.checkpoint = testing::TempDir() + "/joint.other.checkpoint";
  options.resume = false;
  EXPECT_NE(curve_of(whole), curve_of(train_parser(train, dev, options)));
}

void check_file(const PartSet& set) {
  const std::vector<Sentence> train = ToyTreebank(1).sentences(30);
  TrainOptions options = joint_options();
  options.parts = set;
  const ParserModel model = *train_parser(train, {}, options).model;
  const std::string file = testing::TempDir() + "/joint.model";
  model.save(file);
  const ParserModel again = ParserModel::open(file);
  EXPECT_EQ(again.parts(), set);
  const auto in_card = [](const auto& line) { return line.first == "labels" && line.second == "joint"; };
  EXPECT_TRUE(std::any_of(again.card().begin(), again.card().end(), in_card));
  for (const Sentence& s : ToyTreebank(3).sentences(5)) {
    EXPECT_EQ(Parser(again).parse(s).tree.labels, Parser(model).parse(s).tree.labels);
    EXPECT_EQ(Parser(again).arc_scores(s), Parser(model).arc_scores(s));
  }
  // A training can begin with it.
  options.start = again;
  options.epochs = 1;
  const double first = train_parser(train, {}, options).epochs[0].loss;
  options.start.reset();
  EXPECT_LT(first, 0.5 * train_parser(train, {}, options).epochs[0].loss);
}

TEST(JointLabels, AreInTheModelFileAndItsCard) {
  check_file(kArcs);
  check_file(kNextSiblings);
  check_file(kAllSiblings);
}

TEST(JointLabels, SayWhatTheyNeed) {
  const std::vector<Sentence> train = ToyTreebank(1).sentences(5);
  const auto refused = [&](const auto& change) {
    TrainOptions options = joint_options();
    change(options);
    return message_of<InputError>([&] { train_parser(train, {}, options); });
  };
  EXPECT_NE(refused([](TrainOptions& o) { o.label_templates = "any | g.upos\n"; }).find("'g.upos' is no atom"),
            std::string::npos);
  TrainOptions without = small_options();
  without.start = *train_parser(train, {}, joint_options()).model;
  without.unannotated.sentences = train;
  without.unannotated.entropy_weight = 1.0;
  EXPECT_EQ(message_of<InputError>([&] { train_parser({}, {}, without); }),
            "[train_parser] start: a model of joint labels needs labels = joint");
  without.start.reset();
  without.labels = Labelling::joint;
  EXPECT_EQ(message_of<InputError>([&] { train_parser({}, {}, without); }),
            "[train_parser] labels: joint ones need trees, a model to start with, or constraints that name relations, "
            "such as 'NOUN -> VERB left deprel=nsubj 0.3'");
}

}  // namespace
}  // namespace kirchhoff::parser
