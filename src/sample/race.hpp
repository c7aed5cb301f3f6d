// Sampling without replacement as a race: every tree x arrives after an exponential time of rate p(x), and the order of
// arrival is a sample without replacement. Arrivals are kept as perturbed log-probabilities, -log(time) [Kool19].
#pragma once

#include "kirchhoff/sample.hpp"
#include "sample/open_options.hpp"

#include <atomic>
#include <cmath>
#include <deque>
#include <memory>
#include <mutex>
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
  /// All arrivals that can be asked for, by several threads. `stop` is asked after every tree.
  PerturbedTrees run(int threads, const Stop& stop);

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
    std::shared_ptr<const ConditionalWalk::Saved> saved;  // the race's mutex guards it
    std::shared_ptr<const Heads> heads;                   // set once all are chosen, when labels follow
  };
  using PrefixPtr = std::shared_ptr<Prefix>;
  struct Waiting {
    double perturbed;
    PrefixPtr prefix;
    bool operator<(const Waiting& other) const { return perturbed < other.perturbed; }
  };
  /// A prefix on the way of an arrival. Few of them ever wait for another one: the others are not put into the trie.
  struct Step {
    Prefix fresh;
    PrefixPtr in_trie;
    Prefix& operator*() { return in_trie ? *in_trie : fresh; }
  };
  /// What one thread follows an arrival with.
  struct Runner {
    explicit Runner(const LaplacianInverse& inverse) : walk(inverse) {}
    ConditionalWalk walk;
    std::deque<Step> way;         // from a prefix of the trie on
    OpenOptions open;             // of the prefix at hand
    double floor = -HUGE_VAL;     // nothing below it can be asked for any more
    std::vector<Waiting> queued;  // prefixes that begin to wait
  };
  class Team;

  bool at_labels(const Prefix& prefix) const { return prefix.level >= inverse_->n; }
  bool is_leaf(const Prefix& prefix) const { return prefix.level == (labelled_ ? 2 : 1) * inverse_->n; }
  std::optional<Arrival> follow(Runner& runner, const Waiting& waiting) const;
  void go_to(Runner& runner, const PrefixPtr& prefix) const;
  void load_open(Runner& runner, const Prefix& prefix, bool exact) const;
  int pick(Runner& runner, Prefix& prefix, double u) const;
  void wait(Runner& runner, std::size_t step) const;
  void queue(Runner& runner, std::size_t step, double open) const;
  void advance(Runner& runner, std::size_t step, double perturbed) const;
  static void begin(Runner& runner, const PrefixPtr& prefix);
  static const PrefixPtr& put_into_trie(Runner& runner, std::size_t step);
  std::shared_ptr<const ConditionalWalk::Saved> save(ConditionalWalk& walk) const;
  Tree tree_at(Runner& runner, std::size_t leaf) const;
  Waiting pop();
  void merge(Runner& runner);
  void drop_hopeless();

  std::shared_ptr<const LaplacianInverse> inverse_;
  std::optional<LabelledTreeDistribution> labelled_;
  std::uint64_t seed_;
  std::size_t most_;
  std::size_t given_ = 0;
  mutable std::mutex mutex_;
  std::shared_ptr<std::atomic<std::size_t>> saved_bytes_ = std::make_shared<std::atomic<std::size_t>>(0);
  std::vector<Waiting> waiting_;  // a heap
  double floor_ = -HUGE_VAL;      // nothing below it can be asked for any more
  Runner runner_;                 // of next()
};

}  // namespace kirchhoff::sample
