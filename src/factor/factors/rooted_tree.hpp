// ROOTED-TREE: variables at the nodes of a tree that is given, with scores for neighbours and for counts of values.
#pragma once

#include "factor/factors/factors.hpp"
#include "factor/factors/parts.hpp"

#include <vector>

namespace kirchhoff::factor {

/// The inputs are those of the nodes' slots, in order, and then one for each of `both`, which is 1 when that node and
/// its parent, both of one input, are 1. The parts are the transitions, and then the counts of `scored`, in order.
class RootedTreeFactor final : public PartsFactor {
 public:
  /// How many scores of counts the subtree of a node has.
  struct CountScores {
    int node = 0;
    int size = 0;
  };
  /// As in kirchhoff::RootedTree.
  struct Shape {
    Slots slots;
    std::vector<int> parents, counted;
    std::vector<int> both;            ///< nodes
    std::vector<CountScores> scored;  ///< nodes whose subtrees have scores of counts
  };
  /// How many transitions there are.
  static std::size_t size(const Slots& slots, const std::vector<int>& parents);
  /// The scores of counts are those of `scored`, one after the other.
  RootedTreeFactor(Shape shape, std::vector<double> transitions, std::vector<double> count_scores);

  std::string_view name() const override { return "rooted_tree"; }
  double score(Configuration y) const override;
  double least_score() const override;
  Sum sum_product(std::span<const double> q, std::span<double> messages) const override;
  double max_product(std::span<const double> q, std::span<double> messages) const override;
  double best(std::span<const double> q, std::span<std::uint8_t> y) const override;
  Relaxation relaxation() const override;
  OneHot one_hot() const override { return {grouped_inputs_, group_first_}; }

  std::vector<double> own_scores() const override;
  void add_own_parts(Configuration y, double weight, std::span<double> parts) const override;
  void add_own_marginals(std::span<const double> q, std::span<double> marginals) const override;
  std::shared_ptr<const PartsFactor> with_own_scores(std::vector<double> scores) const override;

 private:
  static constexpr double kMaxCells = 67108864.0;
  /// Numbers by value and count, which begin at `first` among all.
  struct Table {
    std::size_t first = 0;
    int states = 0;
    int width = 0;
    std::size_t at(int state, int count) const {
      return first + static_cast<std::size_t>(state) * static_cast<std::size_t>(width) +
             static_cast<std::size_t>(count);
    }
  };
  const Slots& slots() const { return shape_.slots; }
  int nodes() const { return shape_.slots.count(); }
  /// 1 when the node counts with this value.
  int counts(int node, int state) const { return is_counted_[node] != 0 && shape_.counted[node] == state ? 1 : 0; }
  /// False when a node with this value alone is more than may count.
  bool may_count(int node, int state) const { return counts(node, state) < stages_[node][0].width; }
  std::size_t place(int node, int a, int b) const {
    return first_[node] + static_cast<std::size_t>(a) * static_cast<std::size_t>(slots().states(node)) +
           static_cast<std::size_t>(b);
  }
  /// What a node's subtree scores when so many of its nodes count.
  double count_score(int node, int count) const {
    return count_first_[node] < 0 ? 0.0 : count_scores_[static_cast<std::size_t>(count_first_[node]) + count];
  }
  void write_weights_without_own(std::vector<double>& weights) const;
  const Table& whole(int node) const { return stages_[node].back(); }
  void lay_out_tables();
  Table new_table(int states, int width);
  double edge(int node, int a, int b, std::span<const double> q) const;
  template <class Visit>
  bool for_each_part(Configuration y, Visit visit) const;
  template <class Add>
  double inside(std::span<const double> q, Add add) const;
  template <class Add>
  void outside(std::span<const double> q, Add add) const;
  template <class Add>
  double edge_weight(int node, int a, int b, Add add) const;
  template <class Add>
  void messages_to_both(Add add, std::span<double> messages) const;
  template <class Visit>
  double for_each_probability(std::span<const double> q, Visit visit) const;

  Shape shape_;
  std::vector<double> transitions_, count_scores_;
  std::vector<std::size_t> first_;          ///< by node, where the transitions to it begin
  std::vector<int> both_input_;             ///< by node, the input that says whether it and its parent are 1; -1: none
  std::vector<std::vector<int>> children_;  ///< by node
  std::vector<int> order_;                  ///< nodes, parents first
  std::vector<char> is_counted_;            ///< by node, whether any scores of counts depend on it
  std::vector<int> count_first_;            ///< by node, where its scores of counts begin; -1: it has none
  std::vector<std::vector<Table>> stages_;  ///< by node: itself, with one more child after the other, and scored
  std::vector<Table> ups_;                  ///< by node but the root: its subtree, by the parent's value
  std::size_t cells_ = 0;
  std::vector<int> grouped_inputs_, group_first_ = {0};  ///< those of slots with several inputs
};

}  // namespace kirchhoff::factor
