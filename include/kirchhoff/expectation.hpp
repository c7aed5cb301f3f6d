// Expectations of additive functions of a tree, and the quantities built from them, each with its gradient w.r.t. the
// scores. Formulas: docs/methods/expectations.md, after [Zmigrod21] (T1, T2) and [Druck09].
//
// Everything is written once and works for TreeDistribution (arrays are Matrix) and LabelledTreeDistribution (arrays
// are LabelledMatrix).
#pragma once

#include "kirchhoff/tree_batch.hpp"

#include <span>
#include <vector>

namespace kirchhoff {

/// One non-zero value of one feature on one (labelled) arc.
struct FeatureEntry {
  int head = 0;
  int dependent = 0;
  int feature = 0;
  double value = 0.0;
  int label = 0;
};

/// An additive function r(tree) = sum of r(arc), with values in R^F: a sparse list of entries. Several entries for the
/// same arc and feature add up.
class Features {
 public:
  /// InputError when an index is out of range or a value is not finite.
  Features(int words, int num_features, std::vector<FeatureEntry> entries, int labels = 1);
  /// One (n+1) x (n+1) matrix per feature; column 0 and the diagonal are ignored.
  static Features from_matrices(const std::vector<Matrix>& matrices);

  int words() const { return words_; }
  int labels() const { return labels_; }
  int size() const { return size_; }
  const std::vector<FeatureEntry>& entries() const { return entries_; }  ///< sorted by dependent, head, label, feature
  /// When at least half the values of an unlabelled function are not 0: all of them, [dependent - 1][head][feature],
  /// features padded with zeros to a multiple of 8. Else empty.
  const std::vector<double>& dense() const { return dense_; }

 private:
  int words_;
  int labels_;
  int size_;
  std::vector<FeatureEntry> entries_;
  std::vector<double> dense_;
};

/// Array type of a distribution's scores, marginals and gradients.
template <class D>
struct ArrayOf;
template <>
struct ArrayOf<TreeDistribution> {
  using type = Matrix;
};
template <>
struct ArrayOf<LabelledTreeDistribution> {
  using type = LabelledMatrix;
};
template <class D>
using Array = typename ArrayOf<D>::type;

/// Gradients of a function of two distributions with respect to the scores of each.
template <class D>
struct PairGradient {
  Array<D> p;
  Array<D> q;
};

/// T1: E[r], F numbers. O(nnz).
template <class D>
Vector expectation(const D& p, const Features& r);
/// T2: E[r s^T] and Cov(r, s), R x S. O(n^3 (R'+S') + RS + n^2 Rbar Sbar), R' = features per arc, Rbar = min(R, n R').
template <class D>
Matrix second_order(const D& p, const Features& r, const Features& s);
template <class D>
Matrix covariance(const D& p, const Features& r, const Features& s);

/// Shannon entropy, nats.
template <class D>
double entropy(const D& p);
template <class D>
Array<D> entropy_gradient(const D& p);
/// The entropy of every graph of a batch, -inf for a graph without a tree. Memory for gradients, if there is any, has
/// the size and the layout of batch.marginals() and is filled with the gradients. The marginals need not be asked for.
template <class D>
std::vector<double> entropies(const BatchOf<D>& batch, std::span<double> gradients = {}, const Stop& stop = {});

/// E_p[-log q]. +inf when q forbids a tree that p allows (its gradient then throws InputError).
template <class D>
double cross_entropy(const D& p, const D& q);
template <class D>
PairGradient<D> cross_entropy_gradient(const D& p, const D& q);

/// KL(p || q) >= 0, +inf as above.
template <class D>
double kl(const D& p, const D& q);
template <class D>
PairGradient<D> kl_gradient(const D& p, const D& q);

/// Renyi entropy of order alpha >= 0 (alpha = 0: log of the number of trees; alpha = 1: Shannon's).
template <class D>
double renyi(const D& p, double alpha);
template <class D>
Array<D> renyi_gradient(const D& p, double alpha);

/// l_k norm of the vector of tree probabilities, k > 0.
template <class D>
double norm(const D& p, double k);
template <class D>
Array<D> norm_gradient(const D& p, double k);

/// The tree (and labels, for labelled distributions) that the objectives below compare with.
struct Gold {
  Heads heads;
  std::vector<int> labels;  ///< labels[0] ignored; empty for unlabelled distributions
};

/// Expected attachment score against gold: the expected fraction of words with the right head (and label). In [0, 1].
template <class D>
double risk(const D& p, const Gold& gold);
template <class D>
Array<D> risk_gradient(const D& p, const Gold& gold);

/// -log p(gold).
template <class D>
double negative_log_likelihood(const D& p, const Gold& gold);
template <class D>
Array<D> negative_log_likelihood_gradient(const D& p, const Gold& gold);

/// Generalized expectation 1/2 ||E[f] - target||^2.
template <class D>
double generalized_expectation(const D& p, const Features& f, const Vector& target);
template <class D>
Array<D> generalized_expectation_gradient(const D& p, const Features& f, const Vector& target);

/// Zeroth order: log E[prod of q(arc)] for a multiplicative function given by log q (-inf allowed).
/// -inf when every tree has an arc with q = 0.
template <class D>
double log_multiplicative_expectation(const D& p, const Array<D>& log_q);
/// Gradients w.r.t. the scores (.p) and w.r.t. log q (.q).
template <class D>
PairGradient<D> log_multiplicative_expectation_gradient(const D& p, const Array<D>& log_q);

}  // namespace kirchhoff
