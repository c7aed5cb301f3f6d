// Decides whether an elimination in doubles can be trusted: nothing overflowed, and no underflow can have mattered.
#pragma once

#include "tree/floating_point_flags.hpp"
#include "tree/robust/numbers.hpp"

#include <algorithm>
#include <cmath>

namespace kirchhoff::tree {

/// Watches the sizes of pivots and weights between the construction of FloatingPointFlags and the end of elimination.
class RangeWatch {
 public:
  /// `underflowed` says that some weight was too small for a double to begin with.
  explicit RangeWatch(bool underflowed) : underflowed_(underflowed) {}

  /// False when a number is too small to be trusted after an underflow of the weights.
  bool see_small(double x) {
    smallest_ = std::min(smallest_, x);
    return !(underflowed_ && x < kSafe);
  }
  bool see_small(const Dual& x) { return see_small(x.v); }
  /// Extended numbers have no range to leave.
  bool see_small(const ExtendedDual&) { return true; }
  bool see_small(const ExtendedJet&) { return true; }
  void see_large(double x) { largest_ = std::max(largest_, x); }

  bool zeros_are_structural() const { return !underflowed_ && !FloatingPointFlags::underflowed(); }
  /// Nothing underflowed, or everything that matters is far from where it could have mattered; nothing overflowed.
  bool trustworthy() const {
    if (FloatingPointFlags::overflowed()) return false;
    return zeros_are_structural() || (smallest_ >= kSafe && largest_ <= 1.0 / kSafe);
  }

 private:
  // Below this, or above its inverse, a double may have been touched by underflow elsewhere: absolute losses are at
  // most 1e-308 * 1e90 * 1e90, far below eps * 1e-90.
  static constexpr double kSafe = 1e-90;

  bool underflowed_;
  double smallest_ = HUGE_VAL;
  double largest_ = 0.0;
};

}  // namespace kirchhoff::tree
