// Sampling without replacement from a sequence model with a trie: each node is a prefix of heads and knows how much
// probability is left below each next head; a tree that has been drawn is subtracted all along its path.
// Source: [Shi20], with Colbourn's conditional marginals as the model, as in [Stanojevic22, section 5].
// Cost: O(n^3) for each tree, and O(n) numbers for each node. Nodes do not keep the inverse Laplacian, which would take
// O(n^2) numbers each, 8 GB for 1000 trees of 100 words; it is updated anew along every path.
#include "baselines/trie_sampling.hpp"

#include "baselines/conditional_marginals.hpp"

#include <algorithm>
#include <numeric>
#include <random>

namespace kirchhoff::bench {
namespace {

constexpr int kDeadEnds = 1000;  // More prefixes without a tree than this in a row: the inverse has been lost.

struct Node {
  std::vector<double> left;  ///< probability below each head that has not been drawn; empty before the first visit
  std::vector<int> child;    ///< the node below each head, or -1
};

struct Step {
  int node;
  int head;
};

/// Whether `head` can be the word's head, given the heads of earlier words: it makes no cycle and no second root child.
/// Rounding leaves some mass where the probability is 0, so that this is what keeps such trees out.
bool allowed(const std::vector<int>& heads, int word, int head) {
  if (head == word) return false;
  if (head == 0) return std::find(heads.begin() + 1, heads.begin() + word, 0) == heads.begin() + word;
  int above = head;
  while (above > 0 && above < word) above = heads[above];
  return above != word;
}

double total(const Node& node) { return std::accumulate(node.left.begin(), node.left.end(), 0.0); }

/// The head whose part of the node's mass `uniform` falls into; never one without mass.
int choose(const Node& node, double uniform) {
  double position = uniform * total(node);
  int last = -1;
  for (int head = 0; head < static_cast<int>(node.left.size()); ++head) {
    if (!(node.left[head] > 0)) continue;
    last = head;
    position -= node.left[head];
    if (position < 0) break;
  }
  return last;
}

}  // namespace

struct MassTrie::State {
  State(const double* scores, int n, std::uint64_t seed)
      : w(weights_of(scores, n)), inverse(laplacian_of(w).inverse()), rng(seed), nodes(1) {}

  int words() const { return static_cast<int>(w.rows()) - 1; }

  /// Gives a node that is visited for the first time its masses. `mass` is the probability of the prefix.
  void open(Node& node, const Dense& conditional, const std::vector<int>& heads, int word, double mass) const {
    const Eigen::VectorXd p = marginals_of_word(w, conditional, word);
    node.left.assign(p.size(), 0.0);
    node.child.assign(p.size(), -1);
    double sum = 0;
    for (int head = 0; head < p.size(); ++head) {
      if (p(head) > 0 && allowed(heads, word, head)) sum += node.left[head] = p(head);
    }
    for (double& left : node.left) left *= sum > 0 ? mass / sum : 0;
  }

  /// Subtracts the tree at the end of the path from every node of it. Below a node without mass nothing is left; above,
  /// rounding must not use up what is still there.
  void subtract(const std::vector<Step>& path, double mass) {
    double below = 0;
    for (std::size_t i = path.size(); i-- > 0;) {
      double& left = nodes[path[i].node].left[path[i].head];
      left = below > 0 ? (left > mass ? left - mass : below) : 0;
      below = total(nodes[path[i].node]);
    }
  }

  const ArcMatrix w;
  const Dense inverse;
  std::mt19937_64 rng;
  std::vector<Node> nodes;  // 0: the empty prefix
};

MassTrie::MassTrie(const double* scores, int n, std::uint64_t seed)
    : state_(std::make_unique<State>(scores, n, seed)) {}
MassTrie::~MassTrie() = default;

std::vector<int> MassTrie::next() {
  [[maybe_unused]] const NoSubnormals guard;
  State& state = *state_;
  const int n = state.words();
  for (int dead_ends = 0; dead_ends < kDeadEnds; ++dead_ends) {
    Dense conditional = state.inverse;
    std::vector<int> heads(n + 1, -1);
    std::vector<Step> path;
    double mass = 1;  // of the prefix, as long as nothing below it has been drawn
    int node = 0;
    while (static_cast<int>(path.size()) < n) {
      const int word = static_cast<int>(path.size()) + 1;
      if (state.nodes[node].left.empty()) state.open(state.nodes[node], conditional, heads, word, mass);
      const int head = choose(state.nodes[node], std::uniform_real_distribution<double>()(state.rng));
      if (head < 0) break;
      mass = state.nodes[node].left[head];
      path.push_back({node, head});
      heads[word] = head;
      if (word == n) break;
      fix_head(state.w, conditional, head, word);
      int next = state.nodes[node].child[head];
      if (next < 0) {
        next = state.nodes[node].child[head] = static_cast<int>(state.nodes.size());
        state.nodes.emplace_back();
      }
      node = next;
    }
    if (path.empty()) return {};
    state.subtract(path, mass);
    if (static_cast<int>(path.size()) == n) return heads;  // else the prefix has no tree, and its mass was rounding
  }
  return {};
}

}  // namespace kirchhoff::bench
