// Probabilities of pairs of arcs, one arc after the other: its word loses all other heads, and the marginals of what is
// left, times the arc's own, are the probabilities of the pairs.
// Source: Druck, Mann and McCallum (2009), as described in [Druck09, section 1.1]; single-root Laplacian of [Koo07].
// Cost: O(n^5), an inverse for each of the n^2 arcs. A covariance adds O(n^4 S').
#include "baselines/conditioning.hpp"

#include "baselines/contract.hpp"

namespace kirchhoff::bench {
namespace {

ArcMatrix marginals(const ArcMatrix& weights) {
  ArcMatrix p(weights.rows(), weights.cols());
  marginals_of(weights, Eigen::PartialPivLU<Dense>(laplacian_of(weights)).inverse(), p.data());
  return p;
}

/// Calls visit(arc ij, p, p(ij, kl) for all arcs kl) for every arc that `wanted` names.
template <class Wanted, class Visit>
void for_each_pair_row(const double* scores, int n, const Wanted& wanted, const Visit& visit) {
  const ArcMatrix w = weights_of(scores, n), p = marginals(w);
  ArcMatrix given = w;
  for (int j = 1; j <= n; ++j) {
    given.col(j).setZero();
    for (int i = 0; i <= n; ++i) {
      const int ij = i * (n + 1) + j;
      if (w(i, j) == 0 || !wanted(ij)) continue;
      given(i, j) = w(i, j);
      visit(ij, p, ArcMatrix(p(i, j) * marginals(given)));
      given(i, j) = 0;
    }
    given.col(j) = w.col(j);
  }
}

}  // namespace

std::vector<double> conditioned_pair_marginals(const double* scores, int n) {
  const int arcs = (n + 1) * (n + 1);
  std::vector<double> table(static_cast<std::size_t>(arcs) * arcs);
  for_each_pair_row(
      scores, n, [](int) { return true; },
      [&](int ij, const ArcMatrix&, const ArcMatrix& row) {
        Arcs(table.data() + static_cast<std::size_t>(ij) * arcs, n + 1, n + 1) = row;
      });
  return table;
}

std::vector<double> conditioned_covariance(const double* scores, int n, const ArcFeatures& r, const ArcFeatures& s,
                                           ArcPairs pairs) {
  std::vector<double> result(static_cast<std::size_t>(r.size) * s.size);
  Arcs covariance(result.data(), r.size, s.size);
  for_each_pair_row(
      scores, n, [&](int ij) { return pairs == ArcPairs::all || r.start[ij] < r.start[ij + 1]; },
      [&](int ij, const ArcMatrix& p, const ArcMatrix& row) {
        const Eigen::VectorXd sum = contract(row - p.data()[ij] * p, s);
        for (int x = r.start[ij]; x < r.start[ij + 1]; ++x) covariance.row(r.feature[x]) += r.value[x] * sum;
      });
  return result;
}

}  // namespace kirchhoff::bench
