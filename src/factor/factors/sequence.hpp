// SEQUENCE: a chain of variables of several values.
#pragma once

#include "factor/factors/factors.hpp"
#include "factor/factors/parts.hpp"

#include <vector>

namespace kirchhoff::factor {

/// Variables in a row, as slots, with a score for each pair of values of neighbours.
class SequenceFactor final : public PartsFactor {
 public:
  SequenceFactor(Slots slots, std::vector<double> transitions);
  static std::size_t size(const Slots& slots);  ///< the number of transitions
  std::string_view name() const override { return "sequence"; }
  double score(Configuration y) const override;
  double least_score() const override;
  bool soft() const override;
  Sum sum_product(std::span<const double> q, std::span<double> messages) const override;
  double max_product(std::span<const double> q, std::span<double> messages) const override;
  double best(std::span<const double> q, std::span<std::uint8_t> y) const override;
  Relaxation relaxation() const override;
  OneHot one_hot() const override { return {grouped_inputs_, group_first_}; }
  const Slots& slots() const { return slots_; }

  std::vector<double> own_scores() const override { return transitions_; }
  void add_own_parts(Configuration y, double weight, std::span<double> parts) const override;
  void add_own_marginals(std::span<const double> q, std::span<double> marginals) const override;
  std::shared_ptr<const PartsFactor> with_own_scores(std::vector<double> scores) const override;

 private:
  std::size_t place(int t, int a, int b) const {
    return first_[t] + static_cast<std::size_t>(a) * slots_.states(t + 1) + b;
  }
  double transition(int t, int a, int b) const { return transitions_[place(t, a, b)]; }
  template <class Visit>
  double for_each_probability(const std::vector<double>& r, Visit visit) const;
  template <class Gather>
  void pass(const std::vector<double>& r, Gather gather) const;
  Slots slots_;
  std::vector<double> transitions_;
  std::vector<std::size_t> first_;                       ///< where the transitions from each place begin
  std::vector<int> grouped_inputs_, group_first_ = {0};  ///< those of slots with several inputs
};

}  // namespace kirchhoff::factor
