// The one check of trees, against the definition on all heads of a few words, and its words for what is wrong.
#include "kirchhoff/tree.hpp"

#include <gtest/gtest.h>

namespace kirchhoff {
namespace {

/// The definition, by following every word's heads for as many steps as there are words.
bool is_tree(const Heads& heads, Root root) {
  const auto n = static_cast<int>(heads.size()) - 1;
  int below_root = 0;
  for (int word = 1; word <= n; ++word) {
    int at = word;
    for (int step = 0; step < n && at > 0; ++step) at = heads[at] > n ? -1 : heads[at];
    if (at != 0) return false;
    below_root += heads[word] == 0 ? 1 : 0;
  }
  return root == Root::multi || below_root == 1;
}

TEST(TreeProblem, AgreesWithTheDefinitionOnAllHeadsOfFourWords) {
  int trees = 0;
  Heads heads{-1, -1, -1, -1, -1};
  for (int code = 0; code < 7 * 7 * 7 * 7; ++code) {
    int rest = code;
    for (int word = 1; word <= 4; ++word, rest /= 7) heads[word] = rest % 7 - 1;  // -1 ... 5
    for (const Root root : {Root::single, Root::multi}) EXPECT_EQ(!tree_problem(heads, root), is_tree(heads, root));
    trees += tree_problem(heads, Root::multi) ? 0 : 1;
  }
  EXPECT_EQ(trees, 125);  // (n + 1)^(n - 1)
}

TEST(TreeProblem, SaysWhatIsWrong) {
  EXPECT_EQ(tree_problem({-1, 0, -1}, Root::single), "word 2 has no head");
  EXPECT_EQ(tree_problem({-1, 0, 7}, Root::single), "word 2 has head 7 of 2 words");
  EXPECT_EQ(tree_problem({-1, 0, 3, 4, 2}, Root::single), "words 2 -> 3 -> 4 -> 2 form a cycle");
  EXPECT_EQ(tree_problem({-1, 1}, Root::single), "words 1 -> 1 form a cycle");
  EXPECT_EQ(tree_problem({-1, 0, 0}, Root::single), "2 words below the root");
  EXPECT_EQ(tree_problem({-1, 0, 0}, Root::multi), std::nullopt);
  EXPECT_EQ(tree_problem({0, 0}, Root::multi), "heads[0] is 0, expected -1");
  EXPECT_THROW(tree_problem({}, Root::multi), InputError);
}

TEST(CheckTree, AcceptsTrees) {
  EXPECT_NO_THROW(check_tree({-1, 0}, 1, Root::single, "gold"));
  EXPECT_NO_THROW(check_tree({-1, 2, 0, 2}, 3, Root::single, "gold"));
  EXPECT_NO_THROW(check_tree({-1, 0, 0, 2}, 3, Root::multi, "gold"));
}

TEST(CheckTree, RefusesTheRestAndSaysWhat) {
  const struct {
    Heads heads;
    Root root;
    const char* why;
  } cases[] = {
      {{-1, 0, 1}, Root::multi, "too short"},
      {{-1, 0, 1, 1, 1}, Root::multi, "too long"},
      {{}, Root::multi, "empty"},
      {{0, 0, 1, 1}, Root::multi, "heads[0] is not -1"},
      {{-1, 0, 4, 1}, Root::multi, "too large"},
      {{-1, 0, -1, 1}, Root::multi, "negative"},
      {{-1, 1, 0, 2}, Root::multi, "own head"},
      {{-1, 2, 1, 0}, Root::multi, "cycle of two"},
      {{-1, 2, 3, 1}, Root::multi, "no root arc"},
      {{-1, 0, 0, 1}, Root::single, "two root children"},
  };
  const TreeDistribution single(Matrix::Zero(4, 4), Root::single), multi(Matrix::Zero(4, 4), Root::multi);
  for (const auto& c : cases) {
    try {
      check_tree(c.heads, 3, c.root, "gold");
      FAIL() << c.why;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("gold"), std::string::npos) << error.what();
    }
    EXPECT_THROW((c.root == Root::single ? single : multi).log_prob(c.heads), InputError) << c.why;
  }
}

}  // namespace
}  // namespace kirchhoff
