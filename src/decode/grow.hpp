// Following best heads and contracting the cycles met, until no word is left.
#pragma once

#include "core/columns.hpp"

#include <cstdint>

namespace kirchhoff::decode {

/// A node on the path.
struct PathNode {
  const double* values;  ///< its column, which counts less `weight`
  double weight;
  int node;
  int first;  ///< position of its first word; the others follow
};

/// The graph under contraction, all by pointers into storage of the caller.
/// Nodes: 0 the root, 1..n the words, then one for each contracted cycle.
struct Graph {
  core::Columns columns;
  Root root = Root::multi;
  const int* fixed = nullptr;  ///< by word: its only head, -1 for any
  double* weight = nullptr;    ///< by node: its best arc's score, less what entering there saves inside
  int* head = nullptr;         ///< by node: its best arc's head
  int* members = nullptr;      ///< of all cycles, one after the other
  int* members_end = nullptr;  ///< by node; cycle c has members from members_end[c - 1] on
  /// By word, padded like a column: when it was met, from 2 on; 1 for the root, 0 for words not met yet.
  std::int64_t* position = nullptr;
  PathNode* path = nullptr;
};

/// Number of nodes when every word has a path to the root, 0 if that is not possible.
int grow(const Graph& graph);

}  // namespace kirchhoff::decode
