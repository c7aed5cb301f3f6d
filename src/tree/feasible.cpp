// Searches along arcs head -> dependent. A multi-root tree exists iff the root reaches every word; a single-root
// tree iff some child of the root reaches every word without going through the root.
#include "tree/feasible.hpp"

#include <cmath>
#include <string>
#include <vector>

namespace kirchhoff::tree {
namespace {

bool possible(const MatrixRef& scores, int head, int dependent) {
  return head != dependent && dependent != 0 && scores(head, dependent) != -HUGE_VAL;
}

// Marks the nodes that `start` reaches, or that reach it.
void visit(const MatrixRef& scores, int start, std::vector<bool>& seen, bool backwards = false) {
  const int size = static_cast<int>(scores.rows());
  std::vector<int> stack{start};
  seen[start] = true;
  while (!stack.empty()) {
    const int node = stack.back();
    stack.pop_back();
    for (int next = 1; next < size; ++next) {
      if (seen[next]) continue;
      if (backwards ? !possible(scores, next, node) : !possible(scores, node, next)) continue;
      seen[next] = true;
      stack.push_back(next);
    }
  }
}

int first_unseen(const std::vector<bool>& seen) {
  for (std::size_t word = 1; word < seen.size(); ++word) {
    if (!seen[word]) return static_cast<int>(word);
  }
  return 0;
}

// The words that reach every word: either none do, or all that reach the last start of a sweep.
std::vector<bool> mothers(const MatrixRef& scores) {
  const int size = static_cast<int>(scores.rows());
  std::vector<bool> seen(size, false);
  int candidate = 1;
  for (int word = 1; word < size; ++word) {
    if (seen[word]) continue;
    visit(scores, word, seen);
    candidate = word;
  }
  std::vector<bool> reached(size, false), result(size, false);
  visit(scores, candidate, reached);
  if (first_unseen(reached) == 0) visit(scores, candidate, result, /*backwards=*/true);
  return result;
}

}  // namespace

int require_feasible(const MatrixRef& scores, Root root) {
  const int n = static_cast<int>(scores.rows()) - 1;
  std::vector<bool> seen(n + 1, false);
  visit(scores, 0, seen);
  if (const int word = first_unseen(seen)) {
    throw Infeasible("word " + std::to_string(word) + " cannot be reached from the root");
  }
  if (root == Root::multi) return n;
  const std::vector<bool> mother = mothers(scores);
  for (int word = n; word >= 1; --word) {
    if (mother[word] && possible(scores, 0, word)) return word;
  }
  throw Infeasible("no child of the root can reach every other word, so the root needs several children");
}

}  // namespace kirchhoff::tree
