// What a ChainDistribution shares between its copies, and how other files of this folder reach it.
#pragma once

#include "kirchhoff/chain.hpp"
#include "numeric/sum.hpp"

namespace kirchhoff {

struct ChainDistribution::State {
  ChainArrays scores;
  ChainArrays marginals;
  double log_partition = 0.0;
  Report report;
  Method method = Method::automatic;  // as asked for
};

struct ChainAccess {
  using State = ChainDistribution::State;
  static ChainDistribution make(std::shared_ptr<const State> state) { return ChainDistribution(std::move(state)); }
  /// The same method for other scores.
  static ChainDistribution with_scores(const ChainDistribution& p, const ChainArrays& scores) {
    return ChainDistribution(scores, p.state_->method);
  }
};

namespace chain {

/// log p(tag at position 0) and log p(tag | the tag before), right also where marginals are 0 by underflow. O(T K^2).
ChainArrays log_conditionals(const ChainDistribution& p);
/// The sum of the scores of a possible sequence.
numeric::Sum score_of(const ChainArrays& scores, const Tags& tags);
/// A copy of scores with a transition matrix for every position.
ChainArrays arrays_of(const ChainView& chain);
/// Throws InputError unless the array fits the distribution.
void check_fits(const char* function, const char* name, const ChainArrays& array, const ChainDistribution& p);
/// The same, and that all numbers are finite where the distribution's scores are.
void check_function(const char* function, const char* name, const ChainArrays& array, const ChainDistribution& p);

}  // namespace chain
}  // namespace kirchhoff
