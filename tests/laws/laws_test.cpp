// The laws that every distribution must keep, written once and run for each family in laws/families.
//
// A family makes random distributions and translates between their structures and the judge's (laws/enumeration.hpp).
// Members that not every family has (laws/members.hpp) bring laws of their own. To add a distribution, write a family
// and add it to laws/families.hpp.
#include "laws/fixture.hpp"
#include "support/chi_square.hpp"
#include "support/gradient.hpp"

#include <gtest/gtest.h>

#include <set>

namespace kirchhoff::laws {
namespace {

// Structures drawn for a chi-square test, which raises a false alarm with probability statistics::kFalseAlarm.
constexpr int kSamples = 4000;

TYPED_TEST_SUITE(Laws, Families);

TYPED_TEST(Laws, LogPartitionIsTheLogOfTheSumOverAllStructures) {
  this->for_all([](const auto&, const auto& p, const Enumeration& all, auto&) {
    EXPECT_NEAR(p.log_partition(), static_cast<double>(all.log_partition()), kClose);
  });
}

TYPED_TEST(Laws, ProbabilitiesSumToOne) {
  this->for_all([](const auto& family, const auto& p, const Enumeration& all, auto&) {
    if constexpr (HasLogProb<TypeParam>) {
      double sum = 0;
      for (const Structure& s : family.structures()) {
        const double log_p = family.log_prob(p, s);
        sum += std::exp(log_p);
        const double expected = all.contains(s) ? static_cast<double>(all.log_p(all.number(s))) : -HUGE_VAL;
        EXPECT_TRUE(log_p == expected || std::abs(log_p - expected) <= kClose) << log_p << " is not " << expected;
      }
      EXPECT_NEAR(sum, 1.0, kClose);
    }
  });
}

TYPED_TEST(Laws, MarginalsAreExpectedCounts) {
  this->for_all([](const auto& family, const auto& p, const Enumeration& all, auto&) {
    const Weights marginals = family.marginals(p);
    for (std::size_t place = 0; place < marginals.size(); ++place) {
      int most = 0;  // a structure may use a place several times
      for (std::size_t i = 0; i < all.size(); ++i) most = std::max(most, all[i][place]);
      EXPECT_TRUE(marginals[place] >= 0.0 && marginals[place] <= most + kClose) << marginals[place];
    }
    expect_close(marginals, all.marginals(), "marginals");
    for (const auto& group : family.groups()) {
      double sum = 0;
      for (const std::size_t place : group) sum += marginals[place];
      EXPECT_NEAR(sum, 1.0, kClose) << "every structure uses one place of a group";
    }
  });
}

TYPED_TEST(Laws, ShiftingAGroupMovesLogZOnly) {
  this->for_all([](const auto& family, const auto& p, const Enumeration& all, auto&) {
    for (const auto& group : family.groups()) {
      for (const double shift : {-7.25, 0.5, 300.0}) {
        Weights shifted = family.weights();
        for (const std::size_t place : group) shifted[place] += shift;
        const auto q = family.make(shifted);
        EXPECT_NEAR(q.log_partition(), p.log_partition() + shift, kClose);
        expect_close(family.marginals(q), all.marginals(), "shifted");
      }
    }
  });
}

TYPED_TEST(Laws, TheGradientOfLogZIsTheMarginals) {
  this->for_all(
      [](const auto& family, const auto& p, const Enumeration&, auto&) {
        const Weights marginals = family.marginals(p);
        for (std::size_t i = 0; i < marginals.size(); ++i) {
          if (family.weights()[i] == -HUGE_VAL) continue;
          Weights moved = family.weights();
          const auto log_z = [&](double x) { return moved[i] = x, family.make(moved).log_partition(); };
          EXPECT_NEAR(marginals[i], derivative(log_z, family.weights()[i]), 1e-9) << "place " << i;
        }
      },
      8);
}

TYPED_TEST(Laws, EntropyIsTheMeanOfMinusLogP) {
  this->for_all([](const auto& family, const auto& p, const Enumeration& all, auto&) {
    if constexpr (HasEntropy<TypeParam>) {
      EXPECT_NEAR(family.entropy(p), static_cast<double>(all.entropy()), kClose);
    }
  });
}

TYPED_TEST(Laws, CumulantsAreThoseOfTheList) {
  this->for_all([](const auto& family, const auto& p, const Enumeration& all, auto& random) {
    if constexpr (HasCumulants<TypeParam>) {
      const Weights f = random_weights(Weights(family.weights().size()), random);
      const Real mean = all.mean([&](std::size_t i) { return log_weight(all[i], f); });
      const auto moment = [&](int k) {
        return all.mean([&](std::size_t i) { return std::pow(log_weight(all[i], f) - mean, k); });
      };
      const std::vector<Real> expected = {0, mean, moment(2), moment(3), moment(4) - 3 * moment(2) * moment(2)};
      expect_close(family.cumulants(p, f, 4), expected, "cumulants");
    }
  });
}

TYPED_TEST(Laws, RenyiEntropiesFallToShannonsAndBelow) {
  this->for_all([](const auto& family, const auto& p, const Enumeration& all, auto&) {
    if constexpr (HasRenyi<TypeParam>) {
      for (const double alpha : {0.0, 0.5, 2.0, 5.0}) {
        EXPECT_NEAR(family.renyi(p, alpha), static_cast<double>(all.renyi(alpha)), kClose) << alpha;
      }
      EXPECT_NEAR(family.renyi(p, 1.0), family.entropy(p), kClose);
      // The slope at alpha = 1 is -Var(log p) / 2, which is at most 100 here.
      for (const double alpha : {1 - 1e-6, 1 + 1e-6}) {
        EXPECT_NEAR(family.renyi(p, alpha), family.entropy(p), 1e-4) << alpha;
      }
      EXPECT_GE(family.renyi(p, 0.5), family.entropy(p) - kClose);
      EXPECT_LE(family.renyi(p, 2.0), family.entropy(p) + kClose);
    }
  });
}

TYPED_TEST(Laws, KlIsZeroForEqualsAndPositiveElse) {
  this->for_all([](const auto& family, const auto& p, const Enumeration& all, auto& random) {
    if constexpr (HasKl<TypeParam>) {
      const Weights weights = random_weights(family.weights(), random);
      const Enumeration other(family.structures(), weights);
      const double kl = family.kl(p, family.make(weights));
      EXPECT_NEAR(family.kl(p, p), 0.0, kClose);
      EXPECT_GE(kl, -kClose);
      const auto excess = [&](std::size_t i) { return all.log_p(i) - other.log_p(other.number(all[i])); };
      EXPECT_NEAR(kl, static_cast<double>(all.mean(excess)), kClose);
    }
  });
}

TYPED_TEST(Laws, TemperatureDividesTheWeights) {
  this->for_all([](const auto& family, const auto& p, const Enumeration& all, auto&) {
    if constexpr (HasTemperature<TypeParam>) {
      for (const double temperature : {0.25, 1.0, 3.0}) {
        Weights cooled = family.weights();
        for (double& x : cooled) x /= temperature;
        const auto q = family.with_temperature(p, temperature);
        const Enumeration expected(family.structures(), cooled);
        EXPECT_NEAR(q.log_partition(), static_cast<double>(expected.log_partition()), kClose);
        expect_close(family.marginals(q), expected.marginals(), "cooled");
      }
      // A flat distribution is that of infinite temperature.
      EXPECT_NEAR(family.entropy(family.with_temperature(p, 1e9)), std::log(static_cast<double>(all.size())), 1e-6);
    }
  });
}

TYPED_TEST(Laws, TheKBestAreSortedUniqueAndComplete) {
  this->for_all([](const auto& family, const auto& p, const Enumeration& all, auto&) {
    if constexpr (HasKBest<TypeParam>) {
      std::size_t most = all.size();
      if constexpr (requires { TypeParam::kMostBest; }) most = std::min<std::size_t>(most, TypeParam::kMostBest);
      const auto list = family.k_best(p, static_cast<int>(all.size()) + 5);
      std::vector<Real> sorted;
      for (std::size_t i = 0; i < all.size(); ++i) sorted.push_back(all.log_p(i));
      std::sort(sorted.rbegin(), sorted.rend());
      std::set<Structure> seen;
      ASSERT_EQ(list.size(), most);
      for (std::size_t i = 0; i < list.size(); ++i) {
        EXPECT_TRUE(seen.insert(list[i].first).second) << "number " << i << " comes twice";
        ASSERT_TRUE(all.contains(list[i].first)) << "number " << i;
        EXPECT_NEAR(list[i].second, static_cast<double>(all.log_p(all.number(list[i].first))), kClose);
        EXPECT_NEAR(list[i].second, static_cast<double>(sorted[i]), kClose) << "number " << i;
      }
    }
  });
}

TYPED_TEST(Laws, SamplesHaveTheRightFrequencies) {
  this->for_all(
      [](const auto& family, const auto& p, const Enumeration& all, auto&) {
        if constexpr (HasSamples<TypeParam>) {
          statistics::Counts counts(all.size(), 0);
          std::vector<Real> probabilities;
          for (std::size_t i = 0; i < all.size(); ++i) probabilities.push_back(std::exp(all.log_p(i)));
          for (const Structure& s : family.samples(p, kSamples, 13)) {
            ASSERT_TRUE(all.contains(s)) << "an impossible structure";
            ++counts[all.number(s)];
          }
          EXPECT_GT(statistics::fit(counts, probabilities), statistics::kFalseAlarm);
        }
      },
      10);
}

TYPED_TEST(Laws, SamplesTogetherAreTheSamplesOneByOne) {
  this->for_all([](const auto& family, const auto& p, const Enumeration&, auto&) {
    if constexpr (HasSamples<TypeParam>) {
      const std::vector<Structure> together = family.samples(p, 30, 17);
      for (std::size_t i = 0; i < together.size(); ++i) EXPECT_EQ(family.sample(p, 17, i), together[i]);
    }
  });
}

/// `condition` must leave the structures that `keep` keeps, with their weights.
template <class Family, class Condition, class Keep>
void expect_conditioned(const Family& family, Condition condition, Keep keep) {
  std::vector<Structure> kept = family.structures();
  std::erase_if(kept, [&](const Structure& s) { return !keep(s); });
  const Enumeration expected(kept, family.weights());
  if (expected.size() == 0) {
    EXPECT_THROW(condition(), Infeasible);
    return;
  }
  const auto q = condition();
  EXPECT_NEAR(q.log_partition(), static_cast<double>(expected.log_partition()), kClose);
  expect_close(family.marginals(q), expected.marginals(), "given");
}

TYPED_TEST(Laws, RequireAndForbidAreConditioning) {
  this->for_all([](const auto& family, const auto& p, const Enumeration&, auto&) {
    for (std::size_t i = 0; i < family.marginals(p).size(); ++i) {
      if (family.weights()[i] == -HUGE_VAL) continue;
      SCOPED_TRACE("place " + std::to_string(i));
      if constexpr (HasRequire<TypeParam>) {
        expect_conditioned(
            family, [&] { return family.require(p, i); }, [&](const Structure& s) { return s[i] > 0; });
      }
      if constexpr (HasForbid<TypeParam>) {
        expect_conditioned(
            family, [&] { return family.forbid(p, i); }, [&](const Structure& s) { return s[i] == 0; });
      }
    }
  });
}

TYPED_TEST(Laws, RenamingRenamesMarginals) {
  this->for_all([](const auto& family, const auto& p, const Enumeration&, auto& random) {
    if constexpr (HasRenaming<TypeParam>) {
      const std::vector<std::size_t> to = family.renaming(random);
      Weights renamed = family.weights();
      for (std::size_t i = 0; i < to.size(); ++i) renamed[to[i]] = family.weights()[i];
      const auto q = family.make(renamed);
      EXPECT_NEAR(q.log_partition(), p.log_partition(), kClose);
      const Weights before = family.marginals(p), after = family.marginals(q);
      for (std::size_t i = 0; i < to.size(); ++i) EXPECT_NEAR(after[to[i]], before[i], kClose) << "place " << i;
    }
  });
}

TYPED_TEST(Laws, ABatchIsTheSameAsOneByOne) {
  this->for_all([](const auto& family, const auto& p, const Enumeration&, auto& random) {
    if constexpr (HasBatch<TypeParam>) {
      std::vector<Weights> all = {family.weights()};
      for (int i = 0; i < 5; ++i) all.push_back(random_weights(family.weights(), random));
      const std::vector<double> batch = family.log_partitions(all);
      ASSERT_EQ(batch.size(), all.size());
      // Not to the last bit, because a batch may be solved by another method than one structure alone.
      EXPECT_NEAR(batch[0], p.log_partition(), kClose);
      for (std::size_t i = 0; i < all.size(); ++i) {
        EXPECT_NEAR(batch[i], family.make(all[i]).log_partition(), kClose) << i;
      }
      const std::vector<double> again = family.log_partitions({all[2], all[0]});
      EXPECT_EQ(again[0], batch[2]) << "whatever else is in the batch";
      EXPECT_EQ(again[1], batch[0]) << "whatever else is in the batch";
    }
  });
}

}  // namespace
}  // namespace kirchhoff::laws
