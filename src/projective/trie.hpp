// Trees in a given order, each once: a best-first search in the trie of prefixes of choices (heads, then labels).
//
// Every prefix has a priority, that of the best tree below it, and charts give the priorities of all options of a
// prefix at once: their scores, or their perturbed log-probabilities. So the search goes straight down to a tree, and
// leaves behind, for each prefix on its way, only the second best option; when that is taken, the third waits, and so
// on. What is left behind is small: a tree costs O(n) prefixes, whose options are computed again when they are needed.
#pragma once

#include "base/random.hpp"
#include "kirchhoff/decode.hpp"
#include "projective/derivation.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace kirchhoff::projective {

/// How a trie orders trees: by the logarithms of their weights, or by those plus Gumbel noise [Kool19].
struct TrieOrder {
  std::optional<std::uint64_t> seed = {};  ///< of the noise
};

/// log_of(number) gives logarithms of the charts' numbers; labels(arc), where there are labels, those of their weights.
template <class Number>
class Trie {
 public:
  using LogOf = double (*)(const Number&);
  using Labels = std::function<std::vector<double>(Arc)>;

  Trie(Charts<Number> charts, LogOf log_of, Labels labels, TrieOrder order)
      : charts_(std::move(charts)), log_of_(log_of), labels_(std::move(labels)), order_(order), walk_(charts_) {
    const double first = order.seed ? -std::log(random_of(kRootKey).exponential()) : 0.0;
    if (log_of_(charts_.total()) > -HUGE_VAL) waiting_.push_back({first, std::make_shared<Prefix>()});
  }
  Trie(const Trie&) = delete;
  Trie& operator=(const Trie&) = delete;

  /// The priority of the tree that comes next, or -inf.
  double next_priority() const { return waiting_.empty() ? -HUGE_VAL : waiting_.front().priority; }
  /// Heads and labels of the next tree, or nothing.
  std::optional<Tree> next() {
    if (waiting_.empty()) return std::nullopt;
    std::pop_heap(waiting_.begin(), waiting_.end());
    Waiting at = std::move(waiting_.back());
    waiting_.pop_back();
    go_to(*at.prefix);
    if (at.prefix->parent) {
      const Prefix& parent = *at.prefix->parent;
      leave(at.prefix->parent, options_of(parent, at.parent_priority), at.rank + 1, at.parent_priority);
      take(at.prefix->option);
    }
    while (!complete()) {
      const std::vector<Option> options = options_of(*at.prefix, at.priority);
      leave(at.prefix, options, 1, at.priority);
      at.prefix = child(at.prefix, options[0]);
      take(options[0].number);
    }
    return Tree{walk_.heads(), labels_ ? chosen_labels_ : std::vector<int>{}, 0.0, {}};
  }

 private:
  static constexpr std::uint64_t kRootKey = 0x9E3779B97F4A7C15;
  static constexpr std::uint64_t kPurpose = 0x70726F6A;

  struct Prefix {
    std::shared_ptr<const Prefix> parent;
    int option = 0;                // the parent's option that leads here
    std::uint64_t key = kRootKey;  // names its random numbers
    double log_p = 0.0;            // the logarithm of its share of all trees' weight
  };
  using PrefixPtr = std::shared_ptr<const Prefix>;
  struct Option {
    int number;
    double priority;
    double log_share;
  };
  struct Waiting {
    double priority;
    PrefixPtr prefix;
    int rank = 0;  // among its parent's options
    double parent_priority = 0.0;
    bool operator<(const Waiting& other) const { return priority < other.priority; }
  };

  base::Random random_of(std::uint64_t key) const { return {*order_.seed, key, kPurpose}; }
  bool labels_follow() const { return labels_ && labelled_ < charts_.words(); }
  bool complete() const { return walk_.done() && !labels_follow(); }
  void take(int option) {
    if (!walk_.done()) return walk_.choose(option);
    chosen_labels_[++labelled_] = option;
  }
  // To the place where the prefix's last choice is made.
  void go_to(const Prefix& prefix) {
    walk_.restart();
    labelled_ = 0;
    chosen_labels_.assign(charts_.words() + 1, 0);
    std::vector<int> path;
    for (const Prefix* x = prefix.parent.get(); x != nullptr && x->parent; x = x->parent.get())
      path.push_back(x->option);
    for (; !path.empty(); path.pop_back()) take(path.back());
  }

  // The options of the place where the walk is, which `prefix` leads to, best first.
  std::vector<Option> options_of(const Prefix& prefix, double priority) const {
    std::vector<Option> options;
    if (!walk_.done()) {
      for (int k = walk_.first_option(); k <= walk_.last_option(); ++k) add(k, log_of_(walk_.weight(k)), options);
    } else {
      const int word = labelled_ + 1;
      const std::vector<double> logs = labels_({walk_.heads()[word], word});
      for (std::size_t y = 0; y < logs.size(); ++y) add(static_cast<int>(y), logs[y], options);
    }
    double best = -HUGE_VAL, sum = 0.0;
    for (const Option& x : options) best = std::max(best, x.log_share);
    for (const Option& x : options) sum += std::exp(x.log_share - best);
    for (Option& x : options) {
      x.priority = priority + (x.log_share - best);
      x.log_share -= best + std::log(sum);
    }
    if (order_.seed) perturb(prefix, priority, options);
    std::stable_sort(options.begin(), options.end(),
                     [](const Option& x, const Option& y) { return x.priority > y.priority; });
    return options;
  }
  static void add(int number, double log_weight, std::vector<Option>& options) {
    if (log_weight > -HUGE_VAL) options.push_back({number, 0.0, log_weight});
  }
  // Gumbel noise for each option, given that the largest perturbed number is the prefix's own [Kool19, appendix B.3].
  void perturb(const Prefix& prefix, double priority, std::vector<Option>& options) const {
    base::Random random = random_of(prefix.key);
    double largest = -HUGE_VAL;
    for (Option& x : options) {
      x.priority = prefix.log_p + x.log_share - std::log(random.exponential());
      largest = std::max(largest, x.priority);
    }
    for (Option& x : options) {
      const double gap = x.priority - largest;
      const double v = gap == 0.0 ? -HUGE_VAL : (priority - x.priority) + std::log(-std::expm1(gap));
      x.priority = priority - std::max(0.0, v) - std::log1p(std::exp(-std::abs(v)));
    }
  }

  static std::shared_ptr<const Prefix> child(const PrefixPtr& parent, const Option& option) {
    std::uint64_t key = (parent->key ^ (static_cast<std::uint64_t>(option.number) + 1)) * 0xBF58476D1CE4E5B9;
    key = (key ^ (key >> 29)) * 0x94D049BB133111EB;
    return std::make_shared<Prefix>(Prefix{parent, option.number, key ^ (key >> 32), parent->log_p + option.log_share});
  }
  // Lets the option of this rank wait, if there is one.
  void leave(const PrefixPtr& parent, const std::vector<Option>& options, int rank, double priority) {
    if (rank >= static_cast<int>(options.size())) return;
    waiting_.push_back({options[rank].priority, child(parent, options[rank]), rank, priority});
    std::push_heap(waiting_.begin(), waiting_.end());
  }

  const Charts<Number> charts_;
  LogOf log_of_;
  Labels labels_;
  TrieOrder order_;
  std::vector<Waiting> waiting_;  // a heap
  Derivation<Number> walk_;
  int labelled_ = 0;  // words whose label is chosen
  std::vector<int> chosen_labels_;
};

}  // namespace kirchhoff::projective
