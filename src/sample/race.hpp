// Sampling without replacement as a race: every tree x arrives after an exponential time of rate p(x), and the order of
// arrival is a sample without replacement. Arrivals are kept as perturbed log-probabilities, -log(time) [Kool19].
#pragma once

#include "kirchhoff/sample.hpp"
#include "sample/conditional.hpp"

#include <cmath>
#include <memory>
#include <optional>
#include <vector>

namespace kirchhoff::sample {

struct Arrival {
  Tree tree;
  double perturbed = 0.0;
};

class Race {
 public:
  /// Only the first `most` arrivals can be asked for; what cannot be among them or the next one is forgotten.
  Race(const TreeDistribution& p, std::uint64_t seed, std::size_t most);
  Race(const LabelledTreeDistribution& p, std::uint64_t seed, std::size_t most);

  /// Nothing when all trees have arrived.
  std::optional<Arrival> next();
  /// Of the next arrival; -inf when there is none.
  double next_perturbed();

 private:
  /// A prefix of choices, in the trie of all prefixes. Some of its options have been taken by earlier arrivals; it
  /// waits for the first arrival below any of the others.
  struct Node {
    std::shared_ptr<Node> parent;
    int option = 0;  // the parent's that leads here
    int level = 0;
    std::uint64_t key = 0;   // names its random streams
    double log_p = 0.0;      // of the prefix
    std::vector<int> taken;  // options
    double last = HUGE_VAL;  // perturbed log-probability of the arrival that took the last one
    double pause = 0.0;      // the exponential time, at rate 1, from then to the one waited for
    bool exact = false;      // what is left needs exact probabilities
    bool resolved = true;    // the arrival waited for has its right place, else an upper bound
    std::shared_ptr<const Conditional::Saved> saved;
    std::shared_ptr<const Heads> heads;  // once all are chosen, when labels follow
  };
  using NodePtr = std::shared_ptr<Node>;

  bool at_labels(const Node& node) const { return node.level >= inverse_->n; }
  bool is_leaf(const Node& node) const { return node.level == (labelled_ ? 2 : 1) * inverse_->n; }
  void go_to(const NodePtr& node);
  void load_open(const Node& node, bool exact);
  bool any_possible(const Node& node) const;
  int pick(Node& node, double u);
  void wait(const NodePtr& node);
  void push(const NodePtr& node, double open);
  NodePtr pop();
  void drop_hopeless();
  NodePtr advance(const NodePtr& node, double perturbed);
  std::shared_ptr<const Conditional::Saved> save();
  Tree tree_at(const NodePtr& leaf) const;

  std::shared_ptr<const Inverse> inverse_;
  Conditional walk_;
  std::optional<LabelledTreeDistribution> labelled_;
  std::uint64_t seed_;
  std::size_t most_;
  std::size_t given_ = 0;
  std::shared_ptr<std::size_t> saved_bytes_ = std::make_shared<std::size_t>(0);
  // Of the node at hand, its options not taken: conditional probabilities in units of exp(scale_); those below
  // uncertain_ are not to be relied on.
  std::vector<double> open_;
  sample::LaneSums sums_{};  // of open_
  double scale_ = 0.0;
  double uncertain_ = 0.0;
  struct Waiting {
    double perturbed;
    NodePtr node;
    bool operator<(const Waiting& other) const { return perturbed < other.perturbed; }
  };
  std::vector<Waiting> waiting_;  // a heap
  double floor_ = -HUGE_VAL;      // nothing below it can be asked for any more
};

}  // namespace kirchhoff::sample
