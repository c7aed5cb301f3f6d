// The obvious implementation, compiled for this machine: every step is one of Eigen's vectorised expressions.
#include "baselines/chain.hpp"

#include <Eigen/Dense>

#include <cmath>

namespace kirchhoff::bench {

double eigen_chain(int length, int tags, const double* emissions, const double* transitions, double* emission_marginals,
                   double* transition_marginals) {
  using Table = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::Map<const Table> e(emissions, length, tags);
  const Eigen::Map<const Table> s(transitions, (length - 1) * tags, tags);
  Eigen::Map<Table> p(emission_marginals, length, tags), pairs(transition_marginals, (length - 1) * tags, tags);
  Table u(length, tags), a(length, tags);
  Eigen::VectorXd scale(length);
  double log_z = 0.0;
  for (int t = 0; t < length; ++t) {
    const double top = e.row(t).maxCoeff();
    u.row(t) = (e.row(t).array() - top).exp();
    log_z += top;
    if (t > 0) {
      const auto block = s.middleRows((t - 1) * tags, tags);
      const double highest = block.maxCoeff();
      auto w = pairs.middleRows((t - 1) * tags, tags);
      w = (block.array() - highest).exp();
      a.row(t).noalias() = a.row(t - 1) * w;
      a.row(t).array() *= u.row(t).array();
      log_z += highest;
    } else {
      a.row(0) = u.row(0);
    }
    scale[t] = a.row(t).sum();
    a.row(t) /= scale[t];
    log_z += std::log(scale[t]);
  }
  Eigen::RowVectorXd b = Eigen::RowVectorXd::Ones(tags), out(tags);
  for (int t = length - 1; t >= 0; --t) {
    p.row(t) = a.row(t).cwiseProduct(b);
    if (t == 0) break;
    out = u.row(t).cwiseProduct(b) / scale[t];
    auto w = pairs.middleRows((t - 1) * tags, tags);
    b.noalias() = out * w.transpose();
    w.array().colwise() *= a.row(t - 1).transpose().array();
    w.array().rowwise() *= out.array();
  }
  return log_z;
}

}  // namespace kirchhoff::bench
