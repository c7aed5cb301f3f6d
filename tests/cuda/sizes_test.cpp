// Graphs of all size classes of the kernels, against the distributions of the CPU: each class shares out a graph among
// threads in its own way, and each kind of numbers has its own classes.
#include "cuda/ask.hpp"
#include "cuda/kernels/shapes.hpp"

#include "kirchhoff/expectation.hpp"
#include "support/compare.hpp"
#include "support/graphs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace kirchhoff::cuda {
namespace {

/// Every size up to 35; the largest graphs of every class, and the smallest of the next; some that fill no class.
std::set<int> sizes() {
  std::set<int> all = {100, 150};
  for (int n = 1; n <= 35; ++n) all.insert(n);
  const auto add = [&](auto size_class, int) {
    constexpr int kMost = decltype(size_class)::S::kMostWords;
    if (kMost < 1000) all.insert({kMost, kMost + 1});
  };
  for_each_of<FastClasses>(add);
  for_each_class<double>(add);
  for_each_class<Dual>(add);
  for_each_class<Extended>(add);
  for_each_class<ExtendedDual>(add);
  return all;
}

/// Two graphs of every size: a dense one, and one of whose arcs a third is left.
Asked all_sizes(double s, graphs::Random& random) {
  Asked asked;
  for (const int n : sizes()) {
    const Matrix scores = graphs::normal(n, s, random);
    for (const double density : {1.0, 0.33}) {
      asked.scores.push_back(labelled(graphs::masked_feasible(scores, density, random)));
      asked.directions.push_back(labelled(graphs::normal(n, 1.0, random)));
    }
  }
  return asked;
}

/// Both sides add positive numbers: 1e-16 for each of the n eliminations that a number goes through, and as much again.
Tolerance marginal_tolerance(int words, double s) { return {1e-14 * (words + 10) * std::max(1.0, s / 10), 1e-300}; }
/// A derivative is a sum of terms of both signs, each at most the direction's sum over a tree in size.
Tolerance derivative_tolerance(int words, double s) { return {1e-10, 1e-14 * words * std::max(1.0, s / 10)}; }

void compare(const Asked& asked, std::size_t i, const Answered& answered, const TreeDistribution& p, double s) {
  const int n = p.words();
  EXPECT_TRUE(close(answered.log_partition[i], p.log_partition(), {1e-13, 1e-13})) << "log Z";
  EXPECT_TRUE(close(answered.entropy[i], entropy(p), {1e-12, 1e-12})) << "entropy";
  expect_same(unlabelled(answered.marginals[i]), p.marginals(), marginal_tolerance(n, s), "marginals");
  if (!asked.derivatives) return;
  const Matrix r = unlabelled(asked.directions[i]);
  const double mean = p.marginals().cwiseProduct(r).sum();
  EXPECT_TRUE(close(answered.expectation[i], mean, {1e-12, 1e-13 * n})) << "expectation";
  expect_same(unlabelled(answered.derivatives[i]), p.marginals_along(r), derivative_tolerance(n, s), "derivatives");
}

/// Returns how many graphs were solved with numbers of extended range.
int compare_all(const Asked& asked, Root root, double s) {
  const Answered answered = ask(asked, root);
  int extended = 0;
  for (std::size_t i = 0; i < asked.scores.size(); ++i) {
    SCOPED_TRACE(testing::Message() << graphs::name(root) << ", n = " << asked.scores[i].words() << ", graph " << i);
    EXPECT_TRUE(is_answered(answered.status[i]));
    extended += answered.status[i] == GraphStatus::extended ? 1 : 0;
    const Matrix scores = unlabelled(asked.scores[i]);
    compare(asked, i, answered, TreeDistribution(scores, root, graphs::forced(Method::robust)), s);
  }
  return extended;
}

TEST(CudaSizes, InDoubles) {
  graphs::Random random(181);
  Asked asked = all_sizes(1.0, random);
  for (Root root : graphs::kRoots) {
    for (const bool derivatives : {false, true}) {
      asked.derivatives = derivatives;
      EXPECT_EQ(compare_all(asked, root, 1.0), 0);
    }
  }
}

/// Scores that differ by a thousand: the weights of most graphs are beyond doubles.
TEST(CudaSizes, InExtendedRange) {
  graphs::Random random(182);
  Asked asked = all_sizes(300.0, random);
  for (Root root : graphs::kRoots) {
    for (const bool derivatives : {false, true}) {
      asked.derivatives = derivatives;
      EXPECT_GT(compare_all(asked, root, 300.0), static_cast<int>(asked.scores.size()) * 3 / 4);
    }
  }
}

/// (n + 1)^(n - 1) trees with any number of root children, n^(n - 1) with one.
TEST(CudaSizes, CayleysFormula) {
  Asked asked;
  asked.derivatives = false;
  const std::set<int> all = sizes();
  for (const int n : all) asked.scores.emplace_back(n, 1);
  for (Root root : graphs::kRoots) {
    const Answered answered = ask(asked, root);
    for (std::size_t i = 0; i < asked.scores.size(); ++i) {
      const int n = asked.scores[i].words();
      const long double expected = (n - 1) * std::log(static_cast<long double>(root == Root::multi ? n + 1 : n));
      EXPECT_TRUE(close(answered.log_partition[i], expected, {1e-14, 1e-15})) << n;
      EXPECT_TRUE(close(answered.entropy[i], expected, {1e-13, 1e-13})) << n;
      const long double root_arc = root == Root::multi ? 2.0L / (n + 1) : 1.0L / n;
      EXPECT_TRUE(close(answered.marginals[i](0, n, 0), root_arc, {1e-13, 0})) << n;
    }
  }
}

TEST(CudaSizes, Labelled) {
  graphs::Random random(183);
  Asked asked;
  for (const int n : {1, 7, 17, 29, 33, 57, 65}) {
    asked.scores.push_back(graphs::masked_feasible(graphs::normal(n, 5, 2.0, random), 0.5, random));
    asked.directions.push_back(graphs::normal(n, 5, 1.0, random));
  }
  for (Root root : graphs::kRoots) {
    const Answered answered = ask(asked, root);
    for (std::size_t i = 0; i < asked.scores.size(); ++i) {
      SCOPED_TRACE(testing::Message() << graphs::name(root) << ", n = " << asked.scores[i].words());
      const LabelledTreeDistribution p(asked.scores[i], root, graphs::forced(Method::robust));
      const Tolerance t = marginal_tolerance(p.words(), 1.0), d = derivative_tolerance(p.words(), 1.0);
      EXPECT_TRUE(close(answered.log_partition[i], p.log_partition(), {1e-13, 1e-13}));
      EXPECT_TRUE(close(answered.entropy[i], entropy(p), {1e-12, 1e-12}));
      expect_arcs(answered.marginals[i], oracle::ArcArray(p.marginals()), t, "marginals");
      expect_arcs(answered.derivatives[i], oracle::ArcArray(p.marginals_along(asked.directions[i])), d, "derivatives");
    }
  }
}

}  // namespace
}  // namespace kirchhoff::cuda
