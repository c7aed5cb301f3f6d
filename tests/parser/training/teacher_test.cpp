// What is learnt from a teacher: gradients by finite differences, divergences by listing trees, and what a teacher that
// is sure of all arcs, of none, or has no tree says.
#include "parser/statistics/listed_trees.hpp"
#include "parser/training/unannotated_fixture.hpp"

#include <gtest/gtest.h>

namespace kirchhoff::parser {
namespace {

Unannotated taught() {
  TrainOptions options{.root = Root::single};
  options.epochs = 1;
  Unannotated u;
  u.teacher = train_parser(ToyTreebank(4).sentences(20), {}, options).model;
  return u;
}

TEST(Teacher, TheTeacherHasItsGradient) {
  Unannotated u = taught();
  u.teacher_weight = 0.5;
  check_gradient(u);
  for (const double confidence : {0.0, 0.7, 0.9}) {
    u.confidence = confidence;
    check_gradient(u);
  }
}

TEST(Teacher, DivergencesHaveTheirGradients) {
  Unannotated u = taught();
  for (const Divergence divergence : {Divergence::reverse, Divergence::symmetric}) {
    u.divergence = divergence;
    check_gradient(u);
  }
}

TEST(Teacher, DivergencesAreSumsOverListedTrees) {
  Unannotated u = taught();
  const auto objective = [&](Divergence divergence) {
    u.divergence = divergence;
    const UnannotatedFixture f(u, 2);
    return f.trainer->objective(f.everything()).value;
  };
  const UnannotatedFixture f(u, 2);
  const std::vector<FeatureLists> lists = f.arcs->lists(f.encoded, f.candidates);
  Parser teacher(*u.teacher);
  double forward = 0.0, reverse = 0.0;
  for (std::size_t i = 0; i < f.sentences.size(); ++i) {
    const Matrix of_student = matrix_of(f.candidates[i], f.arcs->scores(lists[i]), -HUGE_VAL);
    const Matrix of_teacher = teacher.arc_scores(f.sentences[i]);
    // Of each tree that both have, the log-weights under both; and the student's own Z is over all that it has.
    std::vector<std::pair<double, double>> both;
    double all = 0.0, common = 0.0, taught = 0.0;
    for (const ListedTree& tree : list_trees(of_student, Root::single)) {
      double score = 0.0;
      for (std::size_t d = 1; d < tree.heads.size(); ++d) {
        score += of_teacher(tree.heads[d], static_cast<Eigen::Index>(d));
      }
      all += std::exp(tree.score);
      if (!std::isfinite(score)) continue;
      both.emplace_back(tree.score, score);
      common += std::exp(tree.score);
      taught += std::exp(score);
    }
    for (const auto& [student, score] : both) {
      const double p = student - std::log(common), t = score - std::log(taught);
      forward += std::exp(t) * (t - (student - std::log(all)));
      reverse += std::exp(p) * (p - t);
    }
  }
  EXPECT_GT(forward, 0.1);
  EXPECT_GT(std::abs(forward - reverse), 0.01);
  EXPECT_NEAR(objective(Divergence::forward), forward, 1e-6 * forward);
  EXPECT_NEAR(objective(Divergence::reverse), reverse, 1e-6 * reverse);
  EXPECT_NEAR(objective(Divergence::symmetric), (forward + reverse) / 2.0, 1e-6 * (forward + reverse));
}

TEST(Teacher, ATeacherThatIsSureOfAllArcsIsATreebankAndOneThatIsSureOfNoneSaysNothing) {
  Unannotated u = taught();
  u.confidence = 0.0;
  const UnannotatedFixture f(u, 100);  // with all heads as candidates
  Parser teacher(*u.teacher);
  double expected = 0.0;
  const std::vector<FeatureLists> lists = f.arcs->lists(f.encoded, f.candidates);
  for (std::size_t i = 0; i < f.sentences.size(); ++i) {
    const Matrix scores = matrix_of(f.candidates[i], f.arcs->scores(lists[i]), -HUGE_VAL);
    const Heads heads = teacher.parse(f.sentences[i]).tree.heads;
    expected -= TreeDistribution(scores, Root::single).log_prob(heads);
  }
  ASSERT_TRUE(std::isfinite(expected));
  EXPECT_NEAR(f.trainer->objective(f.everything()).value, expected, 1e-6 * expected);
  u.confidence = 1.0;
  EXPECT_NEAR(UnannotatedFixture(u, 100).trainer->objective(f.everything()).value, 0.0, 1e-9);
}

TEST(Teacher, ATeacherWithoutATreeAmongTheCandidatesSaysNothing) {
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
    const UnannotatedFixture f(u, max_heads);
    return f.trainer->objective(f.everything()).value;
  };
  EXPECT_EQ(value_of(1), 0.0);
  EXPECT_GT(value_of(100), 0.0);  // with all heads as candidates the teacher's trees are among them
}

TEST(Teacher, ATrainingGoesOnWithItsOwnTeacherOnly) {
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

}  // namespace
}  // namespace kirchhoff::parser
