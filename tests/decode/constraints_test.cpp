// Required and forbidden arcs: kept, or refused with the conflict named.
#include "decode/graph_kinds.hpp"

namespace kirchhoff {
namespace {

using graphs::kInf;

bool allows(const Constraints& constraints, const Heads& heads) {
  const auto in_tree = [&](Arc arc) { return heads[arc.dependent] == arc.head; };
  return std::all_of(constraints.require.begin(), constraints.require.end(), in_tree) &&
         std::none_of(constraints.forbid.begin(), constraints.forbid.end(), in_tree);
}

Constraints random_constraints(int n, graphs::Random& random) {
  const auto arc = [&] {
    const int d = std::uniform_int_distribution<int>(1, n)(random);
    const int h = std::uniform_int_distribution<int>(0, n - 1)(random);
    return Arc{h >= d ? h + 1 : h, d};
  };
  Constraints result;
  for (int i = std::uniform_int_distribution<int>(0, 2)(random); i > 0; --i) result.require.push_back(arc());
  for (int i = std::uniform_int_distribution<int>(0, 4)(random); i > 0; --i) result.forbid.push_back(arc());
  return result;
}

template <class Scores>
void expect_constrained(const Scores& scores, Root root, const Constraints& constraints) {
  std::vector<oracle::Tree> expected;
  for (const oracle::Tree& tree : sorted_trees(oracle::Forest(scores, root)))
    if (allows(constraints, tree.heads)) expected.push_back(tree);
  if (expected.empty()) {
    EXPECT_THROW(best_tree(scores, root, constraints), Infeasible);
    EXPECT_THROW(k_best_trees(scores, root, 2, constraints), Infeasible);
    return;
  }
  const Tree best = best_tree(scores, root, constraints);
  EXPECT_TRUE(allows(constraints, best.heads));
  expect_score(best.score, expected[0].score);
  const std::vector<Tree> trees = k_best_trees(scores, root, 100000, constraints);
  ASSERT_EQ(trees.size(), expected.size());
  for (std::size_t i = 0; i < trees.size(); ++i) {
    EXPECT_TRUE(allows(constraints, trees[i].heads));
    expect_score(trees[i].score, expected[i].score);
  }
}

TEST(Constraints, AgreeWithEnumeration) {
  graphs::Random random(21);
  for (int n = 2; n <= 5; ++n)
    for (int kind = 0; kind < kKindCount; ++kind)
      for (int repeat = 0; repeat < (n <= 4 ? 50 : 4); ++repeat) {
        const Matrix scores = make_graph(kind, n, random);
        const Constraints constraints = random_constraints(n, random);
        for (Root root : graphs::kRoots) {
          SCOPED_TRACE(testing::Message() << kKinds[kind] << ", n = " << n << ", " << graphs::name(root));
          expect_constrained(scores, root, constraints);
        }
      }
}

TEST(Constraints, OfLabelledGraphs) {
  graphs::Random random(22);
  for (int n = 2; n <= 3; ++n)
    for (int kind = 0; kind < kKindCount; ++kind)
      for (int repeat = 0; repeat < 10; ++repeat) {
        const LabelledMatrix scores = make_labelled(kind, n, 2, random);
        const Constraints constraints = random_constraints(n, random);
        for (Root root : graphs::kRoots) expect_constrained(scores, root, constraints);
      }
}

std::string conflict(const Constraints& constraints, Root root, const Matrix& scores = Matrix::Zero(5, 5)) {
  try {
    best_tree(scores, root, constraints);
  } catch (const Infeasible& e) {
    return e.what();
  }
  return "none";
}

TEST(Constraints, NameTheConflict) {
  for (Root root : graphs::kRoots) {
    EXPECT_EQ(conflict({{{1, 2}, {3, 2}}, {}}, root), "required arcs 1 -> 2 and 3 -> 2 give one word two heads");
    EXPECT_EQ(conflict({{{1, 2}}, {{1, 2}}}, root), "arc 1 -> 2 is both required and forbidden");
    EXPECT_EQ(conflict({{{1, 2}, {2, 3}, {3, 1}}, {}}, root), "required arcs form the cycle 1 -> 2 -> 3 -> 1");
    EXPECT_EQ(conflict({{{1, 2}, {1, 2}}, {}}, root), "none") << "the same arc twice is no conflict";
    EXPECT_EQ(conflict({{}, {{0, 2}, {1, 2}, {3, 2}, {4, 2}}}, root),
              "under the required and forbidden arcs, word 2 cannot be reached from the root");
  }
  Matrix scores = Matrix::Zero(5, 5);
  scores(1, 2) = -kInf;
  EXPECT_EQ(conflict({{{1, 2}}, {}}, Root::multi, scores), "required arc 1 -> 2 is impossible");
  EXPECT_EQ(conflict({{{0, 2}, {0, 3}}, {}}, Root::single),
            "required arcs 0 -> 2 and 0 -> 3 give the root two children, and it may have one");
  EXPECT_EQ(conflict({{{0, 2}, {0, 3}}, {}}, Root::multi), "none");
  EXPECT_EQ(conflict({{}, {{1, 3}, {1, 4}, {2, 3}, {2, 4}, {3, 1}, {3, 2}, {4, 1}, {4, 2}}}, Root::single),
            "under the required and forbidden arcs, no child of the root can reach every other word, so the root needs "
            "several children");
  scores.col(3).setConstant(-kInf);
  EXPECT_EQ(conflict({{{4, 1}}, {}}, Root::multi, scores), "word 3 cannot be reached from the root")
      << "not the constraints' fault";
}

TEST(Constraints, RefuseArcsThatDoNotExist) {
  for (Arc arc : {Arc{0, 0}, Arc{2, 2}, Arc{1, 5}, Arc{5, 1}, Arc{-1, 1}, Arc{1, 0}}) {
    EXPECT_THROW(best_tree(Matrix::Zero(5, 5), Root::multi, {{arc}, {}}), InputError);
    EXPECT_THROW(best_tree(Matrix::Zero(5, 5), Root::multi, {{}, {arc}}), InputError);
    EXPECT_THROW(k_best_trees(LabelledMatrix(4, 2), Root::multi, 1, {{}, {arc}}), InputError);
  }
}

TEST(Constraints, ConditionADistribution) {
  graphs::Random random(23);
  const Matrix scores = graphs::normal(5, 1.0, random);
  const Constraints constraints{{{2, 4}}, {{0, 1}, {3, 5}}};
  for (Root root : graphs::kRoots) {
    const TreeDistribution p(constrained(scores, root, constraints), root);
    const TreeDistribution q = TreeDistribution(scores, root).require({2, 4}).forbid({0, 1}).forbid({3, 5});
    EXPECT_NEAR(p.log_partition(), q.log_partition(), 1e-12);
  }
}

}  // namespace
}  // namespace kirchhoff
