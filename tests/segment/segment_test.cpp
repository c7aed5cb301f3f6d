// Segmentations against all of them, listed one by one, and against finite differences.
#include "segment/oracle.hpp"

#include "kirchhoff/chain_expectation.hpp"
#include "support/message_of.hpp"

namespace kirchhoff {
namespace {

using namespace segment_oracle;

struct Size {
  int positions, longest, tags;
};
class Segmentations : public testing::TestWithParam<Size> {
 protected:
  Random random{7};
  SegmentArrays arrays(double forbidden = 0.0) {
    return random_arrays(GetParam().positions, GetParam().longest, GetParam().tags, random, forbidden);
  }
  /// A direction: what lies beyond the last position is 0, so that sums may go over all.
  SegmentArrays function() {
    SegmentArrays f = arrays();
    for (int begin = 0; begin < f.positions(); ++begin) {
      for (int length = f.positions() - begin + 1; length <= f.longest(); ++length) {
        for (int tag = 0; tag < f.tags(); ++tag) f.segment({begin, length, tag}) = 0.0;
      }
    }
    return f;
  }
};
INSTANTIATE_TEST_SUITE_P(Sizes, Segmentations,
                         testing::Values(Size{1, 1, 1}, Size{1, 3, 2}, Size{4, 2, 2}, Size{5, 5, 1}, Size{3, 4, 3},
                                         Size{6, 3, 2}));

TEST_P(Segmentations, ValuesAreThoseOfAll) {
  for (const double forbidden : {0.0, 0.3}) {
    const SegmentArrays scores = arrays(forbidden);
    const Oracle oracle(scores);
    const SegmentDistribution p(scores);
    EXPECT_NEAR(p.log_partition(), oracle.log_z, 1e-12);
    EXPECT_NEAR(std::exp(p.log_count()), static_cast<double>(oracle.all.size()), 1e-9);
    expect_close(p.marginals(), oracle.marginals(), 1e-12);
    EXPECT_NEAR(entropy(p), oracle.mean([&](std::size_t i) { return -std::log(oracle.p[i]); }), 1e-12);
    for (const double alpha : {0.0, 0.5, 1.0, 2.0}) {
      double sum = 0.0;
      for (const double x : oracle.p) sum += std::pow(x, alpha);
      const double expected = alpha == 1.0 ? entropy(p) : std::log(sum) / (1.0 - alpha);
      EXPECT_NEAR(renyi(p, alpha), expected, 1e-11) << alpha;
    }
    for (std::size_t i = 0; i < oracle.all.size(); ++i) {
      EXPECT_NEAR(p.log_prob(oracle.all[i]), std::log(oracle.p[i]), 1e-11);
    }
  }
}

TEST_P(Segmentations, MomentsAreThoseOfAll) {
  const SegmentDistribution p(arrays(0.2));
  const Oracle oracle(p.scores());
  const std::vector<SegmentArrays> f = {function(), function()};
  const auto value = [&](int k, std::size_t i) { return Oracle::sum(f[k], oracle.all[i]); };
  const Vector means = expectation(p, f);
  const Matrix covariances = covariance(p, f, f), products = second_order(p, f, f);
  for (int k = 0; k < 2; ++k) {
    EXPECT_NEAR(means(k), oracle.mean([&](std::size_t i) { return value(k, i); }), 1e-11);
    for (int l = 0; l < 2; ++l) {
      const double expected =
          oracle.mean([&](std::size_t i) { return (value(k, i) - means(k)) * (value(l, i) - means(l)); });
      EXPECT_NEAR(covariances(k, l), expected, 1e-11);
      EXPECT_NEAR(products(k, l), oracle.mean([&](std::size_t i) { return value(k, i) * value(l, i); }), 1e-11);
    }
  }
  const Vector found = cumulants(p, f[0], 3);
  const auto moment = [&](int order) {
    return oracle.mean([&](std::size_t i) { return std::pow(value(0, i) - means(0), order); });
  };
  EXPECT_NEAR(found(1), means(0), 1e-11);
  EXPECT_NEAR(found(2), moment(2), 1e-11);
  EXPECT_NEAR(found(3), moment(3), 1e-10);
}

TEST_P(Segmentations, GradientsAreDifferences) {
  const SegmentArrays scores = arrays(), other = arrays(), r = function(), s = function();
  const SegmentDistribution p(scores), q(other);
  const auto check = [&](const SegmentArrays& gradient, const std::function<double(const SegmentDistribution&)>& f) {
    EXPECT_NEAR(dot(gradient, r), slope(scores, r, f), 1e-8);
  };
  check(p.marginals(), [](const SegmentDistribution& d) { return d.log_partition(); });
  check(p.marginals_along(s), [&](const SegmentDistribution& d) { return dot(d.marginals(), s); });
  check(covariance_gradient(p, s, s), [&](const SegmentDistribution& d) { return covariance(d, {s}, {s})(0, 0); });
  check(entropy_gradient(p), [](const SegmentDistribution& d) { return entropy(d); });
  check(renyi_gradient(p, 2.0), [](const SegmentDistribution& d) { return renyi(d, 2.0); });
  check(kl_gradient(p, q).p, [&](const SegmentDistribution& d) { return kl(d, q); });
  check(cross_entropy_gradient(p, q).p, [&](const SegmentDistribution& d) { return cross_entropy(d, q); });
  EXPECT_NEAR(dot(kl_gradient(q, p).q, r), slope(scores, r, [&](const auto& d) { return kl(q, d); }), 1e-8);
  EXPECT_NEAR(dot(cross_entropy_gradient(q, p).q, r),
              slope(scores, r, [&](const auto& d) { return cross_entropy(q, d); }), 1e-8);
}

TEST_P(Segmentations, DivergencesAreThoseOfAll) {
  const SegmentArrays scores = arrays(), other = arrays();
  const Oracle p(scores), q(other);
  double expected = 0.0;
  for (std::size_t i = 0; i < p.all.size(); ++i) expected += p.p[i] * (std::log(p.p[i]) - std::log(q.p[i]));
  EXPECT_NEAR(kl(SegmentDistribution(scores), SegmentDistribution(other)), expected, 1e-12);
  EXPECT_NEAR(cross_entropy(SegmentDistribution(scores), SegmentDistribution(other)),
              expected + entropy(SegmentDistribution(scores)), 1e-12);
}

TEST_P(Segmentations, TheBestAreInOrder) {
  const SegmentDistribution p(arrays(0.2));
  const Oracle oracle(p.scores());
  std::vector<double> sorted = oracle.p;
  std::sort(sorted.rbegin(), sorted.rend());
  const std::vector<ScoredSegmentation> list = k_best_segments(p, static_cast<int>(sorted.size()) + 1);
  ASSERT_EQ(list.size(), sorted.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    EXPECT_NEAR(list[i].log_prob, std::log(sorted[i]), 1e-11);
    EXPECT_NEAR(list[i].log_prob, p.log_prob(list[i].segments), 1e-11);
    EXPECT_NEAR(list[i].score, Oracle::sum(p.scores(), list[i].segments), 1e-11);
  }
  EXPECT_EQ(best_segments(p).segments, list.front().segments);
  const SegmentArrays marginals = p.marginals();
  const auto right = [&](const Segmentation& s) {
    double total = 0.0;
    for (const Segment& one : s) total += marginals.segment(one);
    return total;
  };
  double most = 0.0;
  for (const Segmentation& s : oracle.all) most = std::max(most, right(s));
  const ScoredSegmentation mbr = mbr_segments(p);
  EXPECT_NEAR(right(mbr.segments), most, 1e-12);
  EXPECT_NEAR(mbr.score - p.log_partition(), mbr.log_prob, 1e-11);
}

TEST_P(Segmentations, ConditionsAndTemperature) {
  const SegmentArrays scores = arrays();
  const SegmentDistribution p(scores);
  const Segment one{0, 1, GetParam().tags - 1};
  const double probability = p.marginals().segment(one);
  EXPECT_NEAR(p.require(one).log_partition() - p.log_partition(), std::log(probability), 1e-12);
  EXPECT_NEAR(p.require(one).marginals().segment(one), 1.0, 1e-12);
  if (probability < 0.999) {
    EXPECT_NEAR(p.forbid(one).log_partition() - p.log_partition(), std::log1p(-probability), 1e-11);
    EXPECT_EQ(p.forbid(one).marginals().segment(one), 0.0);
  } else {
    EXPECT_THROW(p.forbid(one), Infeasible);
  }
  SegmentArrays half = scores;
  half.segments /= 2.0;
  half.transitions /= 2.0;
  EXPECT_EQ(p.with_temperature(2.0).log_partition(), SegmentDistribution(half).log_partition());
  EXPECT_THROW(p.with_temperature(0.0), InputError);
}

/// Rows of weights of the skeleton, of segmentations of fewer positions too, are the distributions one by one.
TEST(SegmentBatches, AreRowsOfTheSkeleton) {
  Random random(6);
  const int positions = 5, longest = 3, tags = 2, states = 2 * positions * tags;
  const Wfsm skeleton = segment_skeleton(positions, longest, tags);
  const auto arcs = static_cast<Eigen::Index>(skeleton.transitions().size());
  Matrix weights = Matrix::Constant(positions, arcs + 2 * states, -HUGE_VAL);
  std::vector<SegmentDistribution> alone;
  for (int n = 1; n <= positions; ++n) {
    const SegmentArrays scores = random_arrays(n, longest, tags, random, 0.2);
    alone.emplace_back(scores);
    Eigen::Index at = 0;
    for (int begin = 0; begin < positions; ++begin) {
      for (int length = 1; length <= std::min(longest, positions - begin); ++length) {
        for (int tag = 0; tag < tags; ++tag, ++at) {
          weights(n - 1, at) = begin + length <= n ? scores.segment({begin, length, tag}) : 1.0;
        }
      }
    }
    for (; at < arcs; ++at) weights(n - 1, at) = scores.transitions.data()[(arcs - 1 - at) % 4 ^ 3];
    weights.row(n - 1).segment(arcs, tags).setZero();
    weights.row(n - 1).segment(arcs + states + (positions + n - 1) * tags, tags).setZero();
  }
  const WfsmBatch batch(skeleton, weights);
  const Vector entropy_of = entropies(batch);
  for (int i = 0; i < positions; ++i) {
    EXPECT_NEAR(batch.log_partition()(i), alone[i].log_partition(), 1e-12);
    EXPECT_NEAR(entropy_of(i), entropy(alone[i]), 1e-12);
    EXPECT_NEAR(batch.counts()(i, 0), alone[i].marginals().segment({0, 1, 0}), 1e-12);
  }
}

/// Segments of one position are a chain whose pairs are the same everywhere.
TEST(SegmentChains, OfLengthOneAreLinear) {
  Random random(5);
  const SegmentArrays scores = random_arrays(7, 1, 3, random);
  const SegmentDistribution p(scores);
  const ChainDistribution chain(scores.segments, scores.transitions);
  EXPECT_NEAR(p.log_partition(), chain.log_partition(), 1e-12);
  EXPECT_LT((p.marginals().segments - chain.marginals().emissions).cwiseAbs().maxCoeff(), 1e-13);
  EXPECT_NEAR(entropy(p), entropy(chain), 1e-12);
}

TEST(SegmentExtremes, LargeScoresAreRight) {
  for (const double size : {1e3, 1e6, 1e9}) {
    SegmentArrays scores(3, 2, 2, -size);
    scores.segment({0, 2, 1}) = size;
    scores.segment({2, 1, 0}) = size;
    scores.transitions(1, 0) = 0.0;
    scores.transitions(1, 1) = 0.0;
    scores.segment({2, 1, 1}) = size - 1.0;
    const SegmentDistribution p(scores);
    EXPECT_NEAR(p.log_partition(), 2.0 * size + std::log1p(std::exp(-1.0)), 1e-15 * size + 1e-12);
    EXPECT_NEAR(p.marginals().segment({2, 1, 0}), 1.0 / (1.0 + std::exp(-1.0)), 1e-12);
    EXPECT_NEAR(p.log_prob({{0, 2, 1}, {2, 1, 1}}), -std::log1p(std::exp(1.0)), 1e-12);
    EXPECT_NEAR(entropy(p), 0.5822031, 1e-6);
  }
}

TEST(SegmentErrors, SayWhatIsWrong) {
  SegmentArrays scores(3, 2, 2);
  const SegmentDistribution p(scores);
  EXPECT_THROW(SegmentArrays(0, 1, 1), InputError);
  EXPECT_THROW(SegmentDistribution{SegmentArrays()}, InputError);
  scores.segment({1, 2, 0}) = NAN;
  EXPECT_NE(message_of<InputError>([&] { SegmentDistribution{scores}; }).find("begin 1, length 2, tag 0"),
            std::string::npos);
  scores.segment({1, 2, 0}) = 2e9;
  EXPECT_THROW(SegmentDistribution{scores}, InputError);
  scores.segment({1, 2, 0}) = 0.0;
  scores.segment({2, 2, 0}) = NAN;  // it does not exist
  EXPECT_EQ(SegmentDistribution(scores).log_partition(), p.log_partition());
  EXPECT_THROW(SegmentDistribution(SegmentArrays(3, 2, 2, -HUGE_VAL)), Infeasible);
  EXPECT_THROW(p.log_prob({{0, 1, 0}}), InputError);
  EXPECT_THROW(p.log_prob({{0, 1, 0}, {2, 1, 0}}), InputError);
  EXPECT_THROW(p.log_prob({{0, 3, 0}}), InputError);
  EXPECT_THROW(p.forbid({0, 1, 2}), InputError);
  EXPECT_THROW(kl(p, SegmentDistribution(SegmentArrays(3, 1, 2))), InputError);
  EXPECT_THROW(k_best_segments(p, -1), InputError);
  SegmentArrays less(3, 2, 2);
  less.segment({0, 1, 0}) = -HUGE_VAL;
  EXPECT_EQ(kl(p, SegmentDistribution(less)), HUGE_VAL);
  EXPECT_EQ(SegmentDistribution(less).log_prob({{0, 1, 0}, {1, 2, 1}}), -HUGE_VAL);
  EXPECT_THROW(kl_gradient(p, SegmentDistribution(less)), InputError);
}

}  // namespace
}  // namespace kirchhoff
