// How much of the probability of all trees lies on trees with one root child, and what that does to the samplers of
// [Stanojevic22]: one line of CSV for each graph.
//
//   root_mass (--model FILE --data FILE | --weights NAME --words N) [--graphs N] [--shift X] [--samplers 0]
//
// log_ratio        log(Z_T / Z_D), where exp(log_ratio) is the expected number of tries of WilsonReject
// rc_distance      total variation distance between WilsonRC's trees and the right ones; exact, see distance_of_rc
// rc_enumerated    the same by going through all trees, for short sentences; else empty
// marginal_draws   exact mean number of draws of WilsonMarginal for a tree
// reject_draws     exact mean number of draws of one try of WilsonReject
// entropy          of the trees with one root child, in nats
//
// --shift X adds X to the scores of all root arcs. Trees with one root child have the same distribution for every X.
// --samplers 0 leaves out the last five columns, which take most of the time.
#include "check.hpp"
#include "experiments/graph_source.hpp"

#include <kirchhoff/expectation.hpp>
#include <kirchhoff/sample.hpp>

#include <cmath>
#include <cstdio>
#include <optional>

namespace kirchhoff::bench {
namespace {

constexpr int kEnumerable = 6;  // Words: 7^6 sequences of heads.

/// The probabilities with which WilsonRC takes each word as the root's child; [0] is unused.
Vector rc_children(const Matrix& scores) {
  Vector weights = (scores.row(0).array() - scores.row(0).tail(scores.cols() - 1).maxCoeff()).exp();
  weights(0) = 0;
  return weights / weights.sum();
}

/// WilsonRC takes the root's child by weight and goes on rightly from there: q(t) = q(c) p(t | c), where c is the child
/// in t. So the sum of |q(t) - p(t)| over trees is the sum of |q(c) - p(c)| over children, because the trees below one
/// child share the sign and their p(t | c) add up to 1. When no tree has a child that WilsonRC takes, as happens in
/// pruned graphs, its walk never ends; what it gives to that child counts as wrong.
double distance_of_rc(const Matrix& scores, const TreeDistribution& p) {
  return 0.5 * (rc_children(scores) - p.marginals().row(0).transpose()).cwiseAbs().sum();
}

/// Calls use(heads, log-weight) for every tree with one root child.
template <class Use>
void for_each_tree(const Matrix& scores, const Use& use) {
  const int n = static_cast<int>(scores.rows()) - 1;
  Heads heads(n + 1, 0);
  heads[0] = -1;
  for (int word = 1; word <= n;) {
    if (!tree_problem(heads, Root::single)) {
      double weight = 0;
      for (int d = 1; d <= n; ++d) weight += scores(heads[d], d);
      use(heads, weight);
    }
    for (word = 1; word <= n && ++heads[word] > n; ++word) heads[word] = 0;
  }
}

/// The distance from first principles: both distributions over all trees, with sums over trees in place of
/// determinants.
double enumerated_distance(const Matrix& scores, double log_z) {
  const Vector children = rc_children(scores);
  Vector below = Vector::Zero(children.size());  // sum of the probabilities of the trees with that root child
  const auto child_of = [](const Heads& heads) { return std::find(heads.begin(), heads.end(), 0) - heads.begin(); };
  for_each_tree(scores, [&](const Heads& heads, double weight) { below(child_of(heads)) += std::exp(weight - log_z); });
  double distance = 0, lost = 1;
  for_each_tree(scores, [&](const Heads& heads, double weight) {
    const double p = std::exp(weight - log_z);
    if (p == 0) return;
    const double q = children(child_of(heads)) * p / below(child_of(heads));
    distance += 0.5 * std::abs(p - q);
    lost -= q;
  });
  return distance + 0.5 * lost;
}

void print_graph(Matrix scores, double shift, bool samplers) {
  scores.row(0).array() += shift;
  scores.col(0).setConstant(-HUGE_VAL);
  scores.diagonal().setConstant(-HUGE_VAL);
  const int n = static_cast<int>(scores.rows()) - 1;
  const TreeDistribution p(scores, Root::single), all(scores, Root::multi);
  std::printf("%d,%.15g", n, all.log_partition() - p.log_partition());
  if (samplers) {
    const double distance = distance_of_rc(scores, p);
    std::printf(",%.15g,", distance);
    if (n <= kEnumerable) {
      const double enumerated = enumerated_distance(scores, p.log_partition());
      require_agreement(std::abs(distance - enumerated), "distance_of_rc and enumerated_distance");
      std::printf("%.15g", enumerated);
    }
    std::printf(",%.15g,%.15g,%.15g", TreeSampler(p, Sampler::wilson_marginal).expected_draws(),
                TreeSampler(p, Sampler::wilson_reject).expected_draws(), entropy(p));
  }
  std::printf("\n");
}

void run(const Arguments& arguments) {
  const double shift = arguments.number("shift", 0);
  const bool samplers = arguments.whole("samplers", 1) != 0;
  std::printf("words,log_ratio%s\n", samplers ? ",rc_distance,rc_enumerated,marginal_draws,reject_draws,entropy" : "");
  for_each_graph(arguments, [&](const Matrix& scores) { print_graph(scores, shift, samplers); });
}

}  // namespace
}  // namespace kirchhoff::bench

int main(int argc, char** argv) {
  using namespace kirchhoff::bench;
  return measure(argc, argv, graph_options({"shift", "samplers"}), run);
}
