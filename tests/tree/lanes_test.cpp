// Small graphs of a batch are solved in the lanes of vector registers: they get the robust method's answers there, with
// bits that depend on nothing else in the batch.
#include "tree/batches.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>

namespace kirchhoff {
namespace {

using batches::all_zero;
using batches::batch_of;
using batches::same_bits;
using batches::some_graphs;
using graphs::kInf;

TEST(Lanes, GiveWhatTheRobustMethodGives) {
  graphs::Random random(150);
  for (const double spread : {0.1, 1.0, 8.0, 40.0}) {
    for (const double density : {1.0, 0.5, 0.15}) {
      std::vector<Matrix> matrices;
      for (int n = 1; n <= 52; ++n) {
        for (int k = 0; k < 3; ++k) {
          matrices.push_back(graphs::masked_feasible(graphs::normal(n, spread, random), density, random));
        }
      }
      for (Root root : graphs::kRoots) {
        SCOPED_TRACE(testing::Message() << graphs::name(root) << ", spread " << spread << ", density " << density);
        const TreeBatch batch(batch_of(matrices), root);
        for (std::size_t k = 0; k < matrices.size(); ++k) {
          const auto lane = Eigen::Map<const Matrix>(batch.marginals(k).data(), matrices[k].rows(), matrices[k].cols());
          std::optional<TreeDistribution> p;
          try {
            p.emplace(matrices[k], root, graphs::forced(Method::robust));
          } catch (const Infeasible&) {  // masked_feasible promises a multi-root tree
            EXPECT_EQ(batch.log_partition()[k], -kInf);
            EXPECT_TRUE(all_zero(batch.marginals(k)));
            continue;
          }
          EXPECT_NEAR(batch.log_partition()[k], p->log_partition(), 1e-13 * (1 + std::abs(p->log_partition())));
          for (Eigen::Index i = 0; i < lane.size(); ++i) {
            const double expected = p->marginals().reshaped()[i], found = lane.reshaped()[i];
            ASSERT_LE(std::abs(found - expected), 1e-12 * expected + 1e-300) << k << ", " << i;
          }
        }
      }
    }
  }
}

TEST(Lanes, AGraphsBitsDoNotDependOnTheOthers) {
  const auto matrices = some_graphs(60);
  for (Root root : graphs::kRoots) {
    const TreeBatch all(batch_of(matrices), root, {.threads = 1});
    for (int threads : {2, kAllCores}) {
      const TreeBatch again(batch_of(matrices), root, {.threads = threads});
      EXPECT_TRUE(same_bits(all.log_partition(), again.log_partition().data()));
      EXPECT_TRUE(same_bits(all.marginals(), again.marginals().data()));
    }
    for (std::size_t k = 0; k < matrices.size(); ++k) {  // beside one other graph, before it and after it
      const std::vector<Matrix> pair{matrices[k], matrices[(k + 17) % matrices.size()]};
      const TreeBatch after(batch_of(pair), root), before(batch_of({pair[1], pair[0]}), root);
      EXPECT_TRUE(same_bits(all.log_partition().subspan(k, 1), after.log_partition().data())) << k;
      EXPECT_TRUE(same_bits(all.marginals(k), after.marginals(0).data())) << k;
      EXPECT_TRUE(same_bits(all.marginals(k), before.marginals(1).data())) << k;
    }
  }
}

}  // namespace
}  // namespace kirchhoff
