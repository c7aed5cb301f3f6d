// The single-root Laplacian [Koo07] from log-weights, shared by the baselines. O(n^2).
//
// Baselines are compiled with -march=native, and there with Eigen renamed to EigenNative (see bench/CMakeLists.txt), so
// that the linker cannot swap their Eigen code with the library's. Hence plain pointers at their borders:
// scores and marginals are (n+1) x (n+1), row-major, (head, dependent), node 0 the root.
#pragma once

#include <Eigen/Dense>

#include <limits>

namespace kirchhoff::bench {

using Dense = Eigen::MatrixXd;
using ArcMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Arcs = Eigen::Map<ArcMatrix>;
using ConstArcs = Eigen::Map<const ArcMatrix>;

/// exp of the scores, without the arcs that do not exist (into the root, from a word to itself). Eigen's exponential of
/// -inf is a subnormal number, with which all that follows would be many times slower: it becomes 0.
inline ArcMatrix weights_of(const double* scores, int n) {
  ArcMatrix w = ConstArcs(scores, n + 1, n + 1).array().exp();
  w = (w.array() < std::numeric_limits<double>::min()).select(0.0, w);
  w.col(0).setZero();
  w.diagonal().setZero();
  return w;
}

/// L_jj = sum over words i of w_ij, L_ij = -w_ij; then row 1 is replaced by the root's weights.
inline Dense laplacian_of(const ArcMatrix& w) {
  const Eigen::Index n = w.rows() - 1;
  Dense laplacian = -w.bottomRightCorner(n, n);
  laplacian.diagonal() = w.bottomRightCorner(n, n).colwise().sum();
  laplacian.row(0) = w.row(0).tail(n);
  return laplacian;
}

/// p(i -> j) = w_ij (K_jj [j != 1] - K_ji [i != 1]), p(0 -> j) = w_0j K_j1, with K the Laplacian's inverse.
inline void marginals_of(const ArcMatrix& w, const Dense& inverse, double* marginals) {
  const Eigen::Index n = w.rows() - 1;
  Arcs p(marginals, n + 1, n + 1);
  p.col(0).setZero();
  p.row(0).tail(n) = w.row(0).tail(n).cwiseProduct(inverse.col(0).transpose());
  auto words = p.bottomRightCorner(n, n);
  words.row(0).setZero();
  words.bottomRows(n - 1) = -inverse.rightCols(n - 1).transpose();
  words.rightCols(n - 1).rowwise() += inverse.diagonal().tail(n - 1).transpose();
  words.array() *= w.bottomRightCorner(n, n).array();
}

}  // namespace kirchhoff::bench
