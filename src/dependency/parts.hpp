// The second-order parts over candidate arcs: what two arcs that meet in a word say together.
//   siblings (h, d, s): d and s are next to each other among the dependents of h on one side, d nearer to h. With d ==
//   h,
//     s is the first one; with s == -1 on the left and n + 1 on the right, d is the last one.
//   grandparents (g, h, d): the arcs are g -> h and h -> d. With d == g no tree has both, which the TREE factor says.
//
// A word with i candidate heads and k candidate dependents on a side has (k + 1)(k + 2) / 2 and i k parts there.
#pragma once

#include "dependency/candidates.hpp"
#include "factor/factors/head.hpp"
#include "kirchhoff/types.hpp"

namespace kirchhoff::dependency {

/// The three nodes of a part.
using PartNodes = std::array<int, 3>;

/// The parts around one head.
struct HeadParts {
  int head = 0;
  std::vector<std::uint32_t> in;                  ///< candidates into the head; none for the root
  std::array<std::vector<std::uint32_t>, 2> out;  ///< candidates from it to the left and to the right, nearest first
  std::array<std::size_t, 2> first_sibling{};     ///< as in HeadShape
  std::size_t first_grandparent = 0;

  factor::HeadShape shape() const {
    return {in.size(), {out[0].size(), out[1].size()}, first_sibling, first_grandparent};
  }
};

struct DependencyParts {
  int words = 0;
  std::vector<std::uint16_t> dependents;  ///< by candidate
  std::vector<HeadParts> heads;
  std::vector<PartNodes> siblings;      ///< parts 0, 1, ...
  std::vector<PartNodes> grandparents;  ///< the parts after them

  std::size_t size() const { return siblings.size() + grandparents.size(); }
};
DependencyParts list_parts(int words, const Candidates& candidates);

/// For each part, 1 if the tree has it and 0 if it does not.
std::vector<char> parts_in_tree(const DependencyParts& parts, const Candidates& candidates, const Heads& tree);

/// The parts of a tree, without candidates.
struct TreeParts {
  std::vector<PartNodes> siblings, grandparents;
};
TreeParts tree_parts(const Heads& tree);

}  // namespace kirchhoff::dependency
