// Estimates from a set of distinct samples, of trees or of anything else, by the unordered set estimator [Kool20].
//
// A sample without replacement is a set S of k structures in an order. An independent sample weighs each of them by
// chance, and importance weights by a threshold; the mean of either over all orders of S depends on S alone, has the
// same expectation and no larger a variance, and it is what is computed here. No structure beyond the k is needed.
//
//   const PerturbedTrees sample = sample_without_replacement(p, 4);
//   double estimate = unordered_set_estimate(log_probs(sample), values);
#pragma once

#include "kirchhoff/sample.hpp"

#include <vector>

namespace kirchhoff {

/// The log-probabilities of the trees of a sample, which the functions below take. Throws InputError when a tree has
/// none.
std::vector<double> log_probs(const PerturbedTrees& sample);

/// Each structure's weight p(s) P(S without s, drawn from the others) / P(S). The sum of weight * f is an unbiased
/// estimate of E[f] for k >= 1, and exact when S has all structures. Throws InputError when a log-probability is not
/// finite or above 0, or all probabilities together are more than 1. O(k^2.5).
std::vector<double> unordered_set_weights(const std::vector<double>& log_probs);
/// The sum of weight * value.
double unordered_set_estimate(const std::vector<double>& log_probs, const std::vector<double>& values);
/// Numbers c such that the sum of c_s * gradient of log p(s) is an unbiased estimate of the gradient of E[f], for
/// values f(s) that do not depend on the parameters. From each value the estimate of E[f] by the other ones is
/// subtracted, which leaves the expectation as it is and takes away most of the variance; k = 1 has no others.
/// O(k^3.5).
std::vector<double> unordered_set_gradient(const std::vector<double>& log_probs, const std::vector<double>& values);

}  // namespace kirchhoff
