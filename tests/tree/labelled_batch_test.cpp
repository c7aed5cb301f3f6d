// Batches of labelled trees sum over labels while they read scores, and solve small trees in lanes: they give what one
// distribution after the other gives, with bits that depend on nothing else in the batch.
#include "kirchhoff/tree_batch.hpp"

#include "tree/batches.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

namespace kirchhoff {
namespace {

using batches::all_zero;
using batches::same_bits;
using graphs::kInf;

std::vector<GraphView> views_of(const std::vector<LabelledMatrix>& matrices) {
  std::vector<GraphView> views;
  for (const LabelledMatrix& m : matrices) views.push_back(graph_view(m));
  return views;
}

// Graphs of 1 to 40 words, where half of the labels are impossible with `sparse`, and what is no arc may be anything.
std::vector<LabelledMatrix> some_labelled(int labels, double spread, bool sparse, graphs::Random& random) {
  std::vector<LabelledMatrix> matrices;
  for (int n = 1; n <= 40; n += n < 12 ? 1 : 7) {
    LabelledMatrix m = graphs::normal(n, labels, spread, random);
    for (int head = 0; head <= n; ++head) {
      for (int d = 1; d <= n; ++d) {
        for (int y = 0; sparse && y < labels; ++y) {
          if ((head * 31 + d * 17 + y * 7) % 2 == 0 && head + 1 != d) m(head, d, y) = -kInf;
        }
      }
      for (int y = 0; y < labels; ++y) m(head, 0, y) = m(head, head, y) = std::nan("");
    }
    matrices.push_back(std::move(m));
  }
  return matrices;
}

void expect_as_one_by_one(const LabelledTreeBatch& batch, const std::vector<LabelledMatrix>& matrices) {
  for (std::size_t k = 0; k < matrices.size(); ++k) {
    const LabelledTreeDistribution p(matrices[k], batch.root());
    EXPECT_NEAR(batch.log_partition()[k], p.log_partition(), 1e-13 * (1 + std::abs(p.log_partition()))) << k;
    const std::size_t row = (p.words() + 1) * p.labels();
    for (std::size_t i = 0; i < p.marginals().size(); ++i) {
      const double expected = p.marginals().data()[i];
      const double found = batch.marginals(k)[i / row * batch.row_length(k) + i % row];
      ASSERT_LE(std::abs(found - expected), 2e-12 * expected + 1e-300) << k << ", " << i;
    }
  }
}

TEST(LabelledTreeBatch, GivesWhatOneGraphAfterTheOtherGives) {
  graphs::Random random(170);
  for (const int labels : {1, 2, 3, 7, 8, 9, 17, 40}) {
    for (const double spread : {0.5, 8.0, 200.0}) {
      const auto matrices = some_labelled(labels, spread, spread == 8.0, random);
      expect_as_one_by_one({views_of(matrices), Root::multi}, matrices);
      expect_as_one_by_one({views_of(matrices), Root::multi, {.padded_words = 42}}, matrices);
      if (spread != 8.0) expect_as_one_by_one({views_of(matrices), Root::single}, matrices);
    }
  }
}

TEST(LabelledTreeBatch, BitsDependOnNothingElse) {
  graphs::Random random(171);
  const auto matrices = some_labelled(11, 2.0, false, random);
  const LabelledTreeBatch all(views_of(matrices), Root::single, {.threads = 1});
  const LabelledTreeBatch threads(views_of(matrices), Root::single, {.threads = 4});
  EXPECT_TRUE(same_bits(all.log_partition(), threads.log_partition().data()));
  EXPECT_TRUE(same_bits(all.marginals(), threads.marginals().data()));
  for (std::size_t k = 0; k < matrices.size(); ++k) {
    const LabelledMatrix& other = matrices[(k + 5) % matrices.size()];
    const LabelledTreeBatch two({graph_view(other), graph_view(matrices[k])}, Root::single);
    EXPECT_TRUE(same_bits(all.log_partition().subspan(k, 1), two.log_partition().data() + 1)) << k;
    EXPECT_TRUE(same_bits(all.marginals(k), two.marginals(1).data())) << k;
  }
}

TEST(LabelledTreeBatch, ReadsLabelsThatDoNotLieSideBySide) {
  graphs::Random random(172);
  const int words = 5, labels = 3;
  const LabelledMatrix m = graphs::normal(words, labels, 1.0, random);
  const std::ptrdiff_t plane = (words + 1) * (words + 1);
  std::vector<double> planes(labels * plane);  // one label after the other
  for (int head = 0; head <= words; ++head) {
    for (int d = 0; d <= words; ++d) {
      for (int y = 0; y < labels; ++y) planes[y * plane + head * (words + 1) + d] = m(head, d, y);
    }
  }
  const GraphView view{planes.data(), words, words + 1, 1, plane, labels};
  expect_as_one_by_one({{view, view}, Root::single}, {m, m});
}

TEST(LabelledTreeBatch, RefusesWhatIsNoScoreAndNamesGraphsWithoutTrees) {
  graphs::Random random(173);
  std::vector<LabelledMatrix> matrices;
  for (int k = 0; k < 5; ++k) matrices.push_back(graphs::normal(4, 10, 1.0, random));
  for (const double bad : {std::nan(""), kInf, 2e100, -2e100}) {
    for (const int label : {0, 7, 8, 9}) {
      std::vector<LabelledMatrix> changed = matrices;
      changed[2](3, 1, label) = bad;
      EXPECT_THROW(LabelledTreeBatch(views_of(changed), Root::single).marginals(), InputError) << bad << ", " << label;
    }
  }
  for (int head = 0; head <= 4; ++head) {
    for (int y = 0; y < 10; ++y) matrices[3](head, 2, y) = -kInf;
  }
  const LabelledTreeBatch batch(views_of(matrices), Root::single);
  ASSERT_EQ(batch.infeasible().size(), 1u);
  EXPECT_EQ(batch.infeasible()[0].graph, 3u);
  EXPECT_EQ(batch.log_partition()[3], -kInf);
  EXPECT_TRUE(all_zero(batch.marginals(3)));
}

}  // namespace
}  // namespace kirchhoff
