// A matrix that is kept stays usable when it cannot grow.
#include "numeric/resize.hpp"

#include <gtest/gtest.h>

#include <new>

namespace kirchhoff::numeric {
namespace {

TEST(ResizeKept, AMatrixThatCannotGrowIsEmpty) {
  Matrix kept;
  resize_kept(kept, 2, 2);
  kept.setOnes();
  EXPECT_THROW(resize_kept(kept, Eigen::Index{1} << 31, Eigen::Index{1} << 31), std::bad_alloc);
  EXPECT_EQ(kept.rows(), 0);  // With Eigen's own resize it would still be 2 x 2, and its memory freed.
  EXPECT_EQ(kept.data(), nullptr);
  resize_kept(kept, 3, 2);
  kept.setOnes();
  EXPECT_EQ(kept.sum(), 6.0);
}

TEST(ResizeKept, TheSameSizeKeepsTheContent) {
  Matrix kept = Matrix::Identity(3, 3);
  resize_kept(kept, 3, 3);
  EXPECT_EQ(kept, Matrix(Matrix::Identity(3, 3)));
}

}  // namespace
}  // namespace kirchhoff::numeric
