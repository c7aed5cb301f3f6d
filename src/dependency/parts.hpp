// The parts over candidate arcs that a model scores beside the arcs: what arcs that meet in a word say together.
//   next siblings (h, d, s): d and s are next to each other among the dependents of h on one side, d nearer to h. With
//     d == h, s is the first one; with s == -1 on the left and n + 1 on the right, d is the last one.
//   all siblings (h, d, s): h -> d and h -> s, d < s.
//   grandparents (g, h, d): the arcs are g -> h and h -> d. With d == g no tree has both, which the TREE factor says.
//   bigrams (h, d, k): the arcs are h -> d and k -> d + 1.
//   non-projective arcs (h, d): h -> d, and a word between them does not descend from h.
//
// A word with i candidate heads and k candidate dependents on a side has (k + 1)(k + 2) / 2 next siblings and i k
// grandparents there; with m candidate dependents in all, m (m - 1) / 2 siblings.
#pragma once

#include "dependency/candidates.hpp"
#include "factor/factors/head.hpp"
#include "kirchhoff/part_set.hpp"
#include "kirchhoff/types.hpp"

namespace kirchhoff::dependency {

/// The three nodes of a part; a non-projective arc has -1 for the third.
using PartNodes = std::array<int, 3>;

/// The parts around one head.
struct HeadParts {
  int head = 0;
  std::vector<std::uint32_t> in;                  ///< candidates into the head; none for the root
  std::array<std::vector<std::uint32_t>, 2> out;  ///< candidates from it to the left and to the right, nearest first
  std::array<std::size_t, 2> first_sibling{};     ///< as in HeadShape
  std::size_t first_grandparent = 0;

  /// True for a root without candidates to depend on it, which has no HEAD factor.
  bool empty() const { return in.empty() && out[0].empty() && out[1].empty(); }
  factor::HeadShape shape() const {
    return {in.size(), {out[0].size(), out[1].size()}, first_sibling, first_grandparent};
  }
};

/// The parts of a tree, or those over candidates. They are numbered in this order.
struct PartLists {
  std::vector<PartNodes> siblings, grandparents, bigrams, non_projective;

  std::size_t size() const { return first_non_projective() + non_projective.size(); }
  std::size_t first_bigram() const { return siblings.size() + grandparents.size(); }
  std::size_t first_non_projective() const { return first_bigram() + bigrams.size(); }
};

struct DependencyParts : PartLists {
  /// Two candidates that make a part.
  using Pair = std::array<std::uint32_t, 2>;

  int words = 0;
  std::vector<std::uint16_t> dependents;  ///< by candidate
  std::vector<HeadParts> heads;
  /// HEAD factors score siblings and grandparents; else all parts but non-projective arcs are pairs.
  bool has_heads = false;
  std::vector<Pair> pairs;               ///< the candidates of parts first_pair(), first_pair() + 1, ...
  std::vector<std::uint32_t> arc_parts;  ///< the candidates of non-projective arcs

  std::size_t first_pair() const { return has_heads ? first_bigram() : 0; }
};
/// HEAD factors always have grandparents: where the set has next siblings alone, those are listed and score nothing.
DependencyParts list_parts(int words, const Candidates& candidates, const PartSet& set);

/// For each part, 1 if the tree has it and 0 if it does not.
std::vector<char> parts_in_tree(const DependencyParts& parts, const Candidates& candidates, const Heads& tree);

/// The parts of a tree, without candidates.
PartLists tree_parts(const Heads& tree, const PartSet& set);

/// For each word, 1 if the arc into it spans a word that does not descend from its head.
std::vector<char> non_projective_arcs(const Heads& tree);

}  // namespace kirchhoff::dependency
