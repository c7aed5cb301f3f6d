// What a ProjectiveTreeDistribution holds, and the two methods that fill it.
#pragma once

#include "kirchhoff/projective.hpp"
#include "numeric/extended_jet.hpp"
#include "numeric/sum.hpp"
#include "projective/charts.hpp"
#include "tree/weights.hpp"

namespace kirchhoff {

struct ProjectiveTreeDistribution::State {
  int words = 0;
  Root root = Root::multi;
  Accuracy accuracy;
  Report report;
  Matrix scores;
  Matrix marginals;
  double log_z = 0.0;
  tree::Weights shifts;        // each word's largest score, in the order of the words; nothing else of it is used
  Vector log_sums;             // the logarithms of the sums of exp(score - shift) over each word's arcs
  numeric::Sum log_z_scaled;   // log Z of exp(score - shift)
  std::vector<bool> left_out;  // the robust method's: arcs that it left out
};

/// The library's own modules reach what distributions hold through this.
struct ProjectiveAccess {
  using State = ProjectiveTreeDistribution::State;
  static const State& state(const ProjectiveTreeDistribution& p) { return *p.state_; }
};

namespace projective {

using ProjectiveState = ProjectiveAccess::State;

/// Checks the scores and fills a state. Throws InputError or Infeasible.
void solve(const MatrixRef& scores, Root root, const Accuracy& accuracy, ProjectiveState& state);
/// log Z and the marginals alone, with `stride` doubles in a row of `marginals`.
struct Solved {
  double log_partition;
  Report report;
};
Solved marginals_into(const MatrixRef& scores, Root root, const Accuracy& accuracy, double* marginals,
                      std::size_t stride);
/// Scores less each word's largest, exactly high + low; -inf where there is no arc.
struct LogWeights {
  Matrix high, low;
  int words() const { return static_cast<int>(high.rows()) - 1; }
};
LogWeights log_weights(const ProjectiveState& state);
/// The same less the logarithms of their sums, so that the weights of each word sum to 1, in one double each.
Matrix normalised_log_weights(const ProjectiveState& state);
/// Cov(r(tree), [arc in tree]) for all arcs. Entries of r at impossible arcs may be anything.
Matrix along(const ProjectiveState& state, const Matrix& r);
/// The derivatives of the above along s: third derivatives of log Z.
Matrix along(const ProjectiveState& state, const Matrix& r, const Matrix& s);

/// What the fast method gives: log Z of weights whose columns sum to 1, and whether the method may be believed.
struct FastAnswer {
  bool certified = false;
  double log_z = -HUGE_VAL;
};
/// Computes marginals from normalised weights, which are rows of `stride` doubles at `marginals`, and are replaced by
/// them. The diagonal and column 0 must be 0. Uses vectors of doubles. Not certified: nothing is written.
FastAnswer fast_marginals(int words, Root root, double* marginals, std::size_t stride);
/// The first derivatives of the marginals along `r`, or, if there is an `s`, the second ones along r and s. Returns
/// false where the method cannot be believed.
bool fast_derivatives(const Matrix& normalised_log_weights, Root root, const Matrix& r, const Matrix* s,
                      Matrix& derivatives);

double log_of(double m, double e);
/// Charts of numbers of extended range, which neither underflow nor subtract.
using RobustCharts = Charts<numeric::ExtendedDual>;
RobustCharts robust_charts(const LogWeights& weights, Root root);
/// The same answers as the fast functions' for any scores; marginals as logarithms.
numeric::Sum robust_log_marginals(const LogWeights& weights, Root root, Matrix& log_marginals);
void robust_derivatives(const LogWeights& weights, Root root, const Matrix& r, const Matrix* s, Matrix& derivatives);

/// Throws Infeasible for a graph without a projective tree. The message says so if it has no tree at all.
[[noreturn]] void throw_infeasible(const MatrixRef& scores, Root root);

/// Which arcs are in some projective tree; all false when there is none. O(n^3).
std::vector<bool> usable_arcs(const Matrix& scores, Root root);

/// Calls visit(head, dependent) for every place of an arc.
template <class Visit>
void for_each_place(int words, const Visit& visit) {
  for (int head = 0; head <= words; ++head) {
    for (int dependent = 1; dependent <= words; ++dependent) {
      if (head != dependent) visit(head, dependent);
    }
  }
}

}  // namespace projective
}  // namespace kirchhoff
