// HEAD: the head of a word h and its dependents, with scores on next siblings and on grandparents.
//
// Inputs: the candidate arcs into h (exactly one is 1; the root has none), then those to its left dependents and to its
// right ones, nearest first. The score of a configuration is the sum of the transitions of both chains of dependents
// and of the pairs (arc into h, arc from h). Given the arc into h the two sides are independent chains whose states are
// "the last dependent so far": forward-backward over them, once for each arc into h [Koo10].
//
// Sum-product and best configuration: O(i (k^2 + m^2)) for i arcs in, k and m arcs out. Numbers are scaled, not
// logarithms: an exp for each pair of arcs and none for a transition.
#pragma once

#include "kirchhoff/factor.hpp"
#include "parser/inference/second_parts.hpp"

#include <array>
#include <cmath>

namespace kirchhoff::parser {

class HeadFactor : public Factor {
 public:
  /// `scores` has those of all parts of the sentence, and must stay alive, as must `head`.
  HeadFactor(const HeadParts& head, std::span<const double> scores);

  std::string_view name() const override { return "head"; }
  double score(Configuration y) const override;
  Sum sum_product(std::span<const double> q, std::span<double> messages) const override;
  double best(std::span<const double> q, std::span<std::uint8_t> y) const override;
  Relaxation relaxation() const override;
  /// Not worth its enumeration: AD3 uses it to notice that there is no assignment, which the TREE decides.
  double least_score() const override { return -HUGE_VAL; }

  /// The head of the word as one variable whose values are the arcs in: q and messages are log-weights of the values on
  /// the arcs in (the largest q being 0), log-ratios on the arcs out.
  Sum sum_product_of_values(std::span<const double> q, std::span<double> messages) const;
  /// Adds the probability of each part, given the messages to this factor of either kind.
  Sum add_marginals(std::span<const double> q, std::span<double> marginals) const;

 private:
  std::size_t arcs_in() const { return head_->in.size(); }
  std::size_t arcs_out(int side) const { return head_->out[static_cast<std::size_t>(side)].size(); }
  double grand(std::size_t in, std::size_t out) const;
  double best_chain(int side, std::span<const double> gains, std::span<std::uint8_t> y) const;
  Sum run(std::span<const double> q, std::span<double> messages, std::span<double> marginals) const;

  const HeadParts* head_;
  std::span<const double> scores_;
  std::array<std::vector<double>, 2> columns_;  ///< the transitions' scores, by side: [j][i], i < j
  std::array<std::vector<double>, 2> weights_;  ///< exp of them
};

}  // namespace kirchhoff::parser
