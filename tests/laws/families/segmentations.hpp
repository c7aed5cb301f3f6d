// Segmentations as the law suite sees them. A place is a segment with a tag, or a pair of tags of neighbouring ones.
#pragma once

#include "kirchhoff/segment.hpp"
#include "laws/enumeration.hpp"
#include "laws/members.hpp"
#include "support/graphs.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace kirchhoff::laws {

class Segmentations {
 public:
  using Distribution = SegmentDistribution;
  static constexpr double kLargest = 1e9;

  /// Few enough segmentations to list them; some places are impossible, but not segments of one position with tag 0.
  explicit Segmentations(graphs::Random& random)
      : positions_(1 + static_cast<int>(random() % 4)),
        longest_(1 + static_cast<int>(random() % 3)),
        tags_(1 + static_cast<int>(random() % 2)) {
    std::normal_distribution<double> normal(0.0, 1.5);
    for (int begin = 0; begin < positions_; ++begin) {
      for (int length = 1; length <= std::min(longest_, positions_ - begin); ++length) {
        for (int tag = 0; tag < tags_; ++tag) {
          segments_.push_back({begin, length, tag});
          const bool possible = (length == 1 && tag == 0) || random() % 3 != 0;
          weights_.push_back(possible ? normal(random) : -HUGE_VAL);
        }
      }
    }
    for (int pair = 0; pair < tags_ * tags_; ++pair) {
      weights_.push_back(pair == 0 || random() % 3 != 0 ? normal(random) : -HUGE_VAL);
    }
  }

  const Weights& weights() const { return weights_; }
  std::vector<Structure> structures() const {
    std::vector<Structure> all;
    Segmentation begun;
    list(begun, 0, all);
    return all;
  }
  /// Every position is in one segment; the first position begins one.
  std::vector<std::vector<std::size_t>> groups() const {
    std::vector<std::vector<std::size_t>> groups(positions_);
    for (std::size_t i = 0; i < segments_.size(); ++i) {
      for (int t = segments_[i].begin; t < segments_[i].begin + segments_[i].length; ++t) groups[t].push_back(i);
    }
    return groups;
  }

  SegmentDistribution make(const Weights& weights) const { return SegmentDistribution(arrays(weights, 0.0)); }
  /// What would end beyond the last position is no number.
  SegmentDistribution padded(const Weights& weights) const { return SegmentDistribution(arrays(weights, NAN)); }
  Weights marginals(const SegmentDistribution& p) const { return flat(p.marginals()); }
  double log_prob(const SegmentDistribution& p, const Structure& s) const {
    Segmentation found;
    for (std::size_t i = 0; i < segments_.size(); ++i) {
      if (s[i] > 0) found.push_back(segments_[i]);
    }
    return p.log_prob(found);
  }
  double entropy(const SegmentDistribution& p) const { return kirchhoff::entropy(p); }
  double renyi(const SegmentDistribution& p, double alpha) const { return kirchhoff::renyi(p, alpha); }
  double kl(const SegmentDistribution& p, const SegmentDistribution& q) const { return kirchhoff::kl(p, q); }
  SegmentDistribution with_temperature(const SegmentDistribution& p, double temperature) const {
    return p.with_temperature(temperature);
  }
  Weights along(const SegmentDistribution& p, const Weights& direction) const {
    return flat(p.marginals_along(arrays(direction, 0.0)));
  }
  Weights cumulants(const SegmentDistribution& p, const Weights& f, int order) const {
    const Vector kappa = kirchhoff::cumulants(p, arrays(f, 0.0), order);
    return {kappa.begin(), kappa.end()};
  }
  double covariance(const SegmentDistribution& p, const Weights& f, const Weights& g) const {
    return kirchhoff::covariance(p, {arrays(f, 0.0)}, {arrays(g, 0.0)})(0, 0);
  }

  std::pair<Structure, double> best(const SegmentDistribution& p) const {
    const ScoredSegmentation s = best_segments(p);
    return {structure(s.segments), s.log_prob};
  }
  std::vector<std::pair<Structure, double>> k_best(const SegmentDistribution& p, int k) const {
    std::vector<std::pair<Structure, double>> found;
    for (const ScoredSegmentation& s : k_best_segments(p, k)) found.emplace_back(structure(s.segments), s.log_prob);
    return found;
  }
  std::vector<Structure> samples(const SegmentDistribution& p, int count, std::uint64_t seed) const {
    std::vector<Structure> found;
    for (const ScoredSegmentation& s : sample_segments(p, count, seed)) found.push_back(structure(s.segments));
    return found;
  }
  Structure sample(const SegmentDistribution& p, std::uint64_t seed, std::uint64_t index) const {
    return samples(p, static_cast<int>(index) + 1, seed).back();
  }
  Distinct distinct(const SegmentDistribution& p, int k, std::uint64_t seed) const {
    const PerturbedSegments drawn = sample_without_replacement(p, k, seed);
    Distinct found{{}, drawn.perturbed, drawn.threshold};
    for (const ScoredSegmentation& s : drawn.segmentations) found.structures.push_back(structure(s.segments));
    return found;
  }

  /// A pair of tags is forbidden by its score.
  SegmentDistribution forbid(const SegmentDistribution& p, std::size_t place) const {
    if (place < segments_.size()) return p.forbid(segments_[place]);
    SegmentArrays left = p.scores();
    left.transitions.data()[place - segments_.size()] = -HUGE_VAL;
    return SegmentDistribution(left);
  }
  /// Tags have other names.
  std::vector<std::size_t> renaming(graphs::Random& random) const {
    std::vector<int> to(tags_);
    std::iota(to.begin(), to.end(), 0);
    std::shuffle(to.begin(), to.end(), random);
    std::vector<std::size_t> renamed(weights_.size());
    for (std::size_t i = 0; i < segments_.size(); ++i) {
      const Segment& s = segments_[i];
      renamed[i] = place({s.begin, s.length, to[s.tag]});
    }
    for (int i = 0; i < tags_; ++i) {
      for (int j = 0; j < tags_; ++j) renamed[pair(i, j)] = pair(to[i], to[j]);
    }
    return renamed;
  }
  /// Rows of weights of the machine, whose transitions are the segments and then pairs of tags for each position.
  std::vector<double> log_partitions(const std::vector<Weights>& all) const {
    const Wfsm skeleton = segment_skeleton(positions_, longest_, tags_);
    const WfsmWeights own = make(Weights(weights_.size(), 0.0)).machine().log_weights();
    Matrix rows(static_cast<Eigen::Index>(all.size()), own.transitions.size() + own.start.size() + own.final.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      const WfsmWeights w = make(all[i]).machine().log_weights();
      rows.row(static_cast<Eigen::Index>(i)) << w.transitions.transpose(), w.start.transpose(), w.final.transpose();
    }
    const Vector log_z = WfsmBatch(skeleton, rows).log_partition();
    return {log_z.data(), log_z.data() + log_z.size()};
  }

 private:
  std::size_t pair(int i, int j) const { return segments_.size() + static_cast<std::size_t>(i) * tags_ + j; }
  std::size_t place(const Segment& s) const {
    return static_cast<std::size_t>(std::find(segments_.begin(), segments_.end(), s) - segments_.begin());
  }
  void list(Segmentation& begun, int position, std::vector<Structure>& all) const {
    if (position == positions_) all.push_back(structure(begun));
    for (const Segment& s : segments_) {
      if (s.begin != position) continue;
      begun.push_back(s);
      list(begun, position + s.length, all);
      begun.pop_back();
    }
  }
  Structure structure(const Segmentation& segments) const {
    Structure s(weights_.size(), 0);
    for (std::size_t i = 0; i < segments.size(); ++i) {
      s[place(segments[i])] = 1;
      if (i > 0) ++s[pair(segments[i - 1].tag, segments[i].tag)];
    }
    return s;
  }
  SegmentArrays arrays(const Weights& weights, double beyond) const {
    SegmentArrays f(positions_, longest_, tags_, beyond);
    for (std::size_t i = 0; i < segments_.size(); ++i) f.segment(segments_[i]) = weights[i];
    std::copy(weights.begin() + static_cast<std::ptrdiff_t>(segments_.size()), weights.end(), f.transitions.data());
    return f;
  }
  Weights flat(const SegmentArrays& f) const {
    Weights all;
    for (const Segment& s : segments_) all.push_back(f.segment(s));
    all.insert(all.end(), f.transitions.data(), f.transitions.data() + f.transitions.size());
    return all;
  }

  int positions_, longest_, tags_;
  std::vector<Segment> segments_;
  Weights weights_;
};

}  // namespace kirchhoff::laws
