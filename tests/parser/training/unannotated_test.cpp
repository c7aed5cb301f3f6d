// Objectives on sentences without trees: gradients through the whole model by finite differences, and that they do what
// they are for.
#include "parser/training/unannotated.hpp"

#include "kirchhoff/expectation.hpp"
#include "parser/toy_treebank.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <sstream>

namespace kirchhoff::parser {
namespace {

using Side = TagConstraint::Side;

/// A model in the making, with random weights.
struct Fixture {
  explicit Fixture(const Unannotated& unannotated_in, int max_heads = 4)
      : sentences(ToyTreebank(1).sentences(12)),
        inventory(make_inventory(sentences)),
        templates("hd", kArcTemplates),
        tables(inventory),
        unannotated(unannotated_in) {
    for (const Sentence& s : sentences) encoded.push_back(encode(s, inventory));
    const std::vector<float> zero(tables.size(), 0.0F);
    for (const Encoded& s : encoded) {
      candidates.push_back(
          with_tree(prune(table_scores(tables, zero, s), Root::single, {.max_heads = max_heads}), s.heads));
    }
    arcs = std::make_unique<ArcTrainer>(encoded, templates, options, crew);
    arcs->take(candidates);
    unannotated.sentences = sentences;
    trainer = std::make_unique<UnannotatedTrainer>(unannotated, encoded, candidates, *arcs, options, crew);
    std::mt19937 random(3);
    std::normal_distribution<float> draw(0.0F, 0.1F);
    weights.assign(arcs->learner().weights().begin(), arcs->learner().weights().end());
    for (float& w : weights) w = draw(random);
    set_weights();
  }
  void set_weights() { arcs->learner().restore(weights, std::vector<Learner::State>(weights.size()), 0); }

  TrainOptions options{.root = Root::single};
  base::Crew crew{1};
  std::vector<Sentence> sentences;
  Inventory inventory;
  Templates templates;
  ArcTables tables;
  Unannotated unannotated;
  std::vector<Encoded> encoded;
  std::vector<Candidates> candidates;
  std::unique_ptr<ArcTrainer> arcs;
  std::unique_ptr<UnannotatedTrainer> trainer;
  std::vector<float> weights;
};

void check_gradient(const Unannotated& unannotated) {
  Fixture f(unannotated);
  std::vector<std::size_t> batch(6);
  std::iota(batch.begin(), batch.end(), 2);
  std::vector<double> gradient(f.weights.size(), 0.0);
  const UnannotatedTrainer::Objective objective = f.trainer->objective(batch);
  for (const auto& [feature, amount] : objective.updates.items()) gradient[feature] += amount;
  int checked = 0;
  constexpr float kStep = 1.0F / 64;
  for (std::size_t feature = 0; feature < gradient.size() && checked < 40; feature += 37) {
    const float before = f.weights[feature];
    const auto value_at = [&](float w) {
      f.weights[feature] = w;
      f.set_weights();
      return f.trainer->objective(batch).value;
    };
    // Fourth order, as steps must be large: weights are floats.
    const double near = value_at(before + kStep) - value_at(before - kStep);
    const double far = value_at(before + 2 * kStep) - value_at(before - 2 * kStep);
    value_at(before);
    const double slope = (8.0 * near - far) / (12.0 * kStep);
    EXPECT_NEAR(gradient[feature], slope, 2e-4 * std::max(1.0, std::abs(slope))) << feature;
    checked += std::abs(slope) > 1e-3 ? 1 : 0;
  }
  EXPECT_GE(checked, 10);
}

TEST(Unannotated, EntropyHasItsGradient) { check_gradient({.entropy_weight = 0.7}); }

TEST(Unannotated, ConstraintsHaveTheirGradient) {
  Unannotated u;
  u.constraints = {
      {"DET", "NOUN", Side::right, 0.9}, {"NOUN", "VERB", Side::any, 0.2}, {"VERB", "ROOT", Side::left, 1.0}};
  check_gradient(u);
}

TEST(Unannotated, TheTeacherHasItsGradient) {
  TrainOptions options{.root = Root::single};
  options.epochs = 1;
  Unannotated u;
  u.teacher = train_parser(ToyTreebank(4).sentences(20), {}, options).model;
  u.teacher_weight = 0.5;
  check_gradient(u);
}

TEST(Unannotated, ATeacherWithoutATreeAmongTheCandidatesSaysNothing) {
  std::vector<Sentence> chains = ToyTreebank(1).sentences(12);
  for (Sentence& s : chains) {
    for (int d = 1; d <= s.size(); ++d) s.set_head(d, d == s.size() ? 0 : d + 1);
  }
  TrainOptions options{.root = Root::single};
  options.epochs = 1;
  options.pruning.max_heads = 1;
  Unannotated u;
  u.teacher = train_parser(chains, {}, options).model;
  u.teacher_weight = 0.5;
  const auto value_of = [&](int max_heads) {
    const Fixture f(u, max_heads);
    std::vector<std::size_t> batch(f.sentences.size());
    std::iota(batch.begin(), batch.end(), 0);
    return f.trainer->objective(batch).value;
  };
  EXPECT_EQ(value_of(1), 0.0);
  EXPECT_GT(value_of(100), 0.0);  // with all heads as candidates the teacher's trees are among them
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

TEST(Unannotated, ConstraintFilesAreRead) {
  std::istringstream good("# shares\nDET -> NOUN right 0.9\n\nVERB -> ROOT any 1 # main\n");
  const auto read = read_tag_constraints(good, "c");
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[0].dependent, "DET");
  EXPECT_EQ(read[0].side, Side::right);
  EXPECT_EQ(read[1].head, "ROOT");
  EXPECT_EQ(read[1].share, 1.0);
  for (const char* bad :
       {"DET NOUN right 0.9", "DET -> NOUN up 0.9", "DET -> NOUN left 1.5", "DET -> NOUN left x", "DET"}) {
    std::istringstream in(std::string("\n") + bad);
    try {
      read_tag_constraints(in, "c");
      ADD_FAILURE() << bad;
    } catch (const ParseError& error) {
      EXPECT_EQ(error.line(), 2u) << bad;
    }
  }
}

TEST(Unannotated, ATrainingGoesOnWithItsOwnTeacherOnly) {
  TrainOptions options{.root = Root::single};
  options.epochs = 1;
  const auto train = ToyTreebank(1).sentences(10);
  std::vector<ParserModel> teachers;
  for (options.seed = 0; options.seed < 2; ++options.seed) {
    teachers.push_back(train_parser(train, {}, options).model.value());
  }
  options.unannotated.sentences = ToyTreebank(8).sentences(4);
  options.checkpoint = testing::TempDir() + "/taught.checkpoint";
  options.unannotated.teacher = teachers[0];
  EXPECT_TRUE(train_parser(train, {}, options, {.stop = [] { return true; }}).stopped);
  options.resume = true;
  options.unannotated.teacher = teachers[1];
  EXPECT_THROW(train_parser(train, {}, options), ModelError);
  options.unannotated.teacher.reset();
  EXPECT_THROW(train_parser(train, {}, options), ModelError);
  options.unannotated.teacher = teachers[0];
  EXPECT_TRUE(train_parser(train, {}, options).model.has_value());
}

TEST(Unannotated, IsForOrderOne) {
  TrainOptions options{.root = Root::single};
  options.parts = kNextSiblings;
  options.unannotated.sentences = ToyTreebank(8).sentences(2);
  EXPECT_THROW(train_parser(ToyTreebank(1).sentences(3), {}, options), InputError);
  options.unannotated = {};
  options.loss = kRiskLoss;
  EXPECT_THROW(train_parser(ToyTreebank(1).sentences(3), {}, options), InputError);
}

}  // namespace
}  // namespace kirchhoff::parser
