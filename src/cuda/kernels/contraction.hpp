// The memory in which a team finds the best tree of one graph, and the part of the work that one thread does: it
// follows best heads until they close a cycle, and expands the cycles at the end.
//
// This is decode/contraction.cpp with decode/kernels/grow.cpp, cut at the places where a team takes over: to read the
// scores, and to make one column of those of a cycle's members (best_tree.hpp). Equally good trees are told apart as
// there, so the tree is the same.
#pragma once

#include "cuda/kernels/executor.hpp"

#include <cmath>
#include <cstddef>

namespace kirchhoff::cuda {

/// What the path along best heads has come to.
enum class Event { arrived, closed_cycle, no_tree };

/// Where the path is. One thread writes it, between phases in which all read it.
struct Growth {
  int start, word;  // the path began at the first and has reached the second
  int path, met, earlier, children;
  int nodes, members;
  int first_member;  // of the cycle that was closed last
  bool root_last;    // the root is a node's head only if nothing else can be
  bool one_child;    // give up when the root gets a second child
  Event event;
  int invalid;
};

/// The root is node 0, words are 1..n, and each contracted cycle adds a node; there are 2n nodes at most.
class ContractionDesk {
 public:
  KIRCHHOFF_BOTH ContractionDesk(char* memory, int words) : n(words), memory_(memory) {}
  static KIRCHHOFF_BOTH constexpr std::size_t bytes(int n) {
    const std::size_t nodes = n + 1, doubles = 2 * nodes * nodes + 3 * nodes, ints = 12 * nodes;
    return (doubles * sizeof(double) + ints * sizeof(int) + sizeof(Growth) + 15) / 16 * 16;
  }

  const int n;

  /// For every head the best arc from it into a node.
  KIRCHHOFF_BOTH double* column(int node) const { return doubles() + static_cast<std::size_t>(node) * (n + 1); }
  /// The weight of a node's best arc; in a cycle, less what entering there saves inside.
  KIRCHHOFF_BOTH double* weight() const { return column(2 * (n + 1)); }
  /// Weights and heads of words' best arcs, while others are tried.
  KIRCHHOFF_BOTH double* kept_weight() const { return weight() + 2 * (n + 1); }
  KIRCHHOFF_BOTH int* kept_head() const { return reinterpret_cast<int*>(kept_weight() + (n + 1)); }
  KIRCHHOFF_BOTH int* head() const { return kept_head() + (n + 1); }
  /// When a word was met, counted from 2 on; 1 for the root, 0 for words that were not met yet.
  KIRCHHOFF_BOTH int* position() const { return head() + 2 * (n + 1); }
  /// The position of the first of a node's words.
  KIRCHHOFF_BOTH int* first() const { return position() + (n + 1); }
  KIRCHHOFF_BOTH int* path() const { return first() + 2 * (n + 1); }
  /// Cycle c has the members from members_end()[c - 1] up to members_end()[c].
  KIRCHHOFF_BOTH int* members() const { return path() + 2 * (n + 1); }
  KIRCHHOFF_BOTH int* members_end() const { return members() + 2 * (n + 1); }
  KIRCHHOFF_BOTH Growth& growth() const { return *reinterpret_cast<Growth*>(members_end() + 2 * (n + 1)); }

 private:
  KIRCHHOFF_BOTH double* doubles() const { return reinterpret_cast<double*>(memory_); }
  char* memory_;
};

/// Takes the nodes of the cycle that ends in a word met at `position` off the path; they are members of a new node.
KIRCHHOFF_BOTH void close_cycle(const ContractionDesk& desk, int position) {
  Growth& g = desk.growth();
  g.first_member = g.members;
  int node;
  do {
    node = desk.path()[--g.path];
    desk.members()[g.members++] = node;
  } while (desk.first()[node] > position);
  desk.members_end()[g.nodes] = g.members;
  desk.first()[g.nodes] = desk.first()[node];
}

/// Follows best heads to the root or to a word of an earlier path, and from the next word again, until a cycle is
/// closed or all words have been met.
KIRCHHOFF_BOTH Event follow_heads(const ContractionDesk& desk) {
  Growth& g = desk.growth();
  for (;;) {
    const int position = desk.position()[g.word];
    if (position == 0) {
      desk.position()[g.word] = desk.first()[g.word] = ++g.met;
      desk.path()[g.path++] = g.word;
      g.word = desk.head()[g.word];
    } else if (position > g.earlier) {
      close_cycle(desk, position);
      return Event::closed_cycle;
    } else {
      g.children += g.word == 0 ? 1 : 0;
      if (g.children > 1 && g.one_child) return Event::no_tree;
      while (g.start <= desk.n && desk.position()[g.start] != 0) ++g.start;
      if (g.start > desk.n) return Event::arrived;
      g.earlier = g.met;
      g.path = 0;
      g.word = g.start;
    }
  }
}

/// Puts the new node, whose best arc is known, on the path in the place of its members, and goes on from there.
KIRCHHOFF_BOTH Event leave_cycle(const ContractionDesk& desk, double weight, int head) {
  Growth& g = desk.growth();
  if (weight == -HUGE_VAL) return Event::no_tree;
  desk.weight()[g.nodes] = weight;
  desk.head()[g.nodes] = head;
  desk.path()[g.path++] = g.nodes++;
  g.word = head;
  return follow_heads(desk);
}

/// Starts from the best arcs of words, none of which has been met.
KIRCHHOFF_BOTH Event start_growth(const ContractionDesk& desk, bool root_last, bool one_child) {
  const int n = desk.n;
  desk.position()[0] = 1;
  desk.members_end()[n] = 0;
  desk.growth() = {1, 1, 0, 1, 1, 0, n + 1, 0, 0, root_last, one_child, Event::arrived, 0};
  return follow_heads(desk);
}

/// Goes from the last cycle to the first: the arc into a cycle displaces that of the member it enters. Afterwards the
/// heads of words are those of the tree.
KIRCHHOFF_BOTH void expand_cycles(const ContractionDesk& desk) {
  for (int cycle = desk.growth().nodes - 1; cycle > desk.n; --cycle) {
    const int head = desk.head()[cycle];
    int entry = 0;
    double top = -HUGE_VAL;
    for (int m = desk.members_end()[cycle - 1]; m < desk.members_end()[cycle]; ++m) {
      const int member = desk.members()[m];
      const double value = desk.column(member)[head] - desk.weight()[member];
      if (value < top) continue;
      entry = member;  // of equal members the lowest on the path
      top = value;
    }
    desk.head()[entry] = head;
  }
}

}  // namespace kirchhoff::cuda
