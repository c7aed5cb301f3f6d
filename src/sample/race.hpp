// Sampling without replacement as a race: every tree x arrives after an exponential time of rate p(x), and the order of
// arrival is a sample without replacement. Arrivals are kept as perturbed log-probabilities, -log(time) [Kool19].
#pragma once

#include "kirchhoff/sample.hpp"
#include "sample/conditional_walk.hpp"

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
  /// Only the first `most` arrivals can be asked for, so what cannot be among them or the next one is forgotten.
  Race(const TreeDistribution& p, std::uint64_t seed, std::size_t most);
  Race(const LabelledTreeDistribution& p, std::uint64_t seed, std::size_t most);

  /// Returns nothing when all trees have arrived.
  std::optional<Arrival> next();
  /// The perturbed log-probability of the next arrival, or -inf when there is none.
  double next_perturbed();

 private:
  /// A prefix of choices, in the trie of all prefixes. Some of its options have been taken by earlier arrivals; it
  /// waits for the first arrival below any of the others.
  struct Prefix {
    std::shared_ptr<Prefix> parent;
    int option = 0;  // the parent's option that leads here
    int level = 0;
    std::uint64_t key = 0;   // names its random streams
    double log_p = 0.0;      // the log-probability of the prefix
    std::vector<int> taken;  // the options taken
    double last = HUGE_VAL;  // the perturbed log-probability of the arrival that took the last one
    double pause = 0.0;      // the exponential time, at rate 1, from then to the one waited for
    bool exact = false;      // what is left needs exact probabilities
    bool resolved = true;    // the arrival waited for has its right place; else it has an upper bound
    std::shared_ptr<const ConditionalWalk::Saved> saved;
    std::shared_ptr<const Heads> heads;  // set once all are chosen, when labels follow
  };
  using PrefixPtr = std::shared_ptr<Prefix>;

  bool at_labels(const Prefix& prefix) const { return prefix.level >= inverse_->n; }
  bool is_leaf(const Prefix& prefix) const { return prefix.level == (labelled_ ? 2 : 1) * inverse_->n; }
  void go_to(const PrefixPtr& prefix);
  void load_open(const Prefix& prefix, bool exact);
  bool any_possible(const Prefix& prefix) const;
  int pick(Prefix& prefix, double u);
  void wait(const PrefixPtr& prefix);
  void push(const PrefixPtr& prefix, double open);
  PrefixPtr pop();
  void drop_hopeless();
  PrefixPtr advance(const PrefixPtr& prefix, double perturbed);
  std::shared_ptr<const ConditionalWalk::Saved> save();
  Tree tree_at(const PrefixPtr& leaf) const;

  std::shared_ptr<const LaplacianInverse> inverse_;
  ConditionalWalk walk_;
  std::optional<LabelledTreeDistribution> labelled_;
  std::uint64_t seed_;
  std::size_t most_;
  std::size_t given_ = 0;
  std::shared_ptr<std::size_t> saved_bytes_ = std::make_shared<std::size_t>(0);
  // The options not taken of the prefix at hand: conditional probabilities in units of exp(scale_), where those below
  // uncertain_ are not to be relied on.
  std::vector<double> open_;
  LaneSums sums_{};  // the sums of open_
  double scale_ = 0.0;
  double uncertain_ = 0.0;
  struct Waiting {
    double perturbed;
    PrefixPtr prefix;
    bool operator<(const Waiting& other) const { return perturbed < other.perturbed; }
  };
  std::vector<Waiting> waiting_;  // a heap
  double floor_ = -HUGE_VAL;      // nothing below it can be asked for any more
};

}  // namespace kirchhoff::sample
