// Gradients of covariances, which are third derivatives of log Z; tree/covariance_gradient.cpp has the mathematics.
#include "tree/covariance_gradient.hpp"

#include "base/check.hpp"
#include "expectation/labelled_covariance_gradient.hpp"
#include "kirchhoff/expectation.hpp"

namespace kirchhoff {

template <>
Matrix covariance_gradient(const TreeDistribution& p, const Matrix& r, const Matrix& s) {
  for (const Matrix* values : {&r, &s}) {
    base::check_shape("covariance_gradient", values == &r ? "r" : "s", *values, p.words());
    base::check_finite("covariance_gradient", values == &r ? "r" : "s", *values);
  }
  Matrix result(p.words() + 1, p.words() + 1);
  tree::covariance_gradient(TreeAccess::state(p), r, s, result.data());
  return result;
}

template <>
LabelledMatrix covariance_gradient(const LabelledTreeDistribution& p, const LabelledMatrix& r,
                                   const LabelledMatrix& s) {
  return expectations::labelled_covariance_gradient(p, r, s);
}

}  // namespace kirchhoff
