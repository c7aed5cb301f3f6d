// HEAD: the head of a word h and its dependents, with scores on next siblings and on grandparents [Koo10].
//
// The inputs are the arcs into h from its candidate heads (exactly one is 1; the root has none), then the arcs to its
// candidate dependents on the left and on the right, nearest first. The score of a configuration is the sum of the
// transitions of both chains of dependents and of the pairs (arc into h, arc from h). Given the arc into h the two
// sides are independent chains whose states are "the last dependent so far".
//
// Messages and best configuration take O(i (k^2 + m^2)) for i arcs in, k and m arcs out. Sums are taken of scaled
// numbers, and where these are not enough, or a score is -inf, of logarithms.
#pragma once

#include "factor/factors/parts.hpp"
#include "numeric/log_space.hpp"

#include <array>
#include <vector>

namespace kirchhoff::factor {

/// Where the transition from the i-th to the j-th of k dependents stands, 0 <= i < j <= k + 1: with i == 0 there is no
/// dependent before, with j == k + 1 there is none after.
inline std::size_t transition(std::size_t k, std::size_t i, std::size_t j) {
  return i * (k + 1) - i * (i + 1) / 2 + j - 1;
}
inline std::size_t transitions(std::size_t k) { return (k + 1) * (k + 2) / 2; }
/// Where the transitions to the j-th dependent begin when they are sorted by j.
inline std::size_t chain_column(std::size_t j) { return j * (j - 1) / 2; }

/// Products of a few exponentials of scores up to this size are doubles.
inline constexpr double kLargestScore = 150.0;

/// How many arcs a HEAD factor has, and where its scores stand among those of all parts.
struct HeadShape {
  std::size_t heads = 0;                       ///< arcs into h
  std::array<std::size_t, 2> dependents{};     ///< arcs to the left and to the right
  std::array<std::size_t, 2> first_sibling{};  ///< the part of transition(0, 1), left and right
  std::size_t first_grandparent = 0;  ///< the part of the first arc in and the first arc out; then arc in by arc in
};

class HeadFactor final : public PartsFactor {
 public:
  /// `part_scores` must outlive the factor.
  HeadFactor(const HeadShape& shape, std::span<const double> part_scores);
  /// Transitions to the left and to the right, then pairs of an arc in and an arc out.
  struct OwnScores {
    std::vector<double> scores;
  };
  HeadFactor(const HeadShape& shape, OwnScores own);

  std::string_view name() const override { return "head"; }
  double score(Configuration y) const override;
  Sum sum_product(std::span<const double> q, std::span<double> messages) const override;
  Sum sum_product_of_values(std::span<const double> q, std::span<double> messages) const override;
  double max_product(std::span<const double> q, std::span<double> messages) const override;
  double best(std::span<const double> q, std::span<std::uint8_t> y) const override;
  Relaxation relaxation() const override;
  OneHot one_hot() const override {
    if (heads_.empty()) return {};
    return {heads_, first_head_};
  }
  double least_score() const override;
  bool soft() const override { return heads_.empty() && !has_forbidden_; }

  /// Adds `weight` to the place of each part that a configuration has among all parts.
  void add_parts(Configuration y, double weight, std::span<double> parts) const;
  /// Adds the probability of each part, given the messages to this factor, to its place among all parts.
  Sum add_marginals(std::span<const double> q, std::span<double> marginals) const;

  std::vector<double> own_scores() const override;
  void add_own_parts(Configuration y, double weight, std::span<double> parts) const override;
  void add_own_marginals(std::span<const double> q, std::span<double> marginals) const override;
  std::shared_ptr<const PartsFactor> with_own_scores(std::vector<double> scores) const override;

  using Add = double (*)(double, double);  ///< of two logarithms, or the larger one

 private:
  /// The first of all parts, and the number, of transitions to the left, to the right, and of pairs.
  struct Range {
    std::size_t first, size;
  };
  std::array<Range, 3> ranges() const;
  std::size_t chain_begin(std::size_t side) const { return side == 0 ? 0 : 2 * transitions(shape_.dependents[0]); }
  const double* chain_scores(std::size_t side) const { return chains_.data() + chain_begin(side); }
  const double* weights(std::size_t side) const { return chain_scores(side) + transitions(shape_.dependents[side]); }
  std::size_t grandparent_part(std::size_t in, std::size_t out) const {
    return shape_.first_grandparent + in * (shape_.dependents[0] + shape_.dependents[1]) + out;
  }
  double grandparent(std::size_t in, std::size_t out) const;
  template <class Visit>
  void for_each_part(Configuration y, const Visit& visit) const;
  double best_chain(std::size_t side, std::span<const double> gains, std::span<std::uint8_t> y) const;
  bool is_scalable(std::span<const double> q) const;
  std::optional<Sum> sum_scaled(std::span<const double> q, std::span<double> messages,
                                std::span<double> marginals) const;
  Sum run(std::span<const double> q, std::span<double> messages, std::span<double> marginals) const;
  Sum sum_in_logs(std::span<const double> q, std::span<double> messages, std::span<double> marginals) const;
  double in_logs(std::span<const double> q, Add add, std::span<double> messages, std::span<double> marginals,
                 double* expected) const;
  void to_ratios(std::span<const double> q, Add add, std::span<double> messages) const;

  HeadShape shape_;
  std::vector<double> kept_scores_;  ///< the scores, where they are the factor's own
  std::span<const double> part_scores_;
  std::vector<double> chains_;  ///< by side, the transitions' scores, [j][i] with i < j, and then their exponentials
  bool has_forbidden_ = false;  ///< a score is -inf
  bool is_moderate_ = true;     ///< no score is larger than kLargestScore
  std::vector<int> heads_;      ///< the inputs that are arcs into h
  std::array<int, 2> first_head_;
};

}  // namespace kirchhoff::factor
