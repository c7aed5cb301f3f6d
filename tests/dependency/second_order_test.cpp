// Second-order inference against the list of all trees.
#include "dependency/second_order.hpp"
#include "dependency/random_parts.hpp"
#include "kirchhoff/decode.hpp"
#include "kirchhoff/solve.hpp"
#include "support/oracle.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace kirchhoff::dependency {
namespace {

constexpr std::array<PartSet, 6> kSets = {kNextSiblings,
                                          kAllSiblings,
                                          PartSet{Siblings::all, true, true, true},
                                          PartSet{Siblings::next, true, true, true},
                                          PartSet{Siblings::none, false, true, false},
                                          PartSet{Siblings::none, false, false, true}};

/// All trees over the candidates with their second-order scores.
struct AllTrees {
  double log_partition = 0.0;
  std::vector<double> arcs, parts;
  double best = -HUGE_VAL;
};
AllTrees all_trees(const DependencyParts& parts, const Candidates& c, Root root, const std::vector<double>& arc_scores,
                   const std::vector<double>& part_scores) {
  AllTrees r{0.0, std::vector<double>(c.size(), 0.0), std::vector<double>(parts.size(), 0.0), -HUGE_VAL};
  Matrix scores = Matrix::Constant(parts.words + 1, parts.words + 1, -HUGE_VAL);
  for (std::size_t i = 0; i < c.size(); ++i) scores(c.heads[i], parts.dependents[i]) = arc_scores[i];
  double sum = 0.0;
  const oracle::Forest forest(scores, root);
  for (const oracle::Tree& tree : forest.trees()) {
    if (std::isinf(static_cast<double>(tree.score))) continue;
    const auto has = parts_in_tree(parts, c, tree.heads);
    auto value = static_cast<double>(tree.score);
    for (std::size_t p = 0; p < has.size(); ++p) value += has[p] != 0 ? part_scores[p] : 0.0;
    r.best = std::max(r.best, value);
    const double w = std::exp(value);
    sum += w;
    for (std::size_t p = 0; p < has.size(); ++p) r.parts[p] += has[p] != 0 ? w : 0.0;
    for (std::size_t i = 0; i < c.size(); ++i) r.arcs[i] += tree.heads[parts.dependents[i]] == c.heads[i] ? w : 0.0;
  }
  for (auto* list : {&r.arcs, &r.parts}) {
    for (double& x : *list) x /= sum;
  }
  r.log_partition = std::log(sum);
  return r;
}

/// Without second-order scores the arcs' beliefs are exact. The tree weights have the arcs' beliefs as marginals. How
/// close beliefs are else is an experience, not a theorem: mean absolute errors.
TEST(SecondOrder, BeliefsAreCloseToThoseOfAllTrees) {
  for (const PartSet& set : kSoftSets) {
    Random random(11);
    for (const auto& [strength, tolerance] : {std::pair(0.0, 1e-9), std::pair(0.3, 0.02), std::pair(1.0, 0.09)}) {
      double error = 0.0, count = 0.0;
      int converged = 0;
      for (int round = 0; round < 20; ++round) {
        const int words = 2 + round % 4;
        const Root root = graphs::kRoots[round % 2];
        const Candidates c = random_candidates(words, 0.6, graphs::random_tree(words, random), random);
        const DependencyParts parts = list_parts(words, c, set);
        const auto arcs = normal(c.size(), 1.0, random), seconds = normal(parts.size(), strength, random);
        const AllTrees expected = all_trees(parts, c, root, arcs, seconds);
        const PartBeliefs b =
            propagate_beliefs({parts, c, root, arcs, seconds}, {.iterations = 500, .tolerance = 1e-11});
        converged += b.converged ? 1 : 0;
        EXPECT_NEAR(b.log_partition, expected.log_partition, strength == 0.0 ? 1e-9 : strength * words);
        for (std::size_t i = 0; i < c.size(); ++i) error += std::abs(b.arcs[i] - expected.arcs[i]);
        count += static_cast<double>(c.size());

        if (!b.converged) continue;
        Matrix weights = Matrix::Constant(words + 1, words + 1, -HUGE_VAL);
        for (std::size_t i = 0; i < c.size(); ++i) {
          weights(c.heads[i], parts.dependents[i]) = b.tree_weights[i];
        }
        const TreeDistribution p(weights, root);
        const auto marginals = p.marginals();
        for (std::size_t i = 0; i < c.size(); ++i) {
          EXPECT_NEAR(marginals(c.heads[i], parts.dependents[i]), b.arcs[i], 1e-8);
        }
      }
      EXPECT_LT(error / count, tolerance) << to_string(set) << ", " << strength;
      EXPECT_GE(converged, strength < 1.0 ? 20 : 18) << to_string(set) << ", " << strength;  // of 20
      RecordProperty("mean_error_" + to_string(set) + "_" + std::to_string(strength), std::to_string(error / count));
    }
  }
}

/// Words whose dependents cannot have dependents make a graph without loops when only one HEAD factor has scores to
/// give: Bethe's log Z and all beliefs are then exact.
TEST(SecondOrder, IsExactWithoutLoops) {
  Random random(23);
  for (int round = 0; round < 20; ++round) {
    const int words = 1 + round % 5;
    // All words hang on the root or, but for the first, on the first word, which hangs on the root.
    Candidates c;
    c.begin = {0, 0};
    for (int d = 1; d <= words; ++d) {
      c.heads.push_back(0);
      if (d > 1) c.heads.push_back(1);
      c.begin.push_back(static_cast<std::uint32_t>(c.heads.size()));
    }
    const DependencyParts parts = list_parts(words, c, kNextSiblings);
    const auto arcs = normal(c.size(), 1.0, random);
    auto seconds = normal(parts.size(), 1.0, random);
    // The root's HEAD says nothing, and any choice of heads is a tree: only the HEAD of word 1 speaks.
    for (std::size_t p = 0; p < parts.siblings.size(); ++p) seconds[p] = parts.siblings[p][0] == 1 ? seconds[p] : 0.0;
    const AllTrees expected = all_trees(parts, c, Root::multi, arcs, seconds);
    const PartBeliefs b =
        propagate_beliefs({parts, c, Root::multi, arcs, seconds}, {.iterations = 100, .tolerance = 1e-12});
    EXPECT_TRUE(b.converged);
    EXPECT_NEAR(b.log_partition, expected.log_partition, 1e-10);
    for (std::size_t i = 0; i < c.size(); ++i) EXPECT_NEAR(b.arcs[i], expected.arcs[i], 1e-10);
    for (std::size_t p = 0; p < parts.size(); ++p) {
      if (seconds[p] != 0.0) {
        EXPECT_NEAR(b.parts[p], expected.parts[p], 1e-10);
      }
    }
    const FactorGraph graph = part_graph({parts, c, Root::multi, arcs, seconds});
    const ExactResult exact = solve_exact(graph);
    EXPECT_NEAR(exact.log_partition, expected.log_partition, 1e-10);
    const BpResult bp = solve_bp(graph);  // the public door to the same graph
    EXPECT_NEAR(bp.log_partition, expected.log_partition, 1e-8);
    for (std::size_t i = 0; i < c.size(); ++i) {
      EXPECT_NEAR(exact.marginals[i], expected.arcs[i], 1e-10);
      EXPECT_NEAR(bp.marginals[i], expected.arcs[i], 1e-8);
    }
  }
}

/// The relaxation's optimum is a maximum of linear functions of the scores, so its derivatives are its solution.
TEST(SecondOrder, TheRelaxedTreeIsTheDerivativeOfTheBound) {
  Random random(29);
  constexpr double kStep = 1e-5;
  constexpr MapEffort kProgram{.solver = MapSolver::lp, .gap = 1e-9, .relaxed = true};
  int fractional = 0;
  for (int round = 0; round < 12; ++round) {
    const int words = 3 + round % 3;
    const Root root = graphs::kRoots[round % 2];
    const Candidates c = random_candidates(words, 0.8, graphs::random_tree(words, random), random);
    const DependencyParts parts =
        list_parts(words, c, round % 3 == 0 ? PartSet{Siblings::all, true, true} : kAllSiblings);
    auto arcs = normal(c.size(), 1.0, random), seconds = normal(parts.size(), 1.5, random);
    const ScoredParts scored{parts, c, root, arcs, seconds};
    const BestTree best = find_best_tree(scored, kProgram);
    ASSERT_EQ(best.arcs.size(), c.size());
    ASSERT_EQ(best.parts.size(), parts.size());
    fractional += best.integral ? 0 : 1;
    const auto expect_derivative = [&](double& score, double expected) {
      const double before = score;
      score = before + kStep;
      const double up = find_best_tree(scored, kProgram).bound;
      score = before - kStep;
      const double down = find_best_tree(scored, kProgram).bound;
      score = before;
      EXPECT_NEAR((up - down) / (2.0 * kStep), expected, 1e-4);
    };
    for (std::size_t i = 0; i < c.size(); i += 3) expect_derivative(arcs[i], best.arcs[i]);
    for (std::size_t p = 0; p < parts.size(); p += 7) expect_derivative(seconds[p], best.parts[p]);
  }
  EXPECT_GT(fractional, 0);
}

/// The parts of HEAD factors are those of a mixture of configurations: a dot product with their scores and the arcs'
/// gives the bound, and arcs and parts agree.
TEST(SecondOrder, TheRelaxedTreeHasTheBoundAsItsScore) {
  Random random(31);
  for (int round = 0; round < 24; ++round) {
    const int words = 3 + round % 3;
    const Candidates c = random_candidates(words, 0.8, graphs::random_tree(words, random), random);
    const DependencyParts parts = list_parts(words, c, kSets[static_cast<std::size_t>(round) % kSets.size()]);
    const auto arcs = normal(c.size(), 1.0, random), seconds = normal(parts.size(), 1.0, random);
    const BestTree best = find_best_tree({parts, c, graphs::kRoots[round % 2], arcs, seconds},
                                         {.gap = 1e-7, .iterations = 50000, .relaxed = true});
    ASSERT_EQ(best.parts.size(), parts.size());
    double value = 0.0;
    for (std::size_t i = 0; i < c.size(); ++i) value += arcs[i] * best.arcs[i];
    for (std::size_t p = 0; p < parts.size(); ++p) value += seconds[p] * best.parts[p];
    EXPECT_NEAR(value, best.bound, 1e-3) << round;
  }
}

TEST(SecondOrder, TheBestTreeIsTheBestOfAllTrees) {
  Random random(13);
  int exact = 0;
  constexpr int kRounds = 240;
  for (int round = 0; round < kRounds; ++round) {
    const int words = 2 + round % 4;
    const Root root = graphs::kRoots[round % 2];
    const Candidates c = random_candidates(words, 0.7, graphs::random_tree(words, random), random);
    const DependencyParts parts = list_parts(words, c, kSets[static_cast<std::size_t>(round / 4) % kSets.size()]);
    const auto arcs = normal(c.size(), 2.0, random), seconds = normal(parts.size(), 1.0, random);
    const AllTrees expected = all_trees(parts, c, root, arcs, seconds);
    const BestTree best = find_best_tree({parts, c, root, arcs, seconds}, {});
    EXPECT_LE(best.score, expected.best + 1e-9);
    EXPECT_GE(best.bound, expected.best - 1e-6);
    EXPECT_NEAR(find_best_tree({parts, c, root, arcs, seconds}, {.solver = MapSolver::exact}).score, expected.best,
                1e-9);
    exact += best.score > expected.best - 1e-9 ? 1 : 0;
    double value = 0.0;
    for (std::size_t i = 0; i < c.size(); ++i) value += best.heads[parts.dependents[i]] == c.heads[i] ? arcs[i] : 0.0;
    const auto has = parts_in_tree(parts, c, best.heads);
    for (std::size_t p = 0; p < has.size(); ++p) value += has[p] != 0 ? seconds[p] : 0.0;
    EXPECT_NEAR(value, best.score, 1e-9);
  }
  EXPECT_GE(exact, kRounds * 9 / 10);  // the rest has a fractional relaxation
}

#if KIRCHHOFF_HAS_LP
/// Where there are too many trees to list, an integer program, which shares no search with AD3, has the same score.
TEST(SecondOrder, TheBestTreeIsThatOfAnIntegerProgram) {
  Random random(41);
  int fractional = 0;
  for (int round = 0; round < 12; ++round) {
    constexpr int kWords = 9;
    const Candidates c = random_candidates(kWords, 0.3, graphs::random_tree(kWords, random), random);
    const DependencyParts parts = list_parts(kWords, c, kSoftSets[static_cast<std::size_t>(round) % kSoftSets.size()]);
    const auto arcs = normal(c.size(), 1.0, random), seconds = normal(parts.size(), 1.5, random);
    const ScoredParts scored{parts, c, graphs::kRoots[round / 4 % 2], arcs, seconds};
    const MapResult proved = solve_ilp(part_graph(scored));
    ASSERT_EQ(proved.status, Status::converged);
    EXPECT_NEAR(find_best_tree(scored, {.solver = MapSolver::exact}).score, proved.value, 1e-6) << round;
    fractional += find_best_tree(scored, {}).integral ? 0 : 1;
  }
  EXPECT_GT(fractional, 3) << "or there was nothing to search";
}
#endif

/// Linear programming may end at a point that is no tree, and AD3 after its first iteration.
TEST(SecondOrder, ASearchThatIsCutShortStillGivesATree) {
  Random random(29);
  for (int round = 0; round < 60; ++round) {
    const int words = 3 + round % 6;
    const Root root = graphs::kRoots[round % 2];
    const Candidates c = random_candidates(words, 0.6, graphs::random_tree(words, random), random);
    const DependencyParts parts = list_parts(words, c, kSoftSets[static_cast<std::size_t>(round % 4)]);
    const auto arcs = normal(c.size(), 1.0, random), seconds = normal(parts.size(), 5.0, random);
    for (const MapEffort& effort : {MapEffort{.iterations = 1}, MapEffort{.solver = MapSolver::lp}}) {
      const BestTree best = find_best_tree({parts, c, root, arcs, seconds}, effort);
      EXPECT_TRUE(std::isfinite(TreeDistribution(Matrix::Zero(words + 1, words + 1), root).log_prob(best.heads)));
      EXPECT_LE(best.score, best.bound + 1e-9 * std::abs(best.bound));
    }
  }
}

}  // namespace
}  // namespace kirchhoff::dependency
