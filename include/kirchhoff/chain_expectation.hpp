// Expectations of additive functions of a tag sequence, and information, each with its gradient by the scores.
//
// An additive function is given by its values on tags and on pairs of neighbouring tags, as ChainArrays; values at
// impossible places are ignored. With T positions and K tags, what has no cost stated takes O(T K^2). Formulas:
// docs/methods/chains.md.
#pragma once

#include "kirchhoff/chain.hpp"

#include <vector>

namespace kirchhoff {

/// E[f] of each function.
Vector expectation(const ChainDistribution& p, const std::vector<ChainArrays>& f);
/// The R x S matrix Cov(r, s). O(R S T K^2).
Matrix covariance(const ChainDistribution& p, const std::vector<ChainArrays>& r, const std::vector<ChainArrays>& s);
/// The R x S matrix E[r s^T], at the same cost.
Matrix second_order(const ChainDistribution& p, const std::vector<ChainArrays>& r, const std::vector<ChainArrays>& s);
/// The gradient of the number Cov(r, s) of two functions, third derivatives of log Z.
ChainArrays covariance_gradient(const ChainDistribution& p, const ChainArrays& r, const ChainArrays& s);
/// The cumulants of f: entry k is the k-th for k = 1 .. order (the mean, the variance, ...), and entry 0 is 0. The
/// order is from 1 to 30. O(order^2 T K^2).
Vector cumulants(const ChainDistribution& p, const ChainArrays& f, int order);

/// Shannon's entropy, in nats.
double entropy(const ChainDistribution& p);
ChainArrays entropy_gradient(const ChainDistribution& p);

/// Gradients of a function of two distributions by the scores of each.
struct ChainPairGradient {
  ChainArrays p;
  ChainArrays q;
};
/// Cross-entropy E_p[-log q], which is +inf when q forbids a sequence that p allows. Its gradient throws InputError
/// then. Both must have the same length and number of tags.
double cross_entropy(const ChainDistribution& p, const ChainDistribution& q);
ChainPairGradient cross_entropy_gradient(const ChainDistribution& p, const ChainDistribution& q);
/// Kullback and Leibler's divergence KL(p || q) >= 0, with the same rules.
double kl(const ChainDistribution& p, const ChainDistribution& q);
ChainPairGradient kl_gradient(const ChainDistribution& p, const ChainDistribution& q);

/// Renyi's entropy of order alpha >= 0: for alpha = 0 the logarithm of the number of sequences, for alpha = 1
/// Shannon's.
double renyi(const ChainDistribution& p, double alpha);
ChainArrays renyi_gradient(const ChainDistribution& p, double alpha);

}  // namespace kirchhoff
