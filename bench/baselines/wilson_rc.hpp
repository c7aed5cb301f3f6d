// A biased sampler, to compare with: never use it. Also the place where two ways to draw a head are measured.
#pragma once

#include <random>
#include <vector>

namespace kirchhoff::bench {

/// How a word's head is drawn.
enum class Draw {
  cumulative,  ///< binary search in cumulative weights: log n steps, n numbers for each word
  alias,       ///< [Walker77]: one step, 2n numbers for each word
};

/// Set up once for a graph, then any number of trees with one root child. Every word needs a possible head that is a
/// word.
class WilsonRc {
 public:
  /// `scores`: (n+1) x (n+1) log-weights.
  WilsonRc(const double* scores, int n, Draw draw = Draw::cumulative);

  /// heads[0] == -1.
  std::vector<int> sample(std::mt19937_64& rng) const;

 private:
  struct Slot {
    double keep;  ///< cumulative: weight up to here; alias: stay in this slot below this
    int other;    ///< alias: the head otherwise
  };
  int draw_head(int word, double uniform) const;
  void fill(int word, std::vector<double> weights);

  int size_;
  Draw draw_;
  std::vector<Slot> slots_;  ///< those of word d begin at d * size_; "word" 0 draws the root's child
};

}  // namespace kirchhoff::bench
