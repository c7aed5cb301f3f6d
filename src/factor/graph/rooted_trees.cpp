// Adds the factors whose variables are at the nodes of a tree or in a row with a budget, after a check of every
// argument.
#include "base/check.hpp"
#include "factor/factors/rooted_tree.hpp"

#include <string>
#include <utility>

namespace kirchhoff {
namespace {

using factor::RootedTreeFactor;

[[noreturn]] void fail(const char* argument, const std::string& problem) {
  base::input_error("add_rooted_tree", std::string(argument) + ": " + problem);
}

void check_size(const char* argument, std::size_t size, std::size_t expected) {
  if (size != expected) fail(argument, std::to_string(size) + " entries, expected " + std::to_string(expected));
}

/// The nodes make one tree: every one of them has the root above it.
void check_parents(const std::vector<int>& parents, int nodes) {
  check_size("parents", parents.size(), static_cast<std::size_t>(nodes));
  if (std::count(parents.begin(), parents.end(), -1) != 1) fail("parents", "there must be one root, with parent -1");
  for (int i = 0; i < nodes; ++i) {
    if (parents[i] < -1 || parents[i] >= nodes) {
      fail("parents", "node " + std::to_string(parents[i]) + " is not among " + std::to_string(nodes));
    }
  }
  std::vector<char> is_below(static_cast<std::size_t>(nodes), 0);  // the root, as far as is known
  std::vector<int> path;
  for (int i = 0; i < nodes; ++i) {
    path.clear();
    int at = i;
    for (; at >= 0 && is_below[at] == 0; at = parents[at]) {
      path.push_back(at);
      if (static_cast<int>(path.size()) > nodes) fail("parents", "node " + std::to_string(i) + " is in a cycle");
    }
    for (const int node : path) is_below[node] = 1;
  }
}

/// Tells the shape which nodes have scores of counts, and returns the scores.
std::vector<double> add_counts(const RootedTree& tree, RootedTreeFactor::Shape& shape) {
  const auto root = static_cast<int>(std::find(tree.parents.begin(), tree.parents.end(), -1) - tree.parents.begin());
  if (!tree.count_scores.empty()) shape.scored.push_back({root, static_cast<int>(tree.count_scores.size())});
  for (const double score : tree.count_scores) base::check_score("add_rooted_tree", "count_scores", score);
  std::vector<double> all = tree.count_scores;
  std::vector<char> seen(tree.groups.size(), 0);
  for (const SubtreeCounts& subtree : tree.subtree_counts) {
    const std::string node = "node " + std::to_string(subtree.node);
    if (subtree.node < 0 || subtree.node >= static_cast<int>(tree.groups.size()) || subtree.node == root) {
      fail("subtree_counts", node + " is not below the root, whose are count_scores");
    }
    if (std::exchange(seen[subtree.node], char{1}) != 0) fail("subtree_counts", node + " comes twice");
    if (subtree.scores.empty()) fail("subtree_counts", node + " has no scores");
    for (const double score : subtree.scores) base::check_score("add_rooted_tree", "subtree_counts", score);
    shape.scored.push_back({subtree.node, static_cast<int>(subtree.scores.size())});
    all.insert(all.end(), subtree.scores.begin(), subtree.scores.end());
  }
  return all;
}

void check_both(const RootedTree& tree) {
  std::vector<char> seen(tree.groups.size(), 0);
  for (const LiteralOfBoth& both : tree.both) {
    const std::string node = "node " + std::to_string(both.node);
    if (both.node < 0 || both.node >= static_cast<int>(tree.groups.size()) || tree.parents[both.node] < 0) {
      fail("both", node + " has no parent");
    }
    if (tree.groups[both.node].size() != 1 || tree.groups[tree.parents[both.node]].size() != 1) {
      fail("both", node + " and its parent must be binary");
    }
    if (std::exchange(seen[both.node], char{1}) != 0) fail("both", node + " comes twice");
  }
}

}  // namespace

int FactorGraph::add_rooted_tree(const RootedTree& tree) {
  if (tree.groups.empty()) fail("groups", "none given");
  std::vector<int> sizes;
  Literals literals;
  for (const Literals& group : tree.groups) {
    if (group.empty()) fail("groups", "an empty one");
    sizes.push_back(static_cast<int>(group.size()));
    literals.insert(literals.end(), group.begin(), group.end());
  }
  RootedTreeFactor::Shape shape{factor::Slots(sizes), tree.parents, tree.counted, {}, {}};
  check_parents(tree.parents, shape.slots.count());
  if (!tree.counted.empty()) check_size("counted", tree.counted.size(), tree.groups.size());
  for (std::size_t i = 0; i < tree.counted.size(); ++i) {
    if (tree.counted[i] < -1 || tree.counted[i] >= shape.slots.states(static_cast<int>(i))) {
      fail("counted", "node " + std::to_string(i) + " has no value " + std::to_string(tree.counted[i]));
    }
  }
  const std::size_t size = RootedTreeFactor::size(shape.slots, tree.parents);
  std::vector<double> transitions = tree.transitions;
  if (transitions.empty()) transitions.resize(size, 0.0);
  check_size("transitions", transitions.size(), size);
  for (const double score : transitions) base::check_score("add_rooted_tree", "transitions", score);
  const std::vector<double> count_scores = add_counts(tree, shape);
  check_both(tree);
  for (const LiteralOfBoth& both : tree.both) {
    shape.both.push_back(both.node);
    literals.push_back(both.literal);
  }
  return add_factor(std::make_shared<RootedTreeFactor>(std::move(shape), std::move(transitions), count_scores),
                    literals);
}

int FactorGraph::add_compression(const Literals& words, int budget, const std::vector<int>& counted,
                                 const std::vector<double>& transitions, const std::vector<LiteralOfBoth>& bigrams) {
  if (budget < 0) base::input_error("add_compression", "budget: " + std::to_string(budget) + " is negative");
  if (!counted.empty() && counted.size() != words.size()) {
    base::input_error("add_compression",
                      "counted: " + std::to_string(counted.size()) + " for " + std::to_string(words.size()) + " words");
  }
  RootedTree tree{.groups = {}, .parents = {}, .transitions = transitions, .both = bigrams};
  for (std::size_t t = 0; t < words.size(); ++t) {
    tree.groups.push_back({words[t]});
    tree.parents.push_back(static_cast<int>(t) - 1);
    if (!counted.empty() && counted[t] != 0 && counted[t] != 1) {
      base::input_error("add_compression", "counted: " + std::to_string(counted[t]) + " is neither 0 nor 1");
    }
    tree.counted.push_back(counted.empty() || counted[t] == 1 ? 1 : -1);
  }
  tree.count_scores.resize(std::min(words.size(), static_cast<std::size_t>(budget)) + 1, 0.0);
  return add_rooted_tree(tree);
}

}  // namespace kirchhoff
