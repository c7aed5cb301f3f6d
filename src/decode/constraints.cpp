// Required and forbidden arcs: every other head of a word with a required one becomes impossible. Conflicts are found
// before any decoding, so that they can be named. O(n^2).
#include "decode/constraints.hpp"

#include "base/check.hpp"
#include "decode/labels.hpp"
#include "tree/feasible.hpp"

#include <cmath>
#include <string>

namespace kirchhoff {
namespace decode {
namespace {

std::string name(Arc arc) { return std::to_string(arc.head) + " -> " + std::to_string(arc.dependent); }

/// The required head of every word, or -1.
Heads required_heads(const char* function, int n, const Constraints& constraints) {
  Heads heads(n + 1, -1);
  for (const Arc arc : constraints.require) {
    base::check_arc(function, arc, n);
    int& head = heads[arc.dependent];
    if (head >= 0 && head != arc.head) {
      throw Infeasible("required arcs " + name({head, arc.dependent}) + " and " + name(arc) +
                       " give one word two heads");
    }
    head = arc.head;
  }
  return heads;
}

void check_cycles(const Heads& heads) {
  std::vector<int> seen(heads.size(), 0);
  for (int start = 1; start < static_cast<int>(heads.size()); ++start) {
    int node = start;
    while (node > 0 && seen[node] == 0) {
      seen[node] = start;
      node = heads[node];
    }
    if (node <= 0 || seen[node] != start) continue;
    std::string cycle = std::to_string(node);  // from the end to the start: heads point backwards
    for (int v = heads[node];; v = heads[v]) {
      cycle.insert(0, std::to_string(v) + " -> ");
      if (v == node) break;
    }
    throw Infeasible("required arcs form the cycle " + cycle);
  }
}

/// The required child of a root with one child, or 0.
int required_child(const Heads& heads, Root root) {
  int child = 0;
  for (int word = 1; word < static_cast<int>(heads.size()) && root == Root::single; ++word) {
    if (heads[word] != 0) continue;
    if (child > 0) {
      throw Infeasible("required arcs " + name({0, child}) + " and " + name({0, word}) +
                       " give the root two children, and it may have one");
    }
    child = word;
  }
  return child;
}

void forbid_all(const char* function, Matrix& scores, const Heads& heads, const Constraints& constraints) {
  for (const Arc arc : constraints.forbid) {
    base::check_arc(function, arc, static_cast<int>(scores.rows()) - 1);
    if (heads[arc.dependent] == arc.head) throw Infeasible("arc " + name(arc) + " is both required and forbidden");
    scores(arc.head, arc.dependent) = -HUGE_VAL;
  }
}

void require_all(Matrix& scores, const Heads& heads, int child) {
  const int n = static_cast<int>(scores.rows()) - 1;
  for (int word = 1; word <= n; ++word) {
    if (child > 0 && word != child) scores(0, word) = -HUGE_VAL;
    if (heads[word] < 0) continue;
    const double score = scores(heads[word], word);
    if (score == -HUGE_VAL) throw Infeasible("required arc " + name({heads[word], word}) + " is impossible");
    scores.col(word).setConstant(-HUGE_VAL);
    scores(heads[word], word) = score;
  }
}

}  // namespace

Matrix constrain(const char* function, const MatrixRef& scores, Root root, const Constraints& constraints) {
  const int n = base::check_square(function, "scores", scores);
  Matrix result = scores;
  if (constraints.empty()) return result;
  const Heads heads = required_heads(function, n, constraints);
  forbid_all(function, result, heads, constraints);
  check_cycles(heads);
  require_all(result, heads, required_child(heads, root));
  tree::require_feasible(scores, root);
  try {
    tree::require_feasible(result, root);
  } catch (const Infeasible& e) {
    throw Infeasible("under the required and forbidden arcs, " + std::string(e.what()));
  }
  return result;
}

LabelledMatrix constrain(const char* function, const LabelledMatrix& scores, Root root,
                         const Constraints& constraints) {
  LabelledMatrix result = scores;
  if (constraints.empty()) return result;
  const Matrix allowed = constrain(function, best_labels(function, scores).scores, root, constraints);
  for (int head = 0; head <= scores.words(); ++head) {
    for (int dependent = 1; dependent <= scores.words(); ++dependent) {
      if (allowed(head, dependent) != -HUGE_VAL) continue;
      for (int label = 0; label < scores.labels(); ++label) result(head, dependent, label) = -HUGE_VAL;
    }
  }
  return result;
}

}  // namespace decode

Matrix constrained(const MatrixRef& scores, Root root, const Constraints& constraints) {
  return decode::constrain("constrained", scores, root, constraints);
}

LabelledMatrix constrained(const LabelledMatrix& scores, Root root, const Constraints& constraints) {
  return decode::constrain("constrained", scores, root, constraints);
}

}  // namespace kirchhoff
