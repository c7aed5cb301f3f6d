// Derivatives of marginals: the inside and outside passes in dual numbers, or in jets along two directions.
//
// A constant added to all scores of a word changes nothing, so each direction is centred on its expectation under the
// marginals first: fewer digits cancel.
#include "projective/state.hpp"

#include <cmath>

namespace kirchhoff::projective {
namespace {

Matrix centred_direction(const ProjectiveState& state, const Matrix& r) {
  const int n = state.words;
  Matrix result = Matrix::Zero(n + 1, n + 1);
  Vector mean = Vector::Zero(n + 1);
  for_each_place(n, [&](int h, int d) {
    if (state.marginals(h, d) > 0.0) mean(d) += state.marginals(h, d) * r(h, d);
  });
  for_each_place(n, [&](int h, int d) {
    if (state.marginals(h, d) > 0.0) result(h, d) = r(h, d) - mean(d);
  });
  return result;
}

Matrix derivatives_of(const ProjectiveState& state, const Matrix& r, const Matrix* s) {
  Matrix result;
  if (state.report.method != Method::fast ||
      !fast_derivatives(normalised_log_weights(state), state.root, r, s, result)) {
    robust_derivatives(log_weights(state), state.root, r, s, result);
  }
  for_each_place(state.words, [&](int h, int d) {
    if (state.marginals(h, d) == 0.0) result(h, d) = 0.0;
  });
  return result;
}

}  // namespace

Matrix along(const ProjectiveState& state, const Matrix& r) {
  return derivatives_of(state, centred_direction(state, r), nullptr);
}

Matrix along(const ProjectiveState& state, const Matrix& r, const Matrix& s) {
  const Matrix centred_s = centred_direction(state, s);
  return derivatives_of(state, centred_direction(state, r), &centred_s);
}

}  // namespace kirchhoff::projective
