// Best and random segmentations: the machine's paths, of which every other transition is a segment.
#include "base/check.hpp"
#include "segment/state.hpp"

#include <cmath>

namespace kirchhoff {
namespace {

using segment::Shape;

ScoredSegmentation segmentation_of(const Shape& shape, const Wfsm& machine, const Path& path) {
  ScoredSegmentation found{{}, path.log_weight, path.log_prob};
  for (const int t : path.transitions) {
    const Transition& transition = machine.transitions()[static_cast<std::size_t>(t)];
    if (transition.symbol == kEpsilon) continue;
    const int of_segment = transition.symbol - 1;
    found.segments.push_back({transition.from / shape.tags, of_segment / shape.tags + 1, of_segment % shape.tags});
  }
  return found;
}

std::vector<ScoredSegmentation> all_of(const SegmentDistribution& p, const std::vector<Path>& paths) {
  std::vector<ScoredSegmentation> found;
  found.reserve(paths.size());
  for (const Path& path : paths) found.push_back(segmentation_of(segment::shape_of(p.scores()), p.machine(), path));
  return found;
}

}  // namespace

ScoredSegmentation best_segments(const SegmentDistribution& p) { return k_best_segments(p, 1).front(); }

std::vector<ScoredSegmentation> k_best_segments(const SegmentDistribution& p, int k, const Stop& stop) {
  if (k < 0) base::input_error("k_best_segments", "k is negative");
  return all_of(p, best_paths(p.machine(), k, stop));
}

ScoredSegmentation mbr_segments(const SegmentDistribution& p) {
  const Shape shape = segment::shape_of(p.scores());
  SegmentArrays gains = p.marginals();
  const Matrix& scores = p.scores().segments;
  gains.segments = (scores.array() == -HUGE_VAL).select(-HUGE_VAL, gains.segments.array());
  gains.transitions = (p.scores().transitions.array() == -HUGE_VAL).select(-HUGE_VAL, 0.0 * gains.transitions.array());
  WfsmWeights weights = p.machine().log_weights();
  weights.transitions = segment::spread(shape, gains).transitions;
  ScoredSegmentation best =
      segmentation_of(shape, p.machine(), best_paths(p.machine().with_log_weights(weights), 1).front());
  best.score = 0.0;
  for (std::size_t i = 0; i < best.segments.size(); ++i) {
    best.score += p.scores().segment(best.segments[i]);
    if (i > 0) best.score += p.scores().transitions(best.segments[i - 1].tag, best.segments[i].tag);
  }
  best.log_prob = p.log_prob(best.segments);
  return best;
}

std::vector<ScoredSegmentation> sample_segments(const SegmentDistribution& p, int count, std::uint64_t seed,
                                                int threads) {
  if (count < 0) base::input_error("sample_segments", "count is negative");
  return all_of(p, sample_paths(p.machine(), count, seed, threads));
}

PerturbedSegments sample_without_replacement(const SegmentDistribution& p, int k, std::uint64_t seed,
                                             const Stop& stop) {
  const PerturbedPaths paths = sample_without_replacement(p.machine(), k, seed, stop);
  return {all_of(p, paths.paths), paths.perturbed, paths.threshold};
}

}  // namespace kirchhoff
