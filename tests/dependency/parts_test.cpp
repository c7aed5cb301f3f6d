// The parts listed for candidates, those of them that a tree has, and the parts of a tree are the same.
#include "dependency/parts.hpp"
#include "dependency/random_parts.hpp"

#include <gtest/gtest.h>

#include <set>

namespace kirchhoff::dependency {
namespace {

/// All sets of parts.
std::vector<PartSet> all_sets() {
  std::vector<PartSet> sets;
  for (int bits = 0; bits < 8; ++bits) {
    for (const Siblings siblings : {Siblings::none, Siblings::next, Siblings::all}) {
      sets.push_back({siblings, (bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0});
    }
  }
  return sets;
}

using Lists = std::array<std::multiset<PartNodes>, 4>;

Lists lists_of(const PartLists& parts) {
  const auto set = [](const std::vector<PartNodes>& list) {
    return std::multiset<PartNodes>(list.begin(), list.end());
  };
  return {set(parts.siblings), set(parts.grandparents), set(parts.bigrams), set(parts.non_projective)};
}

TEST(DependencyParts, OfATreeAreThoseListedForIt) {
  Random random(7);
  for (const PartSet& set : all_sets()) {
    for (int round = 0; round < 20; ++round) {
      const int words = 1 + round % 8;
      const Heads tree = graphs::random_tree(words, random);
      const Candidates c = random_candidates(words, 0.5, tree, random);
      const DependencyParts parts = list_parts(words, c, set);
      const auto has = parts_in_tree(parts, c, tree);
      ASSERT_EQ(has.size(), parts.size());
      PartLists found;
      std::size_t part = 0;
      for (const auto list :
           {&PartLists::siblings, &PartLists::grandparents, &PartLists::bigrams, &PartLists::non_projective}) {
        for (const PartNodes& nodes : parts.*list) {
          if (has[part++] != 0) (found.*list).push_back(nodes);
        }
      }
      if (!set.grandparents) found.grandparents.clear();  // HEAD factors list them all the same
      EXPECT_EQ(lists_of(found), lists_of(tree_parts(tree, set))) << to_string(set);
    }
  }
}

/// An arc is non-projective if some other arc, or the one to the root's child, crosses it when drawn above the words,
/// or it spans a root's child: here by listing all descendants.
TEST(DependencyParts, NonProjectiveArcsSpanAWordThatTheirHeadDoesNotDominate) {
  Random random(8);
  int count = 0;
  for (int round = 0; round < 300; ++round) {
    const int words = 2 + round % 7;
    const Heads tree = graphs::random_tree(words, random);
    std::vector<std::set<int>> below(static_cast<std::size_t>(words) + 1);
    for (int d = 1; d <= words; ++d) {
      for (int up = d; up != 0; up = tree[static_cast<std::size_t>(up)]) below[static_cast<std::size_t>(up)].insert(d);
      below[0].insert(d);
    }
    const std::vector<char> crosses = non_projective_arcs(tree);
    for (int d = 1; d <= words; ++d) {
      const int h = tree[static_cast<std::size_t>(d)];
      bool expected = false;
      for (int j = std::min(h, d) + 1; j < std::max(h, d); ++j) {
        expected |= !below[static_cast<std::size_t>(h)].contains(j);
      }
      EXPECT_EQ(crosses[static_cast<std::size_t>(d)] != 0, expected);
      count += static_cast<int>(expected);
    }
  }
  EXPECT_GT(count, 100);
}

TEST(PartSet, IsReadAsItIsWritten) {
  for (const PartSet& set : all_sets()) EXPECT_EQ(parse_parts(to_string(set)), set) << to_string(set);
  EXPECT_EQ(to_string(kArcs), "arcs");
  EXPECT_EQ(to_string(kNextSiblings), "next");
  EXPECT_EQ(to_string(kAllSiblings), "all");
  EXPECT_EQ(parse_parts("siblings=all,grandparents"), kAllSiblings);
  EXPECT_EQ(parse_parts("all,nonprojective"), (PartSet{Siblings::all, true, false, true}));
  for (const char* bad : {"", "none", "next,all", "siblings", "all,", "All", "siblings=none"}) {
    EXPECT_THROW(parse_parts(bad), InputError) << bad;
  }
}

}  // namespace
}  // namespace kirchhoff::dependency
