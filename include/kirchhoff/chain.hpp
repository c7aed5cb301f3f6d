// Distributions over tag sequences, linear-chain conditional random fields: p(tags) = exp(sum of scores) / Z.
//
// Each of `length` positions has one of `tags` tags. A sequence's score is the sum of the emission scores of its tags
// and of the transition scores of the pairs of neighbouring tags; -inf forbids a tag or a pair. Finite scores up to
// 1e100 in size give right answers: where doubles would underflow, numbers of extended range take over. Tags some 1e12
// below the best way through their position cannot matter: their marginals are 0. Decoding and sampling are in
// chain_paths.hpp, expectations and information in chain_expectation.hpp, batches in chain_batch.hpp. Method:
// docs/methods/chains.md.
#pragma once

#include "kirchhoff/accuracy.hpp"
#include "kirchhoff/types.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace kirchhoff {

/// A tag for each position; positions and tags count from 0.
using Tags = std::vector<int>;

/// A number for every tag at every position, and for every pair of tags at neighbouring positions: scores, marginals,
/// gradients, or the values of an additive function of the sequence.
struct ChainArrays {
  Matrix emissions;    ///< length x tags
  Matrix transitions;  ///< ((length - 1) * tags) x tags, see transition()

  ChainArrays() = default;
  /// Throws InputError unless there are at least one position and one tag.
  ChainArrays(int length, int tags, double fill = 0.0);

  int length() const { return static_cast<int>(emissions.rows()); }
  int tags() const { return static_cast<int>(emissions.cols()); }
  double emission(int position, int tag) const { return emissions(position, tag); }
  double& emission(int position, int tag) { return emissions(position, tag); }
  /// The number for the tag `from` at position - 1 and the tag `to` at position, for positions from 1 on.
  double transition(int position, int from, int to) const { return transitions(row(position, from), to); }
  double& transition(int position, int from, int to) { return transitions(row(position, from), to); }

 private:
  Eigen::Index row(int position, int from) const {
    return static_cast<Eigen::Index>(position - 1) * emissions.cols() + from;
  }
};

/// The scores of one chain where they lie in memory. The emission score of (position, tag) is at
/// emissions[position * emission_stride + tag], the transition score of (from, to) at
/// transitions[(position - 1) * transition_stride + from * row_stride + to]; strides count doubles. A transition_stride
/// of 0 gives all positions the same transition scores, which costs less.
struct ChainView {
  const double* emissions;
  const double* transitions;
  int length;
  int tags;
  std::ptrdiff_t emission_stride;
  std::ptrdiff_t transition_stride;
  std::ptrdiff_t row_stride;
};
/// A view of scores, of which the transitions are as ChainArrays has them, or one tags x tags matrix for all positions.
/// Throws InputError when the shapes do not fit.
ChainView chain_view(const MatrixRef& emissions, const MatrixRef& transitions);
ChainView chain_view(const ChainArrays& scores);

/// A distribution over the tag sequences of a chain. It never changes: log Z and the marginals are computed in the
/// constructor, and everything else from those. Copies are cheap, since they share all, and all members may be called
/// from several threads at once. With T positions and K tags, what has no cost stated takes O(T K^2).
class ChainDistribution {
 public:
  /// Throws InputError (shape, NaN, +inf, size) or Infeasible, when no sequence is possible. With Method::automatic and
  /// Method::fast, doubles are used where they are certain to suffice; with Method::robust never.
  ChainDistribution(const MatrixRef& emissions, const MatrixRef& transitions, Method method = Method::automatic);
  explicit ChainDistribution(const ChainArrays& scores, Method method = Method::automatic);
  explicit ChainDistribution(const ChainView& scores, Method method = Method::automatic);

  int length() const;
  int tags() const;
  const Report& report() const;
  /// The scores, with a transition matrix for every position.
  const ChainArrays& scores() const&;
  ChainArrays scores() &&;

  /// log Z, the logarithm of the sum of exp(score) over all sequences.
  double log_partition() const;
  /// The probabilities of every tag at every position and of every pair of neighbouring tags: the gradient of log Z.
  const ChainArrays& marginals() const&;
  ChainArrays marginals() &&;
  /// The logarithms of the marginals, right also where a marginal is below the smallest double.
  ChainArrays log_marginals() const;
  /// log p(tags), which is -inf for a sequence that is impossible. Throws InputError when there is another number of
  /// tags than of positions, or a tag does not exist. O(T), and O(T K^2) where a marginal is too small for a double.
  double log_prob(const Tags& tags) const;
  /// The natural logarithm of the number of possible sequences.
  double log_count() const;

  /// The distribution with scores / temperature, temperature > 0.
  ChainDistribution with_temperature(double temperature) const;
  /// The distribution given the tag at a position. Throws Infeasible when no sequence is left.
  ChainDistribution require(int position, int tag) const;
  /// The distribution given that this is not the tag at a position. Throws Infeasible when no sequence is left.
  ChainDistribution forbid(int position, int tag) const;
  /// The distribution given that the tag at each position is one of those named. An empty list allows all tags.
  ChainDistribution allow(const std::vector<std::vector<int>>& tags) const;

  /// The directional derivative of the marginals when the scores move along `direction`. Because the Hessian is
  /// symmetric, this is also the gradient of E[direction]: its entries are covariances of direction(tags) and of having
  /// a tag, or a pair of tags.
  ChainArrays marginals_along(const ChainArrays& direction) const;

 private:
  friend struct ChainAccess;
  struct State;
  explicit ChainDistribution(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

}  // namespace kirchhoff
