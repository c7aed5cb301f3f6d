// Expectations and information of segmentations: those of the machine, gathered where positions share a score.
#include "base/check.hpp"
#include "segment/state.hpp"

namespace kirchhoff {
namespace {

using segment::check_shape;
using segment::gathered;
using segment::Shape;
using segment::spread;

Shape shape_of(const SegmentDistribution& p) { return segment::shape_of(p.scores()); }

WfsmFeatures features_of(const char* function, const SegmentDistribution& p, const std::vector<SegmentArrays>& f) {
  std::vector<WfsmFeature> entries;
  for (std::size_t i = 0; i < f.size(); ++i) {
    check_shape(function, shape_of(p), f[i]);
    const Vector values = spread(shape_of(p), f[i]).transitions;
    for (Eigen::Index t = 0; t < values.size(); ++t) {
      if (values(t) != 0.0) entries.push_back({static_cast<int>(t), static_cast<int>(i), values(t)});
    }
  }
  return WfsmFeatures(p.machine(), static_cast<int>(f.size()), entries);
}

SegmentArrays gathered_of(const SegmentDistribution& p, const WfsmWeights& weights) {
  return gathered(shape_of(p), weights.transitions);
}

SegmentPairGradient gathered_of(const SegmentDistribution& p, const WfsmPairGradient& both) {
  return {gathered_of(p, both.p), gathered_of(p, both.q)};
}

void check_pair(const char* function, const SegmentDistribution& p, const SegmentDistribution& q) {
  check_shape(function, shape_of(p), q.scores());
}

}  // namespace

Vector expectation(const SegmentDistribution& p, const std::vector<SegmentArrays>& f) {
  return expectation(p.machine(), features_of("expectation", p, f));
}

Matrix covariance(const SegmentDistribution& p, const std::vector<SegmentArrays>& r,
                  const std::vector<SegmentArrays>& s) {
  return covariance(p.machine(), features_of("covariance", p, r), features_of("covariance", p, s));
}

Matrix second_order(const SegmentDistribution& p, const std::vector<SegmentArrays>& r,
                    const std::vector<SegmentArrays>& s) {
  return second_order(p.machine(), features_of("second_order", p, r), features_of("second_order", p, s));
}

SegmentArrays covariance_gradient(const SegmentDistribution& p, const SegmentArrays& r, const SegmentArrays& s) {
  const Shape shape = shape_of(p);
  check_shape("covariance_gradient", shape, r);
  check_shape("covariance_gradient", shape, s);
  const auto row = [&](const SegmentArrays& f) { return Matrix(spread(shape, f).transitions.transpose()); };
  const WfsmBatch one(p.machine(), row(p.scores()), 1);
  return gathered(shape, one.third_along(row(r), row(s)).row(0));
}

Vector cumulants(const SegmentDistribution& p, const SegmentArrays& f, int order) {
  check_shape("cumulants", shape_of(p), f);
  return moments(p.machine(), spread(shape_of(p), f), order).cumulants;
}

double entropy(const SegmentDistribution& p) { return entropy(p.machine()); }
SegmentArrays entropy_gradient(const SegmentDistribution& p) { return gathered_of(p, entropy_gradient(p.machine())); }
double renyi(const SegmentDistribution& p, double alpha) { return renyi(p.machine(), alpha); }
SegmentArrays renyi_gradient(const SegmentDistribution& p, double alpha) {
  return gathered_of(p, renyi_gradient(p.machine(), alpha));
}

double kl(const SegmentDistribution& p, const SegmentDistribution& q) {
  check_pair("kl", p, q);
  return kl(p.machine(), q.machine());
}
SegmentPairGradient kl_gradient(const SegmentDistribution& p, const SegmentDistribution& q) {
  check_pair("kl_gradient", p, q);
  return gathered_of(p, kl_gradient(p.machine(), q.machine()));
}
double cross_entropy(const SegmentDistribution& p, const SegmentDistribution& q) {
  check_pair("cross_entropy", p, q);
  return cross_entropy(p.machine(), q.machine());
}
SegmentPairGradient cross_entropy_gradient(const SegmentDistribution& p, const SegmentDistribution& q) {
  check_pair("cross_entropy_gradient", p, q);
  return gathered_of(p, cross_entropy_gradient(p.machine(), q.machine()));
}

}  // namespace kirchhoff
