// What follows from variables that are fixed, one factor at a time.
#pragma once

#include "factor/graph/incidence.hpp"

#include <vector>

namespace kirchhoff::factor {

/// Fixes every input that has one value only in all configurations that a hard factor is left with, until nothing
/// changes. One max_product() for each factor that a change touches.
class Propagator {
 public:
  explicit Propagator(const FactorGraph& graph, const Incidence& incidence);
  /// False when a factor is left without a configuration.
  bool all(Fixed& fixed);
  /// The same after `variable` alone has changed.
  bool after(int variable, Fixed& fixed);

 private:
  void wake(int variable);
  bool run(Fixed& fixed);

  const FactorGraph& graph_;
  const Incidence& incidence_;
  std::vector<int> queue_;
  std::vector<char> queued_;
  std::vector<double> q_, messages_;
};

}  // namespace kirchhoff::factor
