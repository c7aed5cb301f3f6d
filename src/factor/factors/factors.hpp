// The factors that the graph knows by name. Each answers in the time its file states.
#pragma once

#include "factor/factors/enumerate.hpp"
#include "kirchhoff/factor_graph.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

namespace kirchhoff::factor {

/// What all hard factors share: score 0 or -inf.
class HardFactor : public Factor {
 public:
  double score(Configuration y) const final { return allows(y) ? 0.0 : -HUGE_VAL; }
  double least_score() const final { return 0.0; }
  /// The logarithm of the probability of y, which is allowed, under log-ratios q, where one sum_product() or two tell;
  /// nothing where it takes the chain rule.
  virtual std::optional<double> log_belief(std::span<const double> /*q*/, Configuration /*y*/) const { return {}; }

 protected:
  using Factor::Factor;
  virtual bool allows(Configuration y) const = 0;
  static int ones(Configuration y) { return static_cast<int>(std::count(y.begin(), y.end(), std::uint8_t{1})); }
};

/// Exactly one input is 1, or at most one.
class OneFactor final : public HardFactor {
 public:
  enum class Count { exactly, at_most };
  OneFactor(int arity, Count count);
  std::string_view name() const override { return none_ == 0.0 ? "at_most_one" : "xor"; }
  Sum sum_product(std::span<const double> q, std::span<double> messages) const override;
  double max_product(std::span<const double> q, std::span<double> messages) const override;
  double best(std::span<const double> q, std::span<std::uint8_t> y) const override;
  std::optional<double> project(std::span<const double> target, double weight, std::span<double> u) const override;
  std::optional<double> log_belief(std::span<const double> q, Configuration y) const override;
  Relaxation relaxation() const override;
  OneHot one_hot() const override;

 private:
  bool allows(Configuration y) const override;
  double none_;              ///< log-weight of no input being 1
  std::vector<int> inputs_;  ///< all of them, when exactly one is 1
  std::array<int, 2> first_ = {0, 0};
};

/// At least one input is 1.
class OrFactor final : public HardFactor {
 public:
  explicit OrFactor(int arity) : HardFactor(arity) {}
  std::string_view name() const override { return "or"; }
  Sum sum_product(std::span<const double> q, std::span<double> messages) const override;
  double max_product(std::span<const double> q, std::span<double> messages) const override;
  double best(std::span<const double> q, std::span<std::uint8_t> y) const override;
  std::optional<double> project(std::span<const double> target, double weight, std::span<double> u) const override;
  std::optional<double> log_belief(std::span<const double> q, Configuration y) const override;
  Relaxation relaxation() const override;

 private:
  bool allows(Configuration y) const override;
};

/// The last input is the OR of the others.
class OrOutFactor final : public HardFactor {
 public:
  explicit OrOutFactor(int arity);
  std::string_view name() const override { return "or_out"; }
  Sum sum_product(std::span<const double> q, std::span<double> messages) const override;
  double max_product(std::span<const double> q, std::span<double> messages) const override;
  double best(std::span<const double> q, std::span<std::uint8_t> y) const override;
  std::optional<double> project(std::span<const double> target, double weight, std::span<double> u) const override;
  std::optional<double> log_belief(std::span<const double> q, Configuration y) const override;
  Relaxation relaxation() const override;

 private:
  bool allows(Configuration y) const override;
  void project_on_cone(std::span<const double> target, std::span<double> u) const;
};

/// At most k inputs are 1.
class BudgetFactor final : public HardFactor {
 public:
  BudgetFactor(int arity, int budget);
  std::string_view name() const override { return "budget"; }
  Sum sum_product(std::span<const double> q, std::span<double> messages) const override;
  double max_product(std::span<const double> q, std::span<double> messages) const override;
  double best(std::span<const double> q, std::span<std::uint8_t> y) const override;
  std::optional<double> project(std::span<const double> target, double weight, std::span<double> u) const override;
  std::optional<double> log_belief(std::span<const double> q, Configuration y) const override;
  Relaxation relaxation() const override;

 private:
  bool allows(Configuration y) const override;
  int budget_;  ///< at most the arity
};

/// Both inputs together score.
class PairFactor final : public Factor {
 public:
  explicit PairFactor(double score);
  double pair_score() const { return score_; }
  std::string_view name() const override { return "pair"; }
  double score(Configuration y) const override { return y[0] && y[1] ? score_ : 0.0; }
  double least_score() const override { return std::min(0.0, score_); }
  bool soft() const override { return true; }
  Sum sum_product(std::span<const double> q, std::span<double> messages) const override;
  double max_product(std::span<const double> q, std::span<double> messages) const override;
  double best(std::span<const double> q, std::span<std::uint8_t> y) const override;
  std::optional<double> project(std::span<const double> target, double weight, std::span<double> u) const override;
  Relaxation relaxation() const override;

 private:
  double score_;
};

/// A score for each entry of enumerate.hpp.
class TableFactor final : public Factor {
 public:
  TableFactor(Slots slots, std::vector<double> log_potentials);
  std::string_view name() const override { return "table"; }
  double score(Configuration y) const override;
  double least_score() const override;
  bool soft() const override { return soft_; }
  Sum sum_product(std::span<const double> q, std::span<double> messages) const override;
  double max_product(std::span<const double> q, std::span<double> messages) const override;
  double best(std::span<const double> q, std::span<std::uint8_t> y) const override;
  std::optional<double> project(std::span<const double> target, double weight, std::span<double> u) const override;
  Relaxation relaxation() const override;
  OneHot one_hot() const override { return {grouped_inputs_, group_first_}; }

  const Slots& slots() const { return slots_; }
  const std::vector<double>& log_potentials() const { return log_potentials_; }
  /// True for a table over two variables, both of several values.
  bool is_over_two_variables() const { return slots_.count() == 2 && slots_.inputs[0] > 1 && slots_.inputs[1] > 1; }

 private:
  double best_of_two(std::span<const double> q, std::span<std::uint8_t> y) const;
  auto entry_score() const {
    return [this](std::size_t index, const std::vector<int>&) { return log_potentials_[index]; };
  }
  Slots slots_;
  std::vector<double> log_potentials_;
  bool soft_;
  std::vector<int> grouped_inputs_, group_first_ = {0};  ///< those of slots with several inputs
};

/// The inputs are arcs, and those that are 1 form a tree over all words.
class TreeFactor final : public HardFactor {
 public:
  TreeFactor(int words, std::vector<Arc> arcs, Root root, const Accuracy& accuracy);
  std::string_view name() const override { return "tree"; }
  Sum sum_product(std::span<const double> q, std::span<double> messages) const override;
  double max_product(std::span<const double> q, std::span<double> messages) const override;
  double best(std::span<const double> q, std::span<std::uint8_t> y) const override;
  Relaxation relaxation() const override;
  OneHot one_hot() const override { return {arcs_by_word_, first_arc_}; }
  Sum sum_product_of_values(std::span<const double> q, std::span<double> messages) const override;

 private:
  bool allows(Configuration y) const override;
  bool fill(std::span<const double> q, Matrix& scores) const;
  Sum log_marginals(std::span<const double> q, std::span<double> logs) const;
  Sum log_marginals_far_apart(std::span<double> logs) const;
  Sum log_marginals_of_scores(std::span<double> logs) const;
  std::span<const int> arcs_into(int word) const { return one_hot()[static_cast<std::size_t>(word) - 1]; }
  int words_;
  std::vector<Arc> arcs_;
  Root root_;
  Accuracy accuracy_;
  std::vector<int> arcs_by_word_, first_arc_;  ///< inputs by the word that the arc enters, and where each word's begin
};

}  // namespace kirchhoff::factor
