// Sampling without replacement with a trie whose masses are subtracted, declared apart from the code, which is compiled
// for this very machine (see laplacian.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace kirchhoff::bench {

/// Trees with one root child, without replacement, one after the other.
class MassTrie {
 public:
  /// `scores`: (n+1) x (n+1) log-weights.
  MassTrie(const double* scores, int n, std::uint64_t seed);
  ~MassTrie();

  /// heads[0] == -1; empty when no mass is left, or when rounding has used up the inverse.
  std::vector<int> next();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kirchhoff::bench
