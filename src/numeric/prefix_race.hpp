// Structures without replacement, in the order of Gumbel keys, for structures that are made step by step.
//
// Every structure has a key, its log-probability plus Gumbel noise, and the largest keys are a sample without
// replacement. The largest key below a prefix is a Gumbel number too; given it, those of the longer prefixes are drawn
// so that their largest equals it [Kool19]. Prefixes are taken in the order of their keys, as far as they are needed.
#pragma once

#include <cstdint>
#include <optional>
#include <queue>
#include <span>
#include <vector>

namespace kirchhoff::numeric {

class PrefixRace {
 public:
  struct Prefix {
    int step;    ///< the number of its last step among the steps of the prefix before
    int before;  ///< the number of that prefix, -1 for none
    int length;  ///< its number of steps
    double log_p;
    std::uint64_t stream;
  };
  struct Leader {
    int prefix;
    double key;
  };

  /// Begins with the log-probabilities of the first steps, of which not all are -inf. `purpose` is that of the random
  /// numbers.
  PrefixRace(std::uint64_t seed, std::uint64_t purpose, std::span<const double> steps);
  /// Takes the prefix of the largest key out of the race.
  std::optional<Leader> pop();
  /// Lets the prefixes one step longer run in its place, given the log-probabilities of the steps after it.
  void extend(const Leader& leader, std::span<const double> steps) {
    extend(leader.prefix, prefixes_[leader.prefix].stream, leader.key, steps);
  }
  const Prefix& operator[](int prefix) const { return prefixes_[prefix]; }
  /// The steps of a prefix, first to last.
  std::vector<int> steps(int prefix) const;

 private:
  void extend(int before, std::uint64_t stream, double key, std::span<const double> steps);
  std::uint64_t mixed(std::uint64_t x) const;

  struct Less {
    bool operator()(const Leader& a, const Leader& b) const { return a.key < b.key; }
  };
  std::uint64_t seed_, purpose_;
  std::vector<Prefix> prefixes_;
  std::vector<double> own_;
  std::priority_queue<Leader, std::vector<Leader>, Less> waiting_;
};

}  // namespace kirchhoff::numeric
