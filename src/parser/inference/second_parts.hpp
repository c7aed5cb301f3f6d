// The second-order parts of a sentence whose arcs were pruned: what two arcs that meet in a word say together.
//   siblings (h, d, s): d and s are next to each other among h's dependents on one side, d nearer to h; d == h: s is
//   the
//     first one; s == -1 on the left and n + 1 on the right: d is the last one
//   grandparents (g, h, d): arcs g -> h and h -> d; with d == g, which is no tree's, it has no features: that the TREE
//     forbids it is enough
//
// For a word with i candidate heads and k candidate dependents on a side: (k + 1)(k + 2) / 2 and i k parts.
#pragma once

#include "parser/features/features.hpp"
#include "parser/inference/pruner.hpp"

namespace kirchhoff::parser {

/// Parts around one head. Candidates are numbered as in Candidates::heads.
struct HeadParts {
  int head = 0;
  std::vector<std::uint32_t> in;                  ///< candidates into the head; none for the root
  std::array<std::vector<std::uint32_t>, 2> out;  ///< candidates from it to the left and to the right, nearest first
  std::array<std::uint32_t, 2> first_sibling{};   ///< part of transition(0, 1), left and right
  std::uint32_t first_grand = 0;                  ///< part of (in[0], out[0][0]); then the rest, in[0] first
};

/// Where the transition from the i-th to the j-th of k dependents stands, 0 <= i < j <= k + 1: i == 0: there is none
/// before, j == k + 1: there is none after.
inline std::size_t transition(std::size_t k, std::size_t i, std::size_t j) {
  return i * (k + 1) - i * (i + 1) / 2 + j - 1;
}
inline std::size_t transitions(std::size_t k) { return (k + 1) * (k + 2) / 2; }

struct SecondParts {
  int words = 0;
  std::vector<std::uint16_t> dependents;  ///< of the candidates
  std::vector<HeadParts> heads;
  std::vector<Nodes> siblings;  ///< parts 0, 1, ...
  std::vector<Nodes> grands;    ///< the parts after them

  std::size_t size() const { return siblings.size() + grands.size(); }
};
SecondParts list_parts(int words, const Candidates& candidates);

/// For each part, whether the tree has it.
std::vector<char> parts_of(const SecondParts& parts, const Candidates& candidates, const Heads& tree);
/// The siblings and the grandparents of a tree, as Nodes.
struct TreeParts {
  std::vector<Nodes> siblings, grands;
};
TreeParts tree_parts(const Heads& tree);

}  // namespace kirchhoff::parser
