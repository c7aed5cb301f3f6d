// Distributions over segmentations with tags, semi-Markov conditional random fields: p = exp(sum of scores) / Z.
//
// The positions are divided into segments of at most `longest` positions, each with a tag. A segmentation's score is
// the sum of the scores of its segments (begin, length, tag) and of the transition scores of the pairs of neighbouring
// segments' tags; -inf forbids. Finite scores may be up to 1e9 in size. It is a machine without cycles, and all verbs
// are the machine's, see docs/methods/segments.md. With T positions, segments of at most L and K tags the machine has
// A = T L K + T K^2 transitions, and what has no cost stated takes O(A).
#pragma once

#include "kirchhoff/wfsm_batch.hpp"
#include "kirchhoff/wfsm_distinct.hpp"
#include "kirchhoff/wfsm_expectation.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace kirchhoff {

/// The positions begin .. begin + length - 1, which have one tag.
struct Segment {
  int begin = 0;
  int length = 1;
  int tag = 0;
  friend bool operator==(const Segment&, const Segment&) = default;
};
/// Segments from the first position to the last, without gaps.
using Segmentation = std::vector<Segment>;

/// A number for every segment and for every pair of tags of neighbouring segments: scores, marginals, gradients, or the
/// values of an additive function. What is said of segments that would end beyond the last position is ignored.
struct SegmentArrays {
  Matrix segments;     ///< (positions * longest) x tags, see segment()
  Matrix transitions;  ///< tags x tags: from the row's to the column's

  SegmentArrays() = default;
  /// Throws InputError unless there are at least one position, one length and one tag.
  SegmentArrays(int positions, int longest, int tags, double fill = 0.0);

  int positions() const { return longest_ == 0 ? 0 : static_cast<int>(segments.rows()) / longest_; }
  int longest() const { return longest_; }
  int tags() const { return static_cast<int>(segments.cols()); }
  double segment(const Segment& s) const { return segments(row(s), s.tag); }
  double& segment(const Segment& s) { return segments(row(s), s.tag); }

 private:
  Eigen::Index row(const Segment& s) const { return static_cast<Eigen::Index>(s.begin) * longest_ + s.length - 1; }
  int longest_ = 0;
};

/// A distribution over the segmentations of `positions` positions. It never changes; copies share everything, and all
/// functions may be called from several threads at once.
class SegmentDistribution {
 public:
  /// Throws InputError (shape, NaN, +inf, beyond 1e9) or Infeasible, when no segmentation is possible.
  explicit SegmentDistribution(const SegmentArrays& scores, Accuracy accuracy = {});

  int positions() const;
  int longest() const;
  int tags() const;
  const SegmentArrays& scores() const;
  /// The same as a machine, whose trajectories are the segmentations. All verbs of machines answer about it.
  const Wfsm& machine() const;

  double log_partition() const;
  /// The probability of every segment, and how many pairs of each kind are expected: the gradient of log Z.
  SegmentArrays marginals() const;
  /// log p(segmentation), -inf for an impossible one. Throws InputError when the segments have gaps, or are none of the
  /// distribution's.
  double log_prob(const Segmentation& segmentation) const;
  /// The natural logarithm of the number of possible segmentations.
  double log_count() const;
  /// The derivative of the marginals when the scores move along `direction`: the Hessian of log Z times it.
  SegmentArrays marginals_along(const SegmentArrays& direction) const;

  /// The distribution with scores / temperature, temperature > 0.
  SegmentDistribution with_temperature(double temperature) const;
  /// The distribution given that this is one of the segments, or none. Throws Infeasible when nothing is left.
  SegmentDistribution require(const Segment& segment) const;
  SegmentDistribution forbid(const Segment& segment) const;

  struct State;

 private:
  friend struct SegmentAccess;
  std::shared_ptr<const State> state_;
};

/// The machine of which rows of weights (wfsm_batch.hpp) are segmentations of 1 .. positions positions: it has all
/// segments, and may end after any position. Its transitions are the segments by begin, length and tag, those that end
/// within the positions, and then the pairs of tags for each of the positions - 1 places between two. Of its 2
/// positions tags states, the first `tags` begin the first segment, and number (positions + t - 1) tags + k is where a
/// segment with tag k has ended after t positions.
Wfsm segment_skeleton(int positions, int longest, int tags);

/// E[f] of each function.
Vector expectation(const SegmentDistribution& p, const std::vector<SegmentArrays>& f);
/// The R x S matrix Cov(r, s). O(min(R, S) A).
Matrix covariance(const SegmentDistribution& p, const std::vector<SegmentArrays>& r,
                  const std::vector<SegmentArrays>& s);
/// The R x S matrix E[r s^T], at the same cost.
Matrix second_order(const SegmentDistribution& p, const std::vector<SegmentArrays>& r,
                    const std::vector<SegmentArrays>& s);
/// The gradient of the number Cov(r, s) of two functions, third derivatives of log Z.
SegmentArrays covariance_gradient(const SegmentDistribution& p, const SegmentArrays& r, const SegmentArrays& s);
/// The cumulants of f: entry k is the k-th for k = 1 .. order <= 30, and entry 0 is 0. O(order A).
Vector cumulants(const SegmentDistribution& p, const SegmentArrays& f, int order);

/// Gradients of a function of two distributions by the scores of each.
struct SegmentPairGradient {
  SegmentArrays p;
  SegmentArrays q;
};
/// Shannon's entropy, Renyi's of order alpha >= 0, in nats; KL(p || q) >= 0 and the cross-entropy E_p[-log q], which
/// are +inf where q forbids what p allows, and then have no gradient: InputError. p and q have the same shape.
double entropy(const SegmentDistribution& p);
SegmentArrays entropy_gradient(const SegmentDistribution& p);
double renyi(const SegmentDistribution& p, double alpha);
SegmentArrays renyi_gradient(const SegmentDistribution& p, double alpha);
double kl(const SegmentDistribution& p, const SegmentDistribution& q);
SegmentPairGradient kl_gradient(const SegmentDistribution& p, const SegmentDistribution& q);
double cross_entropy(const SegmentDistribution& p, const SegmentDistribution& q);
SegmentPairGradient cross_entropy_gradient(const SegmentDistribution& p, const SegmentDistribution& q);

/// A segmentation with its score and its log-probability.
struct ScoredSegmentation {
  Segmentation segments;
  double score = 0.0;
  double log_prob = 0.0;
};
/// The most probable segmentation.
ScoredSegmentation best_segments(const SegmentDistribution& p);
/// The k most probable ones, best first, or all if there are fewer. Throws InputError when k < 0. `stop` is called
/// after each and may end the list.
std::vector<ScoredSegmentation> k_best_segments(const SegmentDistribution& p, int k, const Stop& stop = {});
/// Minimum Bayes risk: among the possible segmentations the one with the highest expected number of right segments.
ScoredSegmentation mbr_segments(const SegmentDistribution& p);
/// Samples 0 .. count-1 of the stream that `seed` names, whatever the number of threads.
std::vector<ScoredSegmentation> sample_segments(const SegmentDistribution& p, int count, std::uint64_t seed,
                                                int threads = kAllCores);
/// Distinct segmentations, each drawn given that it is none of those before, with what importance weights need
/// [Kool19].
struct PerturbedSegments {
  std::vector<ScoredSegmentation> segmentations;  ///< in the order of their perturbed log-probabilities, highest first
  std::vector<double> perturbed;                  ///< each one's log-probability plus standard Gumbel noise
  double threshold = 0.0;                         ///< the highest one of those left out; -inf when these are all
};
/// Throws InputError when k < 0. `stop` is called after each and may end the list.
PerturbedSegments sample_without_replacement(const SegmentDistribution& p, int k, std::uint64_t seed = 0,
                                             const Stop& stop = {});

}  // namespace kirchhoff
