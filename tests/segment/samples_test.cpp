// Random segmentations: chi-square against all of them, and all of them without replacement.
#include "segment/oracle.hpp"

#include <map>

namespace kirchhoff {
namespace {

using namespace segment_oracle;

TEST(SegmentSamples, HaveTheirProbabilities) {
  Random random(3);
  const SegmentDistribution p(random_arrays(4, 3, 2, random, 0.2));
  const Oracle oracle(p.scores());
  const int count = 40000;
  std::map<std::vector<int>, double> seen, first;
  const auto key = [](const Segmentation& s) {
    std::vector<int> flat;
    for (const Segment& one : s) flat.insert(flat.end(), {one.begin, one.length, one.tag});
    return flat;
  };
  for (const ScoredSegmentation& s : sample_segments(p, count, 5)) seen[key(s.segments)] += 1.0;
  for (int i = 0; i < count; ++i) {
    const PerturbedSegments two = sample_without_replacement(p, 2, static_cast<std::uint64_t>(i));
    ASSERT_EQ(two.segmentations.size(), 2u);
    ASSERT_GE(two.perturbed[0], two.perturbed[1]);
    ASSERT_GE(two.perturbed[1], two.threshold);
    first[key(two.segmentations[1].segments)] += 1.0;  // the second one
  }
  double chi = 0.0, chi_second = 0.0;
  for (std::size_t i = 0; i < oracle.all.size(); ++i) {
    const double expected = count * oracle.p[i];
    chi += std::pow(seen[key(oracle.all[i])] - expected, 2) / expected;
    double second = 0.0;  // sum over the first one of p(first) p(this) / (1 - p(first))
    for (std::size_t j = 0; j < oracle.all.size(); ++j) {
      if (j != i) second += oracle.p[j] * oracle.p[i] / (1.0 - oracle.p[j]);
    }
    chi_second += std::pow(first[key(oracle.all[i])] - count * second, 2) / (count * second);
  }
  const double freedom = static_cast<double>(oracle.all.size()) - 1.0;  // mean f, variance 2 f: 5 sigma
  EXPECT_LT(chi, freedom + 5.0 * std::sqrt(2.0 * freedom));
  EXPECT_LT(chi_second, freedom + 5.0 * std::sqrt(2.0 * freedom));
}

TEST(SegmentSamples, WithoutReplacementAreAllInTheEnd) {
  Random random(4);
  const SegmentDistribution p(random_arrays(4, 2, 2, random));
  const std::size_t count = Oracle(p.scores()).all.size();
  const PerturbedSegments all = sample_without_replacement(p, static_cast<int>(count) + 3, 1);
  ASSERT_EQ(all.segmentations.size(), count);
  EXPECT_EQ(all.threshold, -HUGE_VAL);
  double total = 0.0;
  for (const ScoredSegmentation& s : all.segmentations) total += std::exp(s.log_prob);
  EXPECT_NEAR(total, 1.0, 1e-12);
  EXPECT_THROW(sample_without_replacement(p, -1), InputError);
}

}  // namespace
}  // namespace kirchhoff
