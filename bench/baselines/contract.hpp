// Sums over the arcs of a row of second-order quantities, for the baselines that make such rows.
#pragma once

#include "baselines/hessian.hpp"
#include "baselines/laplacian.hpp"

namespace kirchhoff::bench {

/// sum over kl of row_kl s_kl.
inline Eigen::VectorXd contract(const ArcMatrix& row, const ArcFeatures& s) {
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(s.size);
  for (Eigen::Index kl = 0; kl < row.size(); ++kl) {
    for (int y = s.start[kl]; y < s.start[kl + 1]; ++y) sum(s.feature[y]) += row.data()[kl] * s.value[y];
  }
  return sum;
}

}  // namespace kirchhoff::bench
