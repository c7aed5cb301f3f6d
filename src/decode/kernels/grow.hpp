// Following best heads and contracting the cycles met, until no word is left.
#pragma once

#include "decode/kernels/columns.hpp"

#include <cstdint>

namespace kirchhoff::decode {

/// The graph under contraction, all by pointers into storage of the caller.
/// Nodes: 0 the root, 1..n the words, then one for each contracted cycle.
struct Graph {
  decode::Columns columns;
  Root root = Root::multi;  ///< single: the root is a node's head only if nothing else can be
  bool one_child = false;   ///< give up when the root gets a second child
  decode::Node* nodes = nullptr;
  int* members = nullptr;      ///< of all cycles, one after the other
  int* members_end = nullptr;  ///< by node; cycle c has members from members_end[c - 1] on
  /// By word, padded like a column: when it was met, from 2 on; 1 for the root, 0 for words not met yet.
  std::int64_t* position = nullptr;
  int* path = nullptr;
};

/// Number of nodes when every word has a path to the root, if asked for through one child; else 0.
int grow(const Graph& graph);

}  // namespace kirchhoff::decode
