// A MatrixBatch gives back the matrices that were added, and views of them where they lie.
#include "kirchhoff/tree_batch.hpp"

#include "support/graphs.hpp"

#include <gtest/gtest.h>

namespace kirchhoff {
namespace {

TEST(MatrixBatch, KeepsMatricesInOrder) {
  graphs::Random random(141);
  std::vector<Matrix> matrices;
  for (int k = 0; k < 20; ++k) matrices.push_back(graphs::normal(1 + k * 7 % 23, 1.0, random));
  MatrixBatch batch;
  batch.reserve(20, 1000);
  for (const Matrix& m : matrices) batch.add(m);
  ASSERT_EQ(batch.size(), 20u);
  for (std::size_t k = 0; k < 20; ++k) {
    EXPECT_EQ(batch.words(k), matrices[k].rows() - 1);
    EXPECT_EQ(Matrix(batch[k]), matrices[k]);
  }
  const std::vector<GraphView> views = batch.views();
  ASSERT_EQ(views.size(), 20u);
  for (std::size_t k = 0; k < 20; ++k) {
    EXPECT_EQ(views[k].scores, batch[k].data());
    EXPECT_EQ(views[k].words, batch.words(k));
    EXPECT_EQ(views[k].head_stride, matrices[k].cols());
  }
}

TEST(MatrixBatch, RefusesWhatIsNoGraph) {
  MatrixBatch batch;
  EXPECT_THROW(batch.add(Matrix::Zero(3, 4)), InputError);
  EXPECT_THROW(batch.add(Matrix::Zero(1, 1)), InputError);
  EXPECT_THROW(batch.add(Matrix(0, 0)), InputError);
  EXPECT_EQ(batch.size(), 0u);
  Matrix big = Matrix::Zero(6, 6);
  big(2, 3) = 5;
  batch.add(big.block(1, 1, 4, 4));
  EXPECT_EQ(batch[0](1, 2), 5);
}

}  // namespace
}  // namespace kirchhoff
