// Following best heads and contracting the cycles met, until no word is left.
#pragma once

#include "decode/kernels/columns.hpp"

#include <cstdint>

namespace kirchhoff::decode {

/// The graph under contraction, as pointers into storage of the caller. Node 0 is the root, 1..n are the words, and
/// each contracted cycle adds a node.
struct ContractedGraph {
  Columns columns;
  Root root = Root::multi;  ///< with Root::single, the root is a node's head only if nothing else can be
  bool one_child = false;   ///< give up when the root gets a second child
  ContractionNode* nodes = nullptr;
  int* members = nullptr;      ///< the members of all cycles, one after the other
  int* members_end = nullptr;  ///< cycle c has members members_end[c - 1] .. members_end[c]
  /// When each word was met, counted from 2 on; 1 for the root, 0 for words not met yet. Padded like a column.
  std::int64_t* position = nullptr;
  int* path = nullptr;
};

/// Returns the number of nodes when every word has a path to the root (through one child if that is asked for), else 0.
int grow(const ContractedGraph& graph);

}  // namespace kirchhoff::decode
