// The parts listed for candidates, those of them that a tree has, and the parts of a tree are the same.
#include "dependency/parts.hpp"
#include "dependency/random_parts.hpp"

#include <gtest/gtest.h>

#include <set>

namespace kirchhoff::dependency {
namespace {

TEST(DependencyParts, OfATreeAreThoseListedForIt) {
  Random random(7);
  for (int round = 0; round < 50; ++round) {
    const int words = 1 + round % 8;
    const Heads tree = graphs::random_tree(words, random);
    const Candidates c = random_candidates(words, 0.5, tree, random);
    const DependencyParts parts = list_parts(words, c);
    const auto has = parts_in_tree(parts, c, tree);
    const TreeParts expected = tree_parts(tree);
    std::multiset<PartNodes> siblings, grandparents;
    for (std::size_t p = 0; p < parts.size(); ++p) {
      if (has[p] == 0) continue;
      if (p < parts.siblings.size()) {
        siblings.insert(parts.siblings[p]);
      } else {
        grandparents.insert(parts.grandparents[p - parts.siblings.size()]);
      }
    }
    EXPECT_EQ(siblings, std::multiset<PartNodes>(expected.siblings.begin(), expected.siblings.end()));
    EXPECT_EQ(grandparents, std::multiset<PartNodes>(expected.grandparents.begin(), expected.grandparents.end()));
  }
}

}  // namespace
}  // namespace kirchhoff::dependency
