// KNAPSACK: a budget with weights.
#pragma once

#include "factor/factors/factors.hpp"

#include <vector>

namespace kirchhoff::factor {

/// The weights of the inputs that are 1 sum to at most the capacity.
class KnapsackFactor final : public HardFactor {
 public:
  KnapsackFactor(std::vector<int> weights, int capacity);
  /// Nothing where weights are not whole, or the table would have more than 2^26 cells.
  static std::shared_ptr<const KnapsackFactor> of(const std::vector<double>& weights, double capacity);
  std::string_view name() const override { return "knapsack"; }
  Sum sum_product(std::span<const double> q, std::span<double> messages) const override;
  double max_product(std::span<const double> q, std::span<double> messages) const override;
  double best(std::span<const double> q, std::span<std::uint8_t> y) const override;
  Relaxation relaxation() const override;

 private:
  static constexpr double kMaxCells = 67108864.0;
  bool allows(Configuration y) const override;
  std::vector<int> weights_;
  int capacity_;  ///< at most the sum of the weights
};

}  // namespace kirchhoff::factor
