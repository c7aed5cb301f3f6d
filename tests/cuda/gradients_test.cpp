// Marginals are the gradient of log Z, derivatives along the negated scores that of the entropy, and derivatives along
// a direction that of its expectation: all agree with finite differences.
#include "cuda/ask.hpp"

#include "support/gradient.hpp"
#include "support/graphs.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace kirchhoff::cuda {
namespace {

// See gradient.hpp: the quotient itself is right to 1e-9 for functions whose fifth derivative is at most 100.
constexpr double kTolerance = 1e-8;

/// What is asked about one graph with other scores.
struct Problem {
  Asked asked;
  Root root;

  Answered operator()(const LabelledMatrix& scores) const {
    Asked moved = asked;
    moved.scores = {scores};
    return ask(moved, root);
  }
};

void check(const Problem& problem) {
  const LabelledMatrix& scores = problem.asked.scores[0];
  SCOPED_TRACE(testing::Message() << graphs::name(problem.root) << ", n = " << scores.words());
  Problem plain = problem, entropy = problem;
  plain.asked.derivatives = false;
  entropy.asked.directions.clear();
  entropy.asked.score_share = -1.0;
  expect_gradient([&](const LabelledMatrix& s) { return plain(s).log_partition[0]; }, scores,
                  plain(scores).marginals[0], kTolerance, "log Z");
  if (scores.words() == 1 && scores.labels() == 1) return;  // there is one tree, and nothing else moves
  expect_gradient([&](const LabelledMatrix& s) { return plain(s).entropy[0]; }, scores, entropy(scores).derivatives[0],
                  kTolerance, "entropy");
  expect_gradient([&](const LabelledMatrix& s) { return plain(s).expectation[0]; }, scores,
                  problem(scores).derivatives[0], kTolerance, "expectation");
}

Problem random_problem(int words, int labels, double density, Root root, graphs::Random& random) {
  Problem problem{{}, root};
  const LabelledMatrix scores = graphs::normal(words, labels, 1.0, random);
  problem.asked.scores = {graphs::masked_feasible(scores, density, random)};
  problem.asked.directions = {graphs::normal(words, labels, 1.0, random)};
  return problem;
}

TEST(CudaGradients, OfSmallGraphs) {
  graphs::Random random(201);
  for (Root root : graphs::kRoots) {
    for (const int words : {1, 2, 3, 5}) check(random_problem(words, 1, 1.0, root, random));
    check(random_problem(5, 1, 0.7, root, random));
    check(random_problem(3, 3, 1.0, root, random));
    check(random_problem(3, 2, 0.7, root, random));
  }
}

TEST(CudaGradients, OfAGraphOfTwentyWords) {
  graphs::Random random(202);
  for (Root root : graphs::kRoots) check(random_problem(20, 1, 1.0, root, random));
}

/// The same where weights are beyond doubles: masks as numbers, which change nothing but the kernel.
TEST(CudaGradients, InExtendedRange) {
  graphs::Random random(203);
  for (Root root : graphs::kRoots) {
    Problem problem = random_problem(5, 1, 0.7, root, random);
    LabelledMatrix& scores = problem.asked.scores[0];
    scores(1, 2, 0) = -1000;
    EXPECT_EQ(problem(scores).status[0], GraphStatus::extended);
    check(problem);
  }
}

}  // namespace
}  // namespace kirchhoff::cuda
