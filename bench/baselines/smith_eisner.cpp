// Shannon entropy by n further calls of the matrix-tree theorem, the "past approach" of [Zmigrod21, table 1].
// Source: [SmithEisner07], as described in [Zmigrod21, footnote 21]: call j multiplies the arcs into word j by
// their log-weights, so that Z_j / Z = E[log-weight of the arc into j] and H = log Z - sum_j Z_j / Z.
// Cost: O(n^4), (n+1) determinants of 2/3 n^3 flops.
#include "baselines/smith_eisner.hpp"

#include "baselines/laplacian.hpp"

#include <cmath>

namespace kirchhoff::bench {
namespace {

/// Determinants of 100 words overflow a double: keep sign and logarithm.
struct Determinant {
  double sign;
  double log_abs;
};

Determinant determinant(const Dense& matrix) {
  const Eigen::PartialPivLU<Dense> lu(matrix);
  const auto diagonal = lu.matrixLU().diagonal().array();
  const double swaps = static_cast<double>(lu.permutationP().determinant());
  return {swaps * diagonal.sign().prod(), diagonal.abs().log().sum()};
}

/// Column j of the Laplacian is linear in the weights of the arcs into word j+1: build it from w o log w, 0 log 0 = 0.
Eigen::VectorXd log_weighted_column(const ArcMatrix& w, const ConstArcs& scores, Eigen::Index j) {
  const Eigen::Index n = w.rows() - 1;
  const auto weight = w.col(j + 1).array();
  const Eigen::VectorXd weighted = (weight == 0.0).select(0.0, weight * scores.col(j + 1).array());
  Eigen::VectorXd column = -weighted.tail(n);
  column(j) = weighted.tail(n).sum();
  column(0) = weighted(0);
  return column;
}

}  // namespace

double smith_eisner_entropy(const double* scores, int n) {
  const ConstArcs theta(scores, n + 1, n + 1);
  const ArcMatrix w = weights_of(scores, n);
  Dense laplacian = laplacian_of(w);
  const Determinant z = determinant(laplacian);
  double expected_score = 0;
  for (int j = 0; j < n; ++j) {
    const Eigen::VectorXd original = laplacian.col(j);
    laplacian.col(j) = log_weighted_column(w, theta, j);
    const Determinant z_j = determinant(laplacian);
    expected_score += z_j.sign * z.sign * std::exp(z_j.log_abs - z.log_abs);
    laplacian.col(j) = original;
  }
  return z.log_abs - expected_score;
}

}  // namespace kirchhoff::bench
