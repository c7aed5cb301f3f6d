// Decoding from distributions: most right heads expected, log-probabilities, probability mass.
#include "decode/graph_kinds.hpp"

namespace kirchhoff {
namespace {

/// Expected number of right arcs of the oracle's best choice.
long double best_gain(const oracle::Forest& forest) {
  const oracle::ArcArray p = oracle::marginals(forest);
  long double best = 0;
  for (const oracle::Tree& tree : sorted_trees(forest)) best = std::max(best, oracle::additive(tree, p));
  return best;
}

TEST(Mbr, AgreesWithEnumeration) {
  graphs::Random random(31);
  for (int n = 1; n <= 5; ++n)
    for (int repeat = 0; repeat < 30; ++repeat)
      for (double density : {1.0, 0.4}) {
        const Matrix scores = graphs::masked_feasible(graphs::normal(n, 1.5, random), density, random);
        for (Root root : graphs::kRoots) {
          const oracle::Forest forest(scores, root);
          const Tree tree = mbr_tree(TreeDistribution(scores, root));
          const oracle::ArcArray p = oracle::marginals(forest);
          long double gain = 0;
          for (int d = 1; d <= n; ++d) gain += p(tree.heads[d], d);
          check_tree(tree.heads, n, root, "mbr_tree");
          EXPECT_NEAR(gain, best_gain(forest), 1e-10);
          expect_score(tree.score, sum_of(tree, scores));
          EXPECT_NEAR(*tree.log_prob, tree.score - forest.log_partition(), 1e-10);
        }
      }
}

TEST(Mbr, LabelledAgreesWithEnumeration) {
  graphs::Random random(32);
  for (int n = 1; n <= 4; ++n)
    for (int repeat = 0; repeat < 10; ++repeat) {
      const LabelledMatrix scores = graphs::masked_feasible(graphs::normal(n, 2, 1.5, random), 0.6, random);
      for (Root root : graphs::kRoots) {
        const oracle::Forest forest(scores, root);
        const Tree tree = mbr_tree(LabelledTreeDistribution(scores, root));
        const oracle::ArcArray p = oracle::marginals(forest);
        long double gain = 0;
        for (int d = 1; d <= n; ++d) gain += p(tree.heads[d], d, tree.labels[d]);
        EXPECT_NEAR(gain, best_gain(forest), 1e-10);
        EXPECT_NEAR(*tree.log_prob, tree.score - forest.log_partition(), 1e-10);
      }
    }
}

TEST(Mbr, AvoidsImpossibleArcsOfProbabilityZero) {
  // All marginals of word 3 but one are 0: only 2 -> 3 is possible.
  Matrix scores = Matrix::Zero(4, 4);
  scores.col(3).setConstant(-graphs::kInf);
  scores(2, 3) = -700;
  for (Root root : graphs::kRoots) EXPECT_EQ(mbr_tree(TreeDistribution(scores, root)).heads[3], 2);
}

TEST(Mass, OfAllTreesIsOne) {
  graphs::Random random(33);
  for (Root root : graphs::kRoots) {
    const TreeDistribution p(graphs::normal(4, 1.0, random), root);
    EXPECT_NEAR(probability_mass(k_best_trees(p, 1000)), 1.0, 1e-12);
    EXPECT_NEAR(probability_mass(k_best_trees(p, 1)), std::exp(*best_tree(p).log_prob), 1e-15);
    EXPECT_EQ(probability_mass({}), 0.0);
    const LabelledTreeDistribution q(graphs::normal(3, 2, 1.0, random), root);
    EXPECT_NEAR(probability_mass(k_best_trees(q, 1000)), 1.0, 1e-12);
    EXPECT_EQ(*best_tree(q).log_prob, *k_best_trees(q, 1)[0].log_prob);
    EXPECT_THROW(probability_mass(k_best_trees(p.scores(), root, 2)), InputError);
  }
}

}  // namespace
}  // namespace kirchhoff
