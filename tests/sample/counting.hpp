// Counting samples over the trees that the oracle lists.
#pragma once

#include "kirchhoff/sample.hpp"
#include "support/chi_square.hpp"
#include "support/graphs.hpp"
#include "support/oracle.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <unordered_map>
#include <utility>

namespace kirchhoff {

using statistics::kFalseAlarm;

/// How often to repeat a random experiment: debug builds (sanitizers, coverage) look for other bugs, and take a tenth.
constexpr int repeats(int count) {
#ifdef NDEBUG
  return count;
#else
  return count / 10;
#endif
}

/// One thread; others are for the tests of threads.
inline SampleOptions seeded(std::uint64_t seed) { return {.seed = seed, .threads = 1}; }

using Scale = std::vector<long double>;  // one number for each tree of the oracle

inline std::string_view name(Sampler method) { return to_string(method); }

/// The samplers for a root mode.
inline std::vector<Sampler> samplers(Root root) {
  if (root == Root::multi) return {Sampler::automatic, Sampler::wilson, Sampler::colbourn};
  return {Sampler::automatic, Sampler::wilson_marginal, Sampler::wilson_reject, Sampler::colbourn};
}

/// The possible trees of a graph, numbered.
class Trees {
 public:
  template <class Scores>
  Trees(const Scores& scores, Root root) : labels_(oracle::ArcArray(scores).labels()) {
    const oracle::Forest forest(scores, root);
    for (const oracle::Tree& tree : forest.trees()) {
      if (tree.score == -graphs::kInf) continue;
      number_[code(tree.heads, tree.labels)] = list_.size();
      list_.push_back(tree);
    }
  }

  std::size_t size() const { return list_.size(); }
  const oracle::Tree& operator[](std::size_t i) const { return list_[i]; }
  Scale probabilities() const {
    Scale p;
    for (const oracle::Tree& tree : list_) p.push_back(tree.prob);
    return p;
  }

  /// Fails when the graph has no such tree, and then answers 0.
  std::size_t number(const Heads& heads, const std::vector<int>& labels = {}) const {
    const auto found = number_.find(code(heads, labels));
    if (found != number_.end()) return found->second;
    ADD_FAILURE() << "not a tree of this graph: heads " << testing::PrintToString(heads) << ", labels "
                  << testing::PrintToString(labels);
    return 0;
  }
  std::size_t number(const Tree& tree) const { return number(tree.heads, tree.labels); }

 private:
  /// One number for heads and labels: at most 6 words, 7 heads.
  std::uint64_t code(const Heads& heads, const std::vector<int>& labels) const {
    std::uint64_t result = 0;
    for (std::size_t d = 1; d < heads.size(); ++d)
      result = (result * 7 + heads[d]) * labels_ + (labels.empty() ? 0 : labels[d]);
    return result;
  }

  int labels_;
  std::vector<oracle::Tree> list_;
  std::unordered_map<std::uint64_t, std::size_t> number_;
};

/// The p-value of samples against the exact distribution.
inline double fit(const std::vector<std::size_t>& numbers, const Trees& trees) {
  statistics::Counts counts(trees.size(), 0);
  for (std::size_t number : numbers) ++counts[number];
  return statistics::fit(counts, trees.probabilities());
}

/// Score, log-probability and form of a tree.
inline void expect_described(const Tree& tree, const oracle::Tree& expected, bool labelled, double tolerance = 1e-11) {
  EXPECT_EQ(tree.heads, expected.heads);
  EXPECT_EQ(tree.labels, labelled ? expected.labels : std::vector<int>());
  EXPECT_NEAR(tree.score, static_cast<double>(expected.score), tolerance * std::max(1.0L, std::abs(expected.score)));
  ASSERT_TRUE(tree.log_prob.has_value());
  EXPECT_NEAR(*tree.log_prob, static_cast<double>(expected.log_prob),
              tolerance * std::max(1.0L, std::abs(expected.log_prob)));
}

/// Scores that favour the arcs of one tree by `gap`, over a background N(0, 1): no walk stalls.
inline Matrix around_a_tree(int words, double gap, graphs::Random& random) {
  Matrix scores = graphs::normal(words, 1.0, random);
  const Heads heads = graphs::random_tree(words, random);
  for (int d = 1; d <= words; ++d) scores(heads[d], d) += gap;
  return scores;
}

}  // namespace kirchhoff
