// From fractions to an assignment that the hard factors allow.
#pragma once

#include "factor/graph/incidence.hpp"

#include <vector>

namespace kirchhoff::factor {

/// Hard factors with many inputs come first. Each fixes its inputs to the configuration nearest to the fractions, given
/// what is fixed already; what is left then follows its fraction. One best() for each hard factor that is not decided
/// by others.
class Rounder {
 public:
  explicit Rounder(const FactorGraph& graph);
  /// A null pointer when a factor is left without a configuration; else valid until the next call. `fixed` (may be
  /// empty) has 0, 1 or -1 for each variable.
  const Assignment* operator()(std::span<const double> fractions, const Fixed& fixed);

 private:
  bool is_decided(int f);

  const FactorGraph& graph_;
  std::vector<int> hard_;       ///< factors
  std::vector<double> weight_;  ///< of fractions, for each of them
  Fixed value_;
  std::vector<double> q_;
  std::vector<std::uint8_t> y_;
  Assignment assignment_;
};

}  // namespace kirchhoff::factor
