// The probability that a tree has two given arcs, from what either method leaves, and those of all pairs.
#pragma once

#include "tree/state.hpp"

#include <vector>

namespace kirchhoff::tree {

/// Whether the inverse or the slopes are doubles, which the functions below need.
bool has_pair_terms(const TreeState& state);
/// Returns p(a and b) when the error bound allows, else a negative number. O(1).
double pair_marginal(const TreeState& state, Arc a, Arc b);

/// The same for all second arcs at once: for every dependent of the first one `into`, then for each of its heads
/// `from`.
class PairRows {
 public:
  /// The state must have pair terms. O(n^2).
  explicit PairRows(const TreeState& state);
  /// O(n^2).
  void into(int dependent);
  /// Writes p(head -> dependent and b) for all arcs b but those into `dependent`, where it writes 0. Returns whether
  /// the error bounds allow all of them. O(n^2).
  bool from(int head, double* row);

 private:
  template <class Visit>
  void for_each_arc(const Visit& visit) const;
  const TreeState& state_;
  int size_;
  int dependent_ = 0;
  // Of each second arc b = (k -> l): its weight, 0 if it is impossible, (K b)_l and (K b)_j, and the sizes of the
  // terms.
  std::vector<double> weight_, own_, own_size_, other_, other_size_;
  std::vector<double> first_, first_size_;  // (K a)_l of the first arc a = (i -> j)
};

}  // namespace kirchhoff::tree
