// The forward-backward algorithm in numbers of extended range, for scores of any size.
#pragma once

#include "kirchhoff/chain.hpp"
#include "numeric/extended.hpp"
#include "numeric/sum.hpp"

#include <vector>

namespace kirchhoff::chain {

/// Scores are counted from the best prefix: with v_t(j) the score of the best prefix that ends with tag j at position
/// t, the weight of a transition is exp(v_{t-1}(i) + s_t(i, j) + e_t(j) - v_t(j)) <= 1, and 1 for the best one.
class RobustChain {
 public:
  /// Throws Infeasible when there is no sequence. The scores have been checked.
  explicit RobustChain(const ChainView& chain);

  double log_partition() const { return log_partition_; }
  /// Adds -log Z to a sum, with twice the digits of a double.
  void subtract_log_partition(numeric::Sum& sum) const {
    sum.add(-best_.high);
    sum.add(-best_.low);
    sum.add(-log(total_));
  }
  ChainArrays marginals() const;
  ChainArrays log_marginals() const;
  /// log p(tag at position 0) and log p(tag | the tag before): what -log p(tags) is a sum of. They are -inf where the
  /// probability is 0, also if the tag before is impossible.
  ChainArrays log_conditionals() const;
  /// log p(tags) as an additive function without limits: the logarithms of weights, and -log of their sum at the end.
  /// All terms but that one are <= 0, so that they do not cancel.
  ChainArrays log_parts() const;

 private:
  using Extended = numeric::Extended;
  std::size_t at(int t, int i) const { return static_cast<std::size_t>(t) * tags_ + i; }
  std::size_t at(int t, int i, int j) const { return at(t - 1, i) * tags_ + j; }
  void forward(const ChainView& chain);
  void backward();
  template <class F>
  ChainArrays each(F f) const;

  int length_, tags_;
  std::vector<Extended> weight_, forward_, backward_;
  ChainArrays log_weight_;  // of transitions, and of the tags at the end
  numeric::Sum best_;       // the score of the best sequence
  Extended total_;
  double log_partition_ = 0.0;
};

}  // namespace kirchhoff::chain
