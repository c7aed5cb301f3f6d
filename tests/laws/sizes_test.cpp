// Laws of what may be given: any finite weights, and numbers around a structure that nobody may read.
#include "laws/fixture.hpp"

#include <optional>
#include <string>

namespace kirchhoff::laws {
namespace {

template <class Family>
class SizeLaws : public Laws<Family> {};
TYPED_TEST_SUITE(SizeLaws, Families);

/// Or an error says that they differ too much, as it may for trees when the size is beyond 1e12.
TYPED_TEST(SizeLaws, AnyFiniteWeightsAreRight) {
  this->for_all([](const auto& family, const auto&, const Enumeration&, auto& random) {
    if constexpr (HasLargest<TypeParam>) {
      for (const double size : {1e-300, 1e-9, 1e2, 1e4, 1e9, 1e30, 1e100}) {
        SCOPED_TRACE("size " + std::to_string(size));
        if (size > TypeParam::kLargest) break;
        Weights weights = random_weights(family.weights(), random);
        for (double& x : weights) x *= x == -HUGE_VAL ? 1.0 : 0.1 * size;  // at most some 6 standard deviations of 1.5
        const Enumeration all(family.structures(), weights);
        std::optional<DistributionOf<TypeParam>> made;
        try {
          made = family.make(weights);
        } catch (const InputError& e) {  // where every tree needs an arc far below the best one into its word
          EXPECT_GT(size, 1e12);
          EXPECT_NE(std::string(e.what()).find("scores differ too much"), std::string::npos) << e.what();
          continue;
        }
        const auto& p = *made;
        EXPECT_NEAR(p.log_partition(), static_cast<double>(all.log_partition()), kClose + 1e-14 * size);
        expect_close(family.marginals(p), all.marginals(), "marginals");
        if constexpr (HasEntropy<TypeParam>) {
          EXPECT_NEAR(family.entropy(p), static_cast<double>(all.entropy()), kClose);
        }
        if constexpr (HasBest<TypeParam>) {
          EXPECT_TRUE(all.contains(family.best(p).first));
        }
      }
    }
  });
}

TYPED_TEST(SizeLaws, PaddingChangesNothing) {
  this->for_all([](const auto& family, const auto& p, const Enumeration& all, auto&) {
    if constexpr (HasPadding<TypeParam>) {
      const auto padded = family.padded(family.weights());
      EXPECT_NEAR(padded.log_partition(), p.log_partition(), kClose);
      expect_close(family.marginals(padded), all.marginals(), "padded");
      if constexpr (HasEntropy<TypeParam>) {
        EXPECT_NEAR(family.entropy(padded), family.entropy(p), kClose);
      }
    }
  });
}

}  // namespace
}  // namespace kirchhoff::laws
