// Every gradient of expectation.hpp agrees with finite differences, with respect to every argument.
#include "kirchhoff/expectation.hpp"

#include "support/features.hpp"
#include "support/gradient.hpp"
#include "support/graphs.hpp"

#include <gtest/gtest.h>

namespace kirchhoff {
namespace {

// See gradient.hpp: the quotient itself is right to 1e-9 for functions whose fifth derivative is at most 100.
constexpr double kTolerance = 1e-8;

template <class D>
struct Problem {
  Array<D> scores, other;  // other allows every arc that scores allows
  Root root;
  Method method;
  Gold gold;  // a possible tree
  Features features;

  D make(const Array<D>& s) const { return D(s, root, graphs::forced(method)); }
};

template <class D>
void check_entropies(const Problem<D>& c) {
  using A = Array<D>;
  const D p = c.make(c.scores);
  expect_gradient([&](const A& s) { return entropy(c.make(s)); }, c.scores, A(entropy_gradient(p)), kTolerance,
                  "entropy");
  for (double alpha : {0.5, 2.0, 3.0})
    expect_gradient([&](const A& s) { return renyi(c.make(s), alpha); }, c.scores, A(renyi_gradient(p, alpha)),
                    kTolerance, "renyi " + std::to_string(alpha));
  for (double k : {0.5, 2.0, 3.0}) {
    if (k < 1 && p.words() > 6) continue;  // a norm of 1e8: the quotient keeps too few digits
    expect_gradient([&](const A& s) { return norm(c.make(s), k); }, c.scores, A(norm_gradient(p, k)), kTolerance,
                    "norm " + std::to_string(k));
  }
}

template <class D>
void check_divergences(const Problem<D>& c) {
  using A = Array<D>;
  const D p = c.make(c.scores), q = c.make(c.other);
  const PairGradient<D> h = cross_entropy_gradient(p, q), d = kl_gradient(p, q);
  expect_gradient([&](const A& s) { return cross_entropy(c.make(s), q); }, c.scores, h.p, kTolerance,
                  "cross_entropy, p");
  expect_gradient([&](const A& s) { return cross_entropy(p, c.make(s)); }, c.other, h.q, kTolerance,
                  "cross_entropy, q");
  expect_gradient([&](const A& s) { return kl(c.make(s), q); }, c.scores, d.p, kTolerance, "kl, p");
  expect_gradient([&](const A& s) { return kl(p, c.make(s)); }, c.other, d.q, kTolerance, "kl, q");
}

template <class D>
void check_objectives(const Problem<D>& c) {
  using A = Array<D>;
  const D p = c.make(c.scores);
  expect_gradient([&](const A& s) { return risk(c.make(s), c.gold); }, c.scores, A(risk_gradient(p, c.gold)),
                  kTolerance, "risk");
  expect_gradient([&](const A& s) { return negative_log_likelihood(c.make(s), c.gold); }, c.scores,
                  A(negative_log_likelihood_gradient(p, c.gold)), kTolerance, "negative_log_likelihood");
  const Vector target = Vector::LinSpaced(c.features.size(), -1, 2);
  expect_gradient([&](const A& s) { return generalized_expectation(c.make(s), c.features, target); }, c.scores,
                  A(generalized_expectation_gradient(p, c.features, target)), kTolerance, "generalized_expectation");
  const PairGradient<D> m = log_multiplicative_expectation_gradient(p, c.other);
  expect_gradient([&](const A& s) { return log_multiplicative_expectation(c.make(s), c.other); }, c.scores, m.p,
                  kTolerance, "log_multiplicative_expectation, p");
  expect_gradient([&](const A& s) { return log_multiplicative_expectation(p, s); }, c.other, m.q, kTolerance,
                  "log_multiplicative_expectation, q");
}

Features features_of(const Matrix& values) { return Features::from_matrices({values}); }
Features features_of(const LabelledMatrix& values) {
  std::vector<FeatureEntry> entries;
  for (int head = 0; head <= values.words(); ++head) {
    for (int dependent = 1; dependent <= values.words(); ++dependent) {
      if (head == dependent) continue;
      for (int y = 0; y < values.labels(); ++y) {
        entries.push_back({head, dependent, 0, values(head, dependent, y), y});
      }
    }
  }
  return {values.words(), 1, std::move(entries), values.labels()};
}

/// The values of the two functions are those of `other` and of `scores`, 0 where that has no arc.
template <class D>
void check_covariance(const Problem<D>& c) {
  using A = Array<D>;
  const auto finite = [](A values) {
    for (double* x = values.data(); x != values.data() + values.size(); ++x) *x = std::isfinite(*x) ? *x : 0.0;
    return values;
  };
  const A r = finite(c.other), s = finite(c.scores);
  const Features both[] = {features_of(r), features_of(s)};
  const auto value = [&](const A& scores) { return covariance(c.make(scores), both[0], both[1])(0, 0); };
  expect_gradient(value, c.scores, covariance_gradient(c.make(c.scores), r, s), kTolerance, "covariance");
}

template <class D>
void check_all(const Problem<D>& c) {
  SCOPED_TRACE(testing::Message() << graphs::name(c.root) << ", " << graphs::name(c.method)
                                  << ", n = " << c.features.words() << ", " << c.features.labels() << " labels");
  check_entropies(c);
  check_divergences(c);
  check_objectives(c);
  check_covariance(c);
}

/// Impossible arcs except those of a gold tree, and except word 1 may take any head, so that there is a choice.
Problem<TreeDistribution> unlabelled(int n, double density, Root root, Method method, graphs::Random& random) {
  const Matrix full = graphs::normal(n, 1, random);
  const Heads heads = graphs::random_tree(n, random);
  Matrix scores = graphs::masked(full, density, random);
  for (int j = 1; j <= n; ++j) scores(heads[j], j) = full(heads[j], j);
  scores.col(1) = full.col(1);
  scores.row(0) = full.row(0);
  const Matrix other = (scores.array() + graphs::normal(n, 1, random).array()).matrix();
  return {scores, other, root, method, {heads, {}}, features::random(n, 1, 3, 0.5, random)};
}

Problem<LabelledTreeDistribution> labelled(int n, int labels, double density, Root root, Method method,
                                           graphs::Random& random) {
  const LabelledMatrix full = graphs::normal(n, labels, 1, random);
  const Heads heads = graphs::random_tree(n, random);
  const std::vector<int> tags = graphs::random_labels(n, labels, random);
  LabelledMatrix scores = graphs::masked(full, density, random);
  for (int j = 1; j <= n; ++j) scores(heads[j], j, tags[j]) = full(heads[j], j, tags[j]);
  for (int i = 0; i <= n; ++i)
    for (int y = 0; y < labels; ++y) scores(i, 1, y) = full(i, 1, y);
  LabelledMatrix other = graphs::normal(n, labels, 1, random);
  return {scores, other, root, method, {heads, tags}, features::random(n, labels, 3, 0.5, random)};
}

TEST(Gradients, Unlabelled) {
  graphs::Random random(121);
  for (Root root : graphs::kRoots)
    for (Method method : graphs::kMethods)
      for (int n : {2, 3, 4, 6}) check_all(unlabelled(n, 1.0, root, method, random));
}

TEST(Gradients, UnlabelledWithImpossibleArcs) {
  graphs::Random random(122);
  for (Root root : graphs::kRoots)
    for (Method method : graphs::kMethods)
      for (int n : {3, 4, 6}) check_all(unlabelled(n, 0.6, root, method, random));
}

TEST(Gradients, Labelled) {
  graphs::Random random(123);
  for (Root root : graphs::kRoots)
    for (Method method : graphs::kMethods)
      for (int labels : {1, 2, 3}) {
        check_all(labelled(3, labels, 1.0, root, method, random));
        check_all(labelled(4, labels, 0.7, root, method, random));
      }
}

TEST(Gradients, TwelveWords) {
  graphs::Random random(124);
  for (Root root : graphs::kRoots)
    for (Method method : {Method::fast, Method::robust}) {
      check_all(unlabelled(12, 1.0, root, method, random));
      check_all(unlabelled(12, 0.5, root, method, random));
    }
}

TEST(Gradients, RenyiOfOrderZeroIsConstant) {
  graphs::Random random(125);
  for (Root root : graphs::kRoots) {
    const TreeDistribution p(graphs::masked_feasible(graphs::normal(5, 1, random), 0.5, random), root);
    EXPECT_EQ(renyi(p, 0), p.log_count());
    EXPECT_EQ(renyi_gradient(p, 0), Matrix(Matrix::Zero(6, 6)));
  }
}

TEST(Gradients, RenyiNearOrderOneIsThatOfShannon) {
  graphs::Random random(126);
  for (Root root : graphs::kRoots) {
    const TreeDistribution p(graphs::normal(5, 1, random), root);
    // The gradient is smooth in alpha; 1e-6 away it moves by 1e-6 times a third cumulant, and the quotient keeps 1e-10.
    for (double alpha : {1.0, 1 + 1e-10, 1 - 1e-7, 1 + 1e-6})
      EXPECT_LT((renyi_gradient(p, alpha) - entropy_gradient(p)).cwiseAbs().maxCoeff(), 1e-5) << alpha;
  }
}

}  // namespace
}  // namespace kirchhoff
