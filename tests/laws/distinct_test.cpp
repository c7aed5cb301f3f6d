// Laws of the best structure, and of samples without replacement: their joint law, and all of them in the end.
#include "laws/fixture.hpp"
#include "support/chi_square.hpp"

#include <set>

namespace kirchhoff::laws {
namespace {

constexpr int kPairs = 4000;  // pairs drawn for a chi-square test

template <class Family>
class DistinctLaws : public Laws<Family> {};
TYPED_TEST_SUITE(DistinctLaws, Families);

TYPED_TEST(DistinctLaws, TheBestIsTheFirstOfTheKBest) {
  this->for_all([](const auto& family, const auto& p, const Enumeration& all, auto&) {
    if constexpr (HasBest<TypeParam>) {
      Real most = -HUGE_VALL;
      for (std::size_t i = 0; i < all.size(); ++i) most = std::max(most, all.log_p(i));
      const auto [best, log_prob] = family.best(p);
      ASSERT_TRUE(all.contains(best));
      EXPECT_NEAR(log_prob, static_cast<double>(most), kClose);
      EXPECT_NEAR(static_cast<double>(all.log_p(all.number(best))), log_prob, kClose);
      if constexpr (HasKBest<TypeParam>) {
        EXPECT_NEAR(family.k_best(p, 1).front().second, log_prob, kClose);
      }
    }
  });
}

/// The first two are i and j with probability p_i p_j / (1 - p_i).
TYPED_TEST(DistinctLaws, TheFirstTwoHaveTheirJointLaw) {
  this->for_all(
      [](const auto& family, const auto& p, const Enumeration& all, auto&) {
        if constexpr (HasDistinct<TypeParam>) {
          const std::size_t n = all.size();
          if (n < 2 || n > 30) return;
          statistics::Counts counts(n * n, 0);
          std::vector<Real> probabilities(n * n, 0);
          for (std::size_t i = 0; i < n; ++i) {
            Real others = 0;
            for (std::size_t j = 0; j < n; ++j) others += j == i ? 0 : std::exp(all.log_p(j));
            for (std::size_t j = 0; j < n; ++j) {
              if (j != i) probabilities[i * n + j] = std::exp(all.log_p(i) + all.log_p(j)) / others;
            }
          }
          for (int seed = 0; seed < kPairs; ++seed) {
            const Distinct two = family.distinct(p, 2, static_cast<std::uint64_t>(seed));
            ASSERT_EQ(two.structures.size(), 2u);
            ASSERT_TRUE(all.contains(two.structures[0]) && all.contains(two.structures[1]));
            ++counts[all.number(two.structures[0]) * n + all.number(two.structures[1])];
          }
          EXPECT_GT(statistics::fit(counts, probabilities), statistics::kFalseAlarm);
        }
      },
      6);
}

TYPED_TEST(DistinctLaws, TheyAreAllInTheEnd) {
  this->for_all([](const auto& family, const auto& p, const Enumeration& all, auto&) {
    if constexpr (HasDistinct<TypeParam>) {
      const int n = static_cast<int>(all.size());
      const Distinct every = family.distinct(p, n + 2, 5), most = family.distinct(p, n - 1, 5);
      ASSERT_EQ(every.structures.size(), all.size());
      EXPECT_EQ(every.threshold, -HUGE_VAL);
      std::set<Structure> seen;
      for (std::size_t i = 0; i < every.structures.size(); ++i) {
        EXPECT_TRUE(all.contains(every.structures[i])) << i;
        EXPECT_TRUE(seen.insert(every.structures[i]).second) << "number " << i << " comes twice";
        if (i > 0) {
          EXPECT_GE(every.perturbed[i - 1], every.perturbed[i]) << i;
        }
      }
      // Fewer ones are the first ones, and the one that is left out says how far they go.
      ASSERT_EQ(most.structures.size(), all.size() - 1);
      for (std::size_t i = 0; i < most.structures.size(); ++i) EXPECT_EQ(most.structures[i], every.structures[i]) << i;
      EXPECT_NEAR(most.threshold, every.perturbed.back(), kClose);
    }
  });
}

}  // namespace
}  // namespace kirchhoff::laws
