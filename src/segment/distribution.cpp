// A distribution over segmentations is a machine without cycles [Sarawagi04]. O(A) for everything here.
#include "base/check.hpp"
#include "kirchhoff/wfsm_semiring.hpp"
#include "segment/state.hpp"
#include "wfsm/paths/make_path.hpp"

#include <cmath>
#include <optional>
#include <string>

namespace kirchhoff {
namespace segment {

void check_shape(const char* function, const Shape& shape, const SegmentArrays& f) {
  if (shape_of(f) == shape && f.transitions.rows() == shape.tags && f.transitions.cols() == shape.tags) return;
  base::input_error(function, "an array has another shape than the distribution");
}

WfsmWeights spread(const Shape& shape, const SegmentArrays& f) {
  std::vector<double> all;
  for_each_segment(shape, [&](const Segment& s) { all.push_back(f.segment(s)); });
  for (int t = 1; t < shape.positions; ++t) {
    all.insert(all.end(), f.transitions.data(), f.transitions.data() + f.transitions.size());
  }
  const Vector none = Vector::Zero(2 * shape.positions * shape.tags);
  return {Eigen::Map<const Vector>(all.data(), static_cast<Eigen::Index>(all.size())), none, none};
}

SegmentArrays gathered(const Shape& shape, const Vector& transitions) {
  SegmentArrays f(shape.positions, shape.longest, shape.tags);
  Eigen::Index at = 0;
  for_each_segment(shape, [&](const Segment& s) { f.segment(s) = transitions(at++); });
  for (int t = 1; t < shape.positions; ++t, at += f.transitions.size()) {
    f.transitions.reshaped<Eigen::RowMajor>() += transitions.segment(at, f.transitions.size());
  }
  return f;
}

namespace {

std::string name_of(const Segment& s) {
  return "segment (begin " + std::to_string(s.begin) + ", length " + std::to_string(s.length) + ", tag " +
         std::to_string(s.tag) + ")";
}

void check_score(double x, const std::string& what) {
  if (x == -HUGE_VAL || std::abs(x) <= 1e9) return;
  base::input_error("SegmentDistribution", "the score of " + what + " is not a number, +inf or beyond 1e9 in size");
}

void check_scores(const SegmentArrays& scores) {
  const Shape shape = shape_of(scores);
  if (shape.positions == 0) base::input_error("SegmentDistribution", "there is no position");
  check_shape("SegmentDistribution", shape, scores);
  for_each_segment(shape, [&](const Segment& s) {
    const double x = scores.segment(s);
    if (!(std::abs(x) <= 1e9)) check_score(x, name_of(s));
  });
  for (int i = 0; i < shape.tags; ++i) {
    for (int j = 0; j < shape.tags; ++j) {
      check_score(scores.transitions(i, j), "the pair of tags " + std::to_string(i) + ", " + std::to_string(j));
    }
  }
}

/// Segments read the symbol 1 + (length - 1) * tags + tag, and pairs of tags nothing. Ends are not allowed yet.
WfsmBuilder builder_of(const SegmentArrays& scores) {
  const Shape shape = shape_of(scores);
  WfsmBuilder builder;
  builder.add_states(2 * shape.positions * shape.tags);
  for_each_segment(shape, [&](const Segment& s) {
    builder.add_transition({shape.begin_state(s.begin, s.tag), shape.end_state(s.begin + s.length, s.tag),
                            1 + (s.length - 1) * shape.tags + s.tag, scores.segment(s)});
  });
  for (int t = 1; t < shape.positions; ++t) {
    for (int i = 0; i < shape.tags; ++i) {
      for (int j = 0; j < shape.tags; ++j) {
        builder.add_transition({shape.end_state(t, i), shape.begin_state(t, j), kEpsilon, scores.transitions(i, j)});
      }
    }
  }
  for (int tag = 0; tag < shape.tags; ++tag) builder.set_start(shape.begin_state(0, tag));
  return builder;
}

Wfsm machine_of(const SegmentArrays& scores, const Accuracy& accuracy) {
  const Shape shape = shape_of(scores);
  WfsmBuilder builder = builder_of(scores);
  for (int tag = 0; tag < shape.tags; ++tag) builder.set_final(shape.end_state(shape.positions, tag));
  try {
    return builder.build(accuracy);
  } catch (const Infeasible&) {
    throw Infeasible("[SegmentDistribution] no segmentation is possible");
  }
}

bool exists(const Shape& shape, const Segment& s) {
  return s.begin >= 0 && s.length >= 1 && s.length <= shape.longest && s.begin + s.length <= shape.positions &&
         s.tag >= 0 && s.tag < shape.tags;
}

void check_segment(const char* function, const Shape& shape, const Segment& s) {
  if (!exists(shape, s)) base::input_error(function, name_of(s) + " does not exist");
}

/// The arc of a node that goes to this state, or to the sink for a state of -1.
std::optional<std::size_t> arc_to(const wfsm::TrimGraph& g, int node, int state) {
  for (std::size_t a = g.begin[node]; a < g.begin[node + 1]; ++a) {
    if (g.state[g.arcs[a].to] == state) return a;
  }
  return std::nullopt;
}

}  // namespace
}  // namespace segment

using segment::Shape;

SegmentArrays::SegmentArrays(int positions, int longest, int tags, double fill) : longest_(longest) {
  if (positions < 1 || longest < 1 || tags < 1) {
    base::input_error("SegmentArrays", "positions, lengths and tags must be at least one each");
  }
  segments = Matrix::Constant(static_cast<Eigen::Index>(positions) * longest, tags, fill);
  transitions = Matrix::Constant(tags, tags, fill);
}

SegmentDistribution::SegmentDistribution(const SegmentArrays& scores, Accuracy accuracy) {
  segment::check_scores(scores);
  state_ = std::make_shared<const State>(State{scores, segment::machine_of(scores, accuracy)});
}

Wfsm segment_skeleton(int positions, int longest, int tags) {
  const SegmentArrays none(positions, longest, tags);
  WfsmBuilder builder = segment::builder_of(none);
  for (int t = 1; t <= positions; ++t) {
    for (int tag = 0; tag < tags; ++tag) builder.set_final(segment::shape_of(none).end_state(t, tag));
  }
  return builder.build();
}

int SegmentDistribution::positions() const { return state_->scores.positions(); }
int SegmentDistribution::longest() const { return state_->scores.longest(); }
int SegmentDistribution::tags() const { return state_->scores.tags(); }
const SegmentArrays& SegmentDistribution::scores() const { return state_->scores; }
const Wfsm& SegmentDistribution::machine() const { return state_->machine; }
double SegmentDistribution::log_partition() const { return machine().log_partition(); }
double SegmentDistribution::log_count() const { return log_trajectories(machine()); }

SegmentArrays SegmentDistribution::marginals() const {
  return segment::gathered(segment::shape_of(scores()), machine().transition_marginals());
}

SegmentArrays SegmentDistribution::marginals_along(const SegmentArrays& direction) const {
  const Shape shape = segment::shape_of(scores());
  segment::check_shape("marginals_along", shape, direction);
  return segment::gathered(shape, counts_along(machine(), segment::spread(shape, direction)).transitions);
}

double SegmentDistribution::log_prob(const Segmentation& segmentation) const {
  const Shape shape = segment::shape_of(scores());
  const wfsm::TrimGraph& g = wfsm::chain_of(machine()).graph();
  std::vector<std::size_t> arcs;
  int node = g.source(), position = 0;
  bool possible = true;
  const auto go = [&](int state) {
    const std::optional<std::size_t> arc = possible ? segment::arc_to(g, node, state) : std::nullopt;
    possible = arc.has_value();
    if (!possible) return;
    arcs.push_back(*arc);
    node = g.arcs[*arc].to;
  };
  for (const Segment& s : segmentation) {
    segment::check_segment("log_prob", shape, s);
    if (s.begin != position) base::input_error("log_prob", segment::name_of(s) + " does not begin where the last ends");
    position += s.length;
    go(shape.begin_state(s.begin, s.tag));
    go(shape.end_state(position, s.tag));
  }
  if (position != shape.positions) base::input_error("log_prob", "the segments do not reach the last position");
  go(-1);
  return possible ? wfsm::make_path(machine(), arcs).log_prob : -HUGE_VAL;
}

SegmentDistribution SegmentDistribution::with_temperature(double temperature) const {
  if (!(temperature > 0.0 && temperature < HUGE_VAL)) {
    base::input_error("with_temperature", "the temperature is not a positive number");
  }
  SegmentArrays scaled = scores();
  scaled.segments /= temperature;
  scaled.transitions /= temperature;
  return SegmentDistribution(scaled, machine().accuracy());
}

SegmentDistribution SegmentDistribution::require(const Segment& segment) const {
  const Shape shape = segment::shape_of(scores());
  segment::check_segment("require", shape, segment);
  SegmentArrays left = scores();
  segment::for_each_segment(shape, [&](const Segment& s) {
    const bool apart = s.begin + s.length <= segment.begin || segment.begin + segment.length <= s.begin;
    if (!apart && s != segment) left.segment(s) = -HUGE_VAL;
  });
  return SegmentDistribution(left, machine().accuracy());
}

SegmentDistribution SegmentDistribution::forbid(const Segment& segment) const {
  segment::check_segment("forbid", segment::shape_of(scores()), segment);
  SegmentArrays left = scores();
  left.segment(segment) = -HUGE_VAL;
  return SegmentDistribution(left, machine().accuracy());
}

}  // namespace kirchhoff
