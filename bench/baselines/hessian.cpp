// T2^h: second-order expectations through the Hessian of log Z, one pair of arcs after the other.
// Source: [Druck09, eq. 2 and, for pairs of arcs, eq. 3], [Zmigrod21, figure 3, T2^h]; single-root form of
// docs/methods/trees.md: Cov(ij, kl) = [ij = kl] p_ij - w_ij w_kl (K a_kl)_j (K a_ij)_l with K the Laplacian's inverse.
// Cost: O(n^4 S') + O(n^2 R'S), against the published O(n^4 R'S'): the sum over kl is taken before r_ij multiplies it.
#include "baselines/hessian.hpp"

#include "baselines/contract.hpp"

namespace kirchhoff::bench {
namespace {

struct Inverse {
  ArcMatrix weights;
  Dense k;
};

Inverse invert(const double* scores, int n) {
  Inverse result{weights_of(scores, n), {}};
  result.k = Eigen::PartialPivLU<Dense>(laplacian_of(result.weights)).inverse();
  return result;
}

/// K a_ij, entry l-1 for word l.
Eigen::VectorXd potential(const Dense& k, int i, int j) {
  if (i == 0) return k.col(0);
  Eigen::VectorXd x = Eigen::VectorXd::Zero(k.rows());
  if (j != 1) x += k.col(j - 1);
  if (i != 1) x -= k.col(i - 1);
  return x;
}

/// (K a_kl)_j for all arcs k->l, times -w_kl: what arc k->l contributes to every arc into word j.
ArcMatrix influence_on(const Inverse& inverse, int j) {
  const Eigen::Index n = inverse.k.rows();
  Eigen::RowVectorXd row = inverse.k.row(j - 1);
  const double root = row(0);
  row(0) = 0;
  ArcMatrix x = ArcMatrix::Zero(n + 1, n + 1);
  x.bottomRightCorner(n, n).rowwise() = row;
  x.bottomRightCorner(n, n).colwise() -= row.transpose();
  x.row(0).setConstant(root);
  return -x.cwiseProduct(inverse.weights);
}

/// Calls visit(arc ij, Cov(ij, kl) for all arcs kl) for every arc, or for every arc with a feature of r.
template <class Visit>
void for_each_hessian_row(const Inverse& inverse, const ArcFeatures& r, ArcPairs pairs, const Visit& visit) {
  const int n = static_cast<int>(inverse.k.rows());
  ArcMatrix row(n + 1, n + 1);
  Eigen::RowVectorXd x = Eigen::RowVectorXd::Zero(n + 1);
  for (int j = 1; j <= n; ++j) {
    const ArcMatrix influence = influence_on(inverse, j);
    for (int i = 0; i <= n; ++i) {
      const int ij = i * (n + 1) + j;
      if (i == j || (pairs == ArcPairs::featured && r.start[ij] == r.start[ij + 1])) continue;
      x.tail(n) = inverse.weights(i, j) * potential(inverse.k, i, j);
      row = influence.array().rowwise() * x.array();
      row(i, j) += x(j);
      visit(ij, row);
    }
  }
}

Eigen::VectorXd expectation_of(const Inverse& inverse, const ArcFeatures& f) {
  ArcMatrix p(inverse.weights.rows(), inverse.weights.cols());
  marginals_of(inverse.weights, inverse.k, p.data());
  Eigen::VectorXd expectation = Eigen::VectorXd::Zero(f.size);
  for (Eigen::Index arc = 0; arc < p.size(); ++arc) {
    for (int x = f.start[arc]; x < f.start[arc + 1]; ++x) expectation(f.feature[x]) += p.data()[arc] * f.value[x];
  }
  return expectation;
}

}  // namespace

std::vector<double> hessian_covariance(const double* scores, int n, const ArcFeatures& r, const ArcFeatures& s,
                                       ArcPairs pairs) {
  std::vector<double> result(static_cast<std::size_t>(r.size) * s.size);
  Arcs covariance(result.data(), r.size, s.size);
  for_each_hessian_row(invert(scores, n), r, pairs, [&](int ij, const ArcMatrix& row) {
    const Eigen::VectorXd sum = contract(row, s);
    for (int x = r.start[ij]; x < r.start[ij + 1]; ++x) covariance.row(r.feature[x]) += r.value[x] * sum;
  });
  return result;
}

std::vector<double> hessian_pair_marginals(const double* scores, int n) {
  const Inverse inverse = invert(scores, n);
  const int arcs = (n + 1) * (n + 1);
  ArcMatrix p(n + 1, n + 1);
  marginals_of(inverse.weights, inverse.k, p.data());
  std::vector<double> table(static_cast<std::size_t>(arcs) * arcs);
  for_each_hessian_row(inverse, {}, ArcPairs::all, [&](int ij, const ArcMatrix& row) {
    Arcs(table.data() + static_cast<std::size_t>(ij) * arcs, n + 1, n + 1) = row + p.data()[ij] * p;
  });
  return table;
}

std::vector<double> hessian_ge_gradient(const double* scores, int n, const ArcFeatures& f,
                                        const std::vector<double>& target, ArcPairs pairs) {
  const Inverse inverse = invert(scores, n);
  const int arcs = (n + 1) * (n + 1);
  ArcMatrix covariance = ArcMatrix::Zero(f.size, arcs);
  for_each_hessian_row(inverse, f, pairs, [&](int ij, const ArcMatrix& row) {
    const Eigen::Map<const Eigen::RowVectorXd> flat(row.data(), arcs);
    for (int x = f.start[ij]; x < f.start[ij + 1]; ++x) covariance.row(f.feature[x]) += f.value[x] * flat;
  });
  const Eigen::VectorXd gap = expectation_of(inverse, f) - Eigen::Map<const Eigen::VectorXd>(target.data(), f.size);
  std::vector<double> gradient(static_cast<std::size_t>(arcs));
  Eigen::Map<Eigen::RowVectorXd>(gradient.data(), arcs) = gap.transpose() * covariance;
  return gradient;
}

}  // namespace kirchhoff::bench
