// Expectations of additive functions of a tree, and the quantities built from them, each with its gradient with respect
// to the scores. Formulas: docs/methods/expectations.md, after [Zmigrod21] (T1, T2) and [Druck09].
//
// Everything is written once and works for TreeDistribution (arrays are Matrix), LabelledTreeDistribution (arrays are
// LabelledMatrix), and the distributions of projective.hpp.
#pragma once

#include "kirchhoff/tree_batch.hpp"

#include <span>
#include <type_traits>
#include <vector>

namespace kirchhoff {

/// One value of one feature on one (labelled) arc.
struct FeatureEntry {
  int head = 0;
  int dependent = 0;
  int feature = 0;
  double value = 0.0;
  int label = 0;
};

/// An additive function r(tree) = sum of r(arc), with values in R^F, given by a sparse list of entries. Several entries
/// for the same arc and feature add up.
class Features {
 public:
  /// Throws InputError when an index is out of range, or a value is not finite or beyond 1e100 in size.
  Features(int words, int num_features, std::vector<FeatureEntry> entries, int labels = 1);
  /// Makes a function of one (n+1) x (n+1) matrix per feature; column 0 and the diagonal are ignored.
  static Features from_matrices(const std::vector<Matrix>& matrices);

  int words() const { return words_; }
  int labels() const { return labels_; }
  /// The number of features, F.
  int size() const { return size_; }
  /// The entries, sorted by dependent, head, label and feature, each combination once.
  const std::vector<FeatureEntry>& entries() const { return entries_; }

 private:
  friend struct FeaturesAccess;
  int words_;
  int labels_;
  int size_;
  std::vector<FeatureEntry> entries_;
  std::vector<double> dense_;
};

/// The array type of a distribution's scores, marginals and gradients.
template <class D>
using Array = std::conditional_t<kHasLabels<D>, LabelledMatrix, Matrix>;

/// Gradients of a function of two distributions with respect to the scores of each.
template <class D>
struct PairGradient {
  Array<D> p;
  Array<D> q;
};

/// T1: the F numbers E[r]. O(number of entries).
template <class D>
Vector expectation(const D& p, const Features& r);
/// T2: the R x S matrix E[r s^T]. O(n^3 (R'+S') + RS + n^2 Rbar Sbar), where R' is the number of features per arc and
/// Rbar = min(R, n R').
template <class D>
Matrix second_order(const D& p, const Features& r, const Features& s);
/// The R x S matrix Cov(r, s) = E[r s^T] - E[r] E[s]^T, at the same cost.
template <class D>
Matrix covariance(const D& p, const Features& r, const Features& s);
/// The gradient of the number Cov(r, s) of two additive functions, which are given by their values on the arcs: the
/// third derivatives of log Z along r and s. O(n^3).
template <class D>
Array<D> covariance_gradient(const D& p, const Array<D>& r, const Array<D>& s);

/// The cumulants of an additive function, which is given by its values on the arcs: entry k is the k-th for k = 1 ..
/// order (the mean, the variance, ...), and entry 0 is 0. The order is from 1 to 30. O(order^2 n^3).
template <class D>
Vector cumulants(const D& p, const Array<D>& f, int order);

/// Shannon's entropy, in nats.
template <class D>
double entropy(const D& p);
template <class D>
Array<D> entropy_gradient(const D& p);
/// The entropy of every graph of a batch, -inf for a graph without a tree. Memory for gradients, if there is any, has
/// the size and the layout of batch.marginals() and is filled with the gradients. The marginals need not be asked for.
template <class D>
std::vector<double> entropies(const BatchOf<D>& batch, std::span<double> gradients = {}, const Stop& stop = {});

/// Cross-entropy E_p[-log q], which is +inf when q forbids a tree that p allows. Its gradient throws InputError then.
template <class D>
double cross_entropy(const D& p, const D& q);
template <class D>
PairGradient<D> cross_entropy_gradient(const D& p, const D& q);

/// Kullback and Leibler's divergence KL(p || q) >= 0, which is +inf as above.
template <class D>
double kl(const D& p, const D& q);
template <class D>
PairGradient<D> kl_gradient(const D& p, const D& q);

/// Memory for two gradients of every pair of graphs of two batches, with the sizes and layouts of their marginals. What
/// is empty is not written.
struct PairSpans {
  std::span<double> p = {}, q = {};
};
/// Cross-entropy and KL of graph i of p and graph i of q, for all i, and their gradients. Throws as those of one pair
/// do, and Infeasible for a graph without a tree.
template <class D>
std::vector<double> cross_entropies(const BatchOf<D>& p, const BatchOf<D>& q, const PairSpans& gradients = {},
                                    const Stop& stop = {});
template <class D>
std::vector<double> divergences(const BatchOf<D>& p, const BatchOf<D>& q, const PairSpans& gradients = {},
                                const Stop& stop = {});

/// Renyi's entropy of order alpha >= 0: for alpha = 0 the logarithm of the number of trees, for alpha = 1 Shannon's.
template <class D>
double renyi(const D& p, double alpha);
template <class D>
Array<D> renyi_gradient(const D& p, double alpha);

/// The l_k norm of the vector of all trees' probabilities, k > 0.
template <class D>
double norm(const D& p, double k);
template <class D>
Array<D> norm_gradient(const D& p, double k);

/// The tree (and labels, for labelled distributions) that the objectives below compare with.
struct Gold {
  Heads heads;
  std::vector<int> labels;  ///< The label of each word's arc; labels[0] is ignored. Empty without labels.
};

/// The expected attachment score, in [0, 1]: the expected fraction of words with the right head (and label).
template <class D>
double risk(const D& p, const Gold& gold);
template <class D>
Array<D> risk_gradient(const D& p, const Gold& gold);

/// The negative log-likelihood -log p(gold).
template <class D>
double negative_log_likelihood(const D& p, const Gold& gold);
template <class D>
Array<D> negative_log_likelihood_gradient(const D& p, const Gold& gold);

/// The generalized expectation criterion 1/2 ||E[f] - target||^2 [Druck09].
template <class D>
double generalized_expectation(const D& p, const Features& f, const Vector& target);
template <class D>
Array<D> generalized_expectation_gradient(const D& p, const Features& f, const Vector& target);

/// The expectation of a multiplicative function, log E[product of q(arc)], given log q, which may be -inf. It is -inf
/// when every tree has an arc with q = 0.
template <class D>
double log_multiplicative_expectation(const D& p, const Array<D>& log_q);
/// Its gradients with respect to the scores (.p) and to log q (.q).
template <class D>
PairGradient<D> log_multiplicative_expectation_gradient(const D& p, const Array<D>& log_q);

}  // namespace kirchhoff
