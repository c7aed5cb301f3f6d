// Objectives on sentences without trees under models of parts: gradients by finite differences of what belief
// propagation computes, and the objectives of trees where parts have no scores.
#include "parser/training/small_training.hpp"
#include "parser/training/unannotated_fixture.hpp"

#include <gtest/gtest.h>

namespace kirchhoff::parser {
namespace {

using Side = TagConstraint::Side;

const std::vector<PartSet> kSets = {kNextSiblings, kAllSiblings};

Unannotated with_constraints() {
  Unannotated u;
  u.constraints = {
      {"DET", "NOUN", Side::right, 0.9}, {"NOUN", "VERB", Side::any, 0.2}, {"*", "*", Side::any, 0.8, 1, 2}};
  return u;
}

ParserModel teacher_of(const PartSet& parts) {
  TrainOptions options{.root = Root::single};
  options.epochs = 1;
  options.parts = parts;
  return *train_parser(ToyTreebank(4).sentences(20), {}, options).model;
}

TEST(PartText, EntropyHasItsGradient) {
  for (const PartSet& set : kSets) {
    for (const double order : {1.0, 0.5, 2.0}) check_gradient({.entropy_weight = 0.7, .entropy_order = order}, set);
  }
}

TEST(PartText, ConstraintsHaveTheirGradient) {
  for (const PartSet& set : kSets) check_gradient(with_constraints(), set);
}

TEST(PartText, TeachersHaveTheirGradients) {
  for (const PartSet& parts : {kArcs, kNextSiblings}) {
    Unannotated u;
    u.teacher = teacher_of(parts);
    for (const Divergence divergence : {Divergence::forward, Divergence::reverse, Divergence::symmetric}) {
      u.divergence = divergence;
      check_gradient(u, kNextSiblings);
    }
    u.confidence = 0.7;
    check_gradient(u, kNextSiblings);
  }
}

/// Everything at once: directions add up.
TEST(PartText, SumsHaveTheirGradient) {
  Unannotated u = with_constraints();
  u.teacher = teacher_of(kArcs);
  u.divergence = Divergence::symmetric;
  u.entropy_weight = 0.3;
  check_gradient(u, kNextSiblings);
}

TEST(PartText, WithoutScoresOfPartsItIsThatOfTrees) {
  std::vector<Unannotated> all(7);
  all[0].entropy_weight = all[1].entropy_weight = all[2].entropy_weight = 0.7;
  all[1].entropy_order = 2.0;
  all[2].entropy_order = 0.0;
  all[3] = with_constraints();
  for (std::size_t i = 4; i < 7; ++i) all[i].teacher = teacher_of(kArcs);
  all[5].divergence = Divergence::reverse;
  all[6].confidence = 0.7;
  for (const Unannotated& u : all) {
    const UnannotatedFixture of_trees(u);
    const auto expected = of_trees.trainer->objective(of_trees.everything());
    EXPECT_GT(std::abs(expected.value), 1e-3);
    const std::vector<double> gradient = of_trees.gradient(expected);
    for (const PartSet& set : kSets) {
      UnannotatedFixture f(u, 4, set);
      ASSERT_GT(f.weights.size(), of_trees.weights.size());
      std::fill(f.weights.begin(), f.weights.end(), 0.0F);
      std::copy(of_trees.weights.begin(), of_trees.weights.end(), f.weights.begin());
      f.set_weights();
      const auto found = f.trainer->objective(f.everything());
      EXPECT_NEAR(found.value, expected.value, 1e-6 * std::max(1.0, std::abs(expected.value)));
      const std::vector<double> own = f.gradient(found);
      double largest = 0.0;
      for (std::size_t k = 0; k < gradient.size(); ++k) {
        // Both leave out gradients of arcs below kNegligible.
        EXPECT_NEAR(own[k], gradient[k], 1e-4 * std::abs(gradient[k]) + 20 * kNegligible) << k;
        largest = std::max(largest, std::abs(gradient[k]));
      }
      EXPECT_GT(largest, &u == &all[2] ? -1.0 : 0.01);  // The number of trees has no gradient.
    }
  }
}

/// A teacher of the same parts and the same weights has nothing to teach, to which arcs alone would not do.
TEST(PartText, ATeacherOfTheSamePartsIsUnderstood) {
  for (const Labelling labels : {Labelling::given_tree, Labelling::joint}) {
    TrainOptions options = small_options();
    options.parts = kNextSiblings;
    options.labels = labels;
    const std::vector<Sentence> train = ToyTreebank(1).sentences(12);
    options.start = train_parser(train, {}, options).model;
    options.unannotated.sentences = ToyTreebank(8).sentences(10);
    options.unannotated.min_count = 1;
    options.unannotated.teacher = options.start;
    options.step.rate = 1e-9;
    options.epochs = 1;
    // Labels have a rate of their own, so that they have moved a little by the last batch.
    const double nothing = labels == Labelling::joint ? 1e-3 : 1e-5;
    EXPECT_NEAR(train_parser({}, {}, options).epochs[0].loss, 0.0, nothing);
    options.unannotated.teacher = teacher_of(kNextSiblings);
    EXPECT_GT(train_parser({}, {}, options).epochs[0].loss, 0.05);
  }
}

TEST(PartText, ModelsOfPartsLearnWithoutTrees) {
  TrainOptions options = small_options();
  options.parts = kNextSiblings;
  options.epochs = 4;
  options.pruning.max_heads = 5;
  options.unannotated.sentences = ToyTreebank(8).sentences(60);
  options.unannotated.constraints = {{"DET", "NOUN", Side::right, 0.95}, {"ADJ", "NOUN", Side::right, 0.9},
                                     {"VERB", "ROOT", Side::any, 0.9},   {"NOUN", "VERB", Side::any, 0.6},
                                     {"ADV", "VERB", Side::any, 0.8},    {"*", "*", Side::any, 0.6, 1, 1}};
  options.unannotated.entropy_weight = 0.1;
  options.unannotated.min_count = 5;
  const std::vector<Sentence> test = ToyTreebank(3).sentences(30);
  std::string notes;
  const ParserModel model =
      *train_parser({}, {}, options, {.note = [&](const std::string& text) { notes += text + "\n"; }}).model;
  EXPECT_NE(notes.find("pruner: learnt from sentences without trees"), std::string::npos) << notes;
  EXPECT_EQ(model.parts(), kNextSiblings);
  const double score = attachment(model, test, false);
  EXPECT_GT(score, 60.0);
  // A training may begin with it, and takes its pruner.
  options.start = model;
  options.epochs = 1;
  notes.clear();
  train_parser({}, {}, options, {.note = [&](const std::string& text) { notes += text + "\n"; }});
  EXPECT_NE(notes.find("pruner: that of the model that training begins with"), std::string::npos) << notes;
}

TEST(PartText, TrainingsGoOnAfterAnInterruption) {
  const std::vector<Sentence> train = ToyTreebank(1).sentences(20), dev = ToyTreebank(2).sentences(5);
  TrainOptions options = small_options();
  options.parts = kNextSiblings;
  options.features = FeatureSet::complete;
  options.epochs = 2;
  options.unannotated = with_constraints();
  options.unannotated.sentences = ToyTreebank(8).sentences(30);
  options.unannotated.ratio = 3.3;
  options.threads = 1;
  const TrainResult whole = train_parser(train, dev, options);
  options.threads = 2;
  options.checkpoint = testing::TempDir() + "/parts_and_text.checkpoint";
  int calls = 0;
  EXPECT_TRUE(train_parser(train, dev, options, {.stop = [&] { return ++calls == 14; }}).stopped);
  options.resume = true;
  EXPECT_EQ(curve_of(train_parser(train, dev, options)), curve_of(whole));
}

}  // namespace
}  // namespace kirchhoff::parser
