// Ending long computations from outside, also where a function takes no Stop.
//
//   const StopScope scope([&] { return std::chrono::steady_clock::now() >= deadline; });
//   const TreeDistribution p(scores, Root::single);  // throws Stopped soon after the deadline
//
// What takes long looks at the scope from time to time: elimination in matrices and machines, charts, each round of a
// solver, each sample. What was being computed has no result then, and everything else can be used as before.
#pragma once

#include "kirchhoff/types.hpp"

namespace kirchhoff {

/// While it lives, what its thread computes throws Stopped soon after `stop` returns true. That goes for the loops of
/// parallel_for, too, whose threads all call `stop`. Of several scopes each can stop what is inside it.
class StopScope {
 public:
  explicit StopScope(Stop stop);
  ~StopScope();
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;
  /// Throws Stopped when a scope of this thread says so: for long loops of one's own inside it. Without a scope it
  /// takes less than two nanoseconds.
  static void check();

 private:
  const Stop stop_;
  const StopScope* const outer_;
};

}  // namespace kirchhoff
