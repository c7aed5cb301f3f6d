// Scores of any size: what doubles cannot hold is answered by numbers of extended range, and nothing is ever NaN.
#include "kirchhoff/projective.hpp"
#include "support/compare.hpp"
#include "support/graphs.hpp"
#include "support/message_of.hpp"
#include "support/oracle.hpp"

#include <gtest/gtest.h>

namespace kirchhoff {
namespace {

using P = ProjectiveTreeDistribution;

void expect_sane(const P& p) {
  EXPECT_TRUE(std::isfinite(p.log_partition()));
  for (int d = 1; d <= p.words(); ++d) EXPECT_NEAR(p.marginals().col(d).sum(), 1.0, 1e-10) << d;
  EXPECT_TRUE(p.marginals().allFinite() && (p.marginals().array() >= 0.0).all() &&
              (p.marginals().array() <= 1.0).all());
  EXPECT_TRUE(std::isfinite(entropy(p)) && entropy(p) >= 0.0);
  EXPECT_TRUE(entropy_gradient(p).allFinite());
  EXPECT_TRUE(renyi_gradient(p, 0.5).allFinite());
  const Tree best = best_tree(p);
  EXPECT_LE(*best.log_prob, 0.0);
  EXPECT_TRUE(is_projective(sample_trees(p, 1)[0].heads));
}

TEST(ProjectiveExtreme, ScoresOfAllSizes) {
  graphs::Random random(51);
  for (const Root root : graphs::kRoots) {
    for (const double s : {0.0, 1e-300, 1e-3, 30.0, 300.0, 1e4, 1e7, 1e10}) {
      for (const int n : {1, 2, 5}) {
        SCOPED_TRACE(testing::Message() << graphs::name(root) << " n = " << n << ", N(0, " << s << "^2)");
        const Matrix scores = graphs::normal(n, s, random);
        const oracle::Forest forest(scores, root, oracle::Kind::projective);
        const P p(scores, root);
        expect_sane(p);
        EXPECT_TRUE(close(p.log_partition(), forest.log_partition(), {1e-14, 1e-13}));
        // A log-probability of size x is known to some 1e-16 x.
        expect_arcs(p.log_marginals(), oracle::log_marginals(forest), {1e-13, 1e-11}, "log_marginals", -graphs::kInf);
        EXPECT_TRUE(close(entropy(p), oracle::entropy(forest), {1e-9, 1e-9}));
      }
    }
  }
}

TEST(ProjectiveExtreme, LongSentencesWithStrongScores) {
  graphs::Random random(52);
  for (const Root root : graphs::kRoots) {
    for (const double s : {3.0, 40.0, 1e5}) {
      const Matrix scores = graphs::normal(35, s, random);
      const P p(scores, root), robust(scores, root, graphs::forced(Method::robust));
      expect_sane(p);
      EXPECT_TRUE(close(p.log_partition(), robust.log_partition(), {1e-13, 1e-12}));
      EXPECT_LT((p.marginals() - robust.marginals()).cwiseAbs().maxCoeff(), 1e-11);
      EXPECT_NEAR(entropy(p), entropy(robust), 1e-9);
    }
  }
}

TEST(ProjectiveExtreme, LargestScoresMasksAndOneWord) {
  for (const Root root : graphs::kRoots) {
    const P one(Matrix::Constant(2, 2, 1e100), root);
    EXPECT_EQ(one.log_partition(), 1e100);
    EXPECT_EQ(one.marginals()(0, 1), 1.0);
    EXPECT_EQ(entropy(one), 0.0);
    EXPECT_EQ(best_tree(one).heads, (Heads{-1, 0}));
    EXPECT_THROW(P(Matrix::Constant(2, 2, 1e300), root), InputError);
    EXPECT_THROW(P(Matrix::Constant(2, 2, graphs::kInf), root), InputError);
    // Masks such as -1e30 are as good as -inf.
    graphs::Random random(53);
    Matrix masked = graphs::normal(5, 1.0, random), impossible = masked;
    for (const Arc arc : {Arc{0, 2}, Arc{3, 1}, Arc{4, 5}}) {
      masked(arc.head, arc.dependent) = -1e30;
      impossible(arc.head, arc.dependent) = -graphs::kInf;
    }
    const P p(masked, root), q(impossible, root);
    EXPECT_NEAR(p.log_partition(), q.log_partition(), 1e-12);
    EXPECT_LT((p.marginals() - q.marginals()).cwiseAbs().maxCoeff(), 1e-14);
    expect_sane(P(Matrix::Constant(6, 6, -1e100), root));
    expect_sane(P(Matrix::Constant(6, 6, 1e100), root));
    // Where the best arcs cross, every projective tree needs others.
    Matrix crossing = Matrix::Zero(5, 5);
    crossing(1, 3) = crossing(2, 4) = 1e5;
    const P strong(crossing, root);
    EXPECT_EQ(strong.report().method, Method::robust);
    EXPECT_TRUE(close(strong.log_partition(), oracle::Forest(crossing, root, oracle::Kind::projective).log_partition(),
                      {1e-14, 0}));
  }
}

TEST(ProjectiveExtreme, MessagesSayWhetherThereIsATreeAtAll) {
  Matrix crossing = Matrix::Zero(5, 5);  // words 3 and 4 have one arc each, 1 -> 3 and 2 -> 4
  crossing.col(3).setConstant(-graphs::kInf);
  crossing.col(4).setConstant(-graphs::kInf);
  crossing(1, 3) = crossing(2, 4) = 0.0;
  Matrix apart = Matrix::Zero(4, 4);  // words 1 and 2 have arcs to each other only
  for (const int h : {0, 3}) apart(h, 1) = apart(h, 2) = -graphs::kInf;
  for (const Root root : graphs::kRoots) {
    for (const auto& [scores, message] : {std::pair(crossing, "every tree of possible arcs has arcs that cross"),
                                          std::pair(apart, "word 1 cannot be reached from the root")}) {
      const auto all = message_of<Infeasible>([&, &scores = scores] { P(scores, root); });
      const auto best = message_of<Infeasible>([&, &scores = scores] { best_projective_tree(scores, root); });
      EXPECT_NE(all.find(message), std::string::npos) << all;
      EXPECT_NE(best.find(message), std::string::npos) << best;
    }
  }
}

}  // namespace
}  // namespace kirchhoff
