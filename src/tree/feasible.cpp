// Searches along arcs head -> dependent. A multi-root tree exists iff the root reaches every word; a single-root
// tree iff some child of the root reaches every word without going through the root.
//
// Sets of nodes are bits, 64 to a word, so that a node's arcs are followed by a few operations on whole words: a search
// takes n^2 / 64 of them.
#include "tree/feasible.hpp"

#include "tree/kernels/arc_bits.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace kirchhoff::tree {
namespace {

using NodeSet = std::span<std::uint64_t>;

constexpr std::size_t kLargestKept = 500;  // words; the storage of larger graphs is given back

std::uint64_t bit(std::size_t node) { return std::uint64_t{1} << node % kBitsInWord; }
bool has(NodeSet set, std::size_t node) { return (set[node / kBitsInWord] & bit(node)) != 0; }
void add(NodeSet set, std::size_t node) { set[node / kBitsInWord] |= bit(node); }
void remove(NodeSet set, std::size_t node) { set[node / kBitsInWord] &= ~bit(node); }

class Reachability {
 public:
  /// Reads which arcs are possible. `storage` keeps the sets.
  Reachability(const MatrixRef& scores, std::vector<std::uint64_t>& storage)
      : nodes_(scores.rows()), words_(bit_words(nodes_)) {
    storage.resize((nodes_ + 3) * words_);
    bits_ = storage.data();
    arc_bits({scores.data(), nodes_, nodes_, static_cast<std::size_t>(scores.outerStride())}, bits_);
    for (std::size_t head = 0; head < nodes_; ++head) {
      remove(dependents(head), 0);
      remove(dependents(head), head);
    }
  }

  /// The first word that cannot be reached from the root, or 0.
  std::size_t first_cut_off() {
    const NodeSet seen = empty_set(0);
    visit(0, seen);
    return first_outside(seen);
  }

  /// A child of the root that reaches every word: `preferred`, if it does, else the last that does; or 0. A word that
  /// does not reach them all excludes whatever it reaches: so each node is visited once, in a set that only grows. When
  /// it holds all words, only the word that it was completed by is left, and whether that reaches them all by itself
  /// takes another search.
  std::size_t sole_child(std::size_t preferred) {
    const NodeSet excluded = empty_set(0);
    bool first = true;
    for (std::size_t word = preferred, next = nodes_ - 1; word >= 1; word = next--) {
      if (!has(dependents(0), word) || has(excluded, word)) continue;
      visit(word, excluded);
      const bool complete = first_outside(excluded) == 0;
      if (complete && first) return word;
      if (complete) {
        const NodeSet seen = empty_set(1);
        visit(word, seen);
        return first_outside(seen) == 0 ? word : 0;
      }
      first = false;
    }
    return 0;
  }

 private:
  NodeSet set(std::size_t i) const { return {bits_ + i * words_, words_}; }
  NodeSet dependents(std::size_t head) const { return set(head); }
  NodeSet empty_set(std::size_t i) const {
    const NodeSet result = set(nodes_ + i);
    std::fill(result.begin(), result.end(), 0);
    return result;
  }

  /// Adds `start` and what it reaches to `seen`, which holds, with each of its nodes, what that reaches.
  void visit(std::size_t start, NodeSet seen) {
    const NodeSet waiting = empty_set(2);  // seen, but their dependents have not been
    add(seen, start);
    add(waiting, start);
    for (std::size_t i = start / kBitsInWord; i < words_;) {
      if (waiting[i] == 0) {
        ++i;
        continue;
      }
      const std::size_t node = i * kBitsInWord + std::countr_zero(waiting[i]);
      waiting[i] &= waiting[i] - 1;
      const NodeSet arcs = dependents(node);
      for (std::size_t k = 0; k < words_; ++k) {
        const std::uint64_t found = arcs[k] & ~seen[k];
        seen[k] |= found;
        waiting[k] |= found;
        if (found != 0) i = std::min(i, k);
      }
    }
  }

  /// The first word that is not in the set, or 0.
  std::size_t first_outside(NodeSet set) const {
    for (std::size_t i = 0; i < words_; ++i) {
      const std::uint64_t missing = ~(i == 0 ? set[i] | 1 : set[i]);
      const std::size_t node = i * kBitsInWord + std::countr_zero(missing);
      if (missing != 0) return node < nodes_ ? node : 0;
    }
    return 0;
  }

  std::size_t nodes_;              // the root among them
  std::size_t words_;              // of a set
  std::uint64_t* bits_ = nullptr;  // the dependents of each node, then three more sets
};

int feasible_child(const MatrixRef& scores, Root root, int preferred, std::vector<std::uint64_t>& storage) {
  Reachability graph(scores, storage);
  if (const std::size_t word = graph.first_cut_off()) {
    throw Infeasible("word " + std::to_string(word) + " cannot be reached from the root");
  }
  if (root == Root::multi) return static_cast<int>(scores.rows()) - 1;
  if (const std::size_t word = graph.sole_child(preferred)) return static_cast<int>(word);
  throw Infeasible("no child of the root can reach every other word, so the root needs several children");
}

}  // namespace

int require_feasible(const MatrixRef& scores, Root root) {
  return require_feasible(scores, root, static_cast<int>(scores.rows()) - 1);
}

int require_feasible(const MatrixRef& scores, Root root, int preferred) {
  thread_local std::vector<std::uint64_t> kept;
  std::vector<std::uint64_t> once;
  const bool large = static_cast<std::size_t>(scores.rows()) > kLargestKept + 1;
  return feasible_child(scores, root, preferred, large ? once : kept);
}

}  // namespace kirchhoff::tree
