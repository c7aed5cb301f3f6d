// KNAPSACK with weights of any size, whole or not.
#pragma once

#include "factor/factors/factors.hpp"

#include <vector>

namespace kirchhoff::factor {

/// The weights of the inputs that are 1 sum to at most the capacity, or above it by 1e-12 of it.
class RealKnapsackFactor final : public HardFactor {
 public:
  /// Weights and capacity are not negative.
  RealKnapsackFactor(std::vector<double> weights, double capacity);
  std::string_view name() const override { return "knapsack"; }
  Sum sum_product(std::span<const double> q, std::span<double> messages) const override;
  /// Asks best() once for each input.
  double max_product(std::span<const double> q, std::span<double> messages) const override;
  double best(std::span<const double> q, std::span<std::uint8_t> y) const override;
  double relaxed_best(std::span<const double> q, std::span<std::uint8_t> y) const override;
  std::optional<double> project(std::span<const double> target, double weight, std::span<double> u) const override;
  Relaxation relaxation() const override;

  static constexpr std::size_t kMostEntries = std::size_t{1} << 22;
  /// Throws the InputError for more of them.
  [[noreturn]] static void fail();

 private:
  bool allows(Configuration y) const override;
  double split(std::span<const double> q, std::span<std::uint8_t> y, double& value, std::vector<int>& open) const;
  std::vector<double> weights_;
  double capacity_;  ///< with what may be above it
};

}  // namespace kirchhoff::factor
