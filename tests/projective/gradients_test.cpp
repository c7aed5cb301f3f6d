// Gradients of projective distributions against finite differences.
#include "kirchhoff/projective.hpp"
#include "support/features.hpp"
#include "support/gradient.hpp"
#include "support/graphs.hpp"
#include "support/oracle.hpp"

#include <gtest/gtest.h>

namespace kirchhoff {
namespace {

using P = ProjectiveTreeDistribution;
using L = LabelledProjectiveTreeDistribution;

template <class D>
Array<D> scores_of(int words, Root root, graphs::Random& random) {
  for (;;) {
    Array<D> scores = [&] {
      if constexpr (kHasLabels<D>) {
        return graphs::masked(graphs::normal(words, 2, 1.0, random), 0.85, random);
      } else {
        return graphs::masked(graphs::normal(words, 1.0, random), 0.85, random);
      }
    }();
    if (oracle::Forest(scores, root, oracle::Kind::projective).count() > 1) return scores;
  }
}
/// Any finite numbers.
template <class D>
Array<D> numbers_of(int words, graphs::Random& random) {
  if constexpr (kHasLabels<D>) {
    return graphs::normal(words, 2, 1.0, random);
  } else {
    return graphs::normal(words, 1.0, random);
  }
}
template <class A>
double dot(const A& a, const A& b, const A& where) {
  double sum = 0;
  for (std::size_t i = 0; i < flat_size(a); ++i)
    sum += std::isfinite(where.data()[i]) ? a.data()[i] * b.data()[i] : 0.0;
  return sum;
}
/// Column 0 and the diagonal have no arcs, and random numbers there must not reach the results.
template <class A>
A only_arcs(A a, int words) {
  const std::size_t labels = flat_size(a) / ((words + 1) * (words + 1));
  for (int h = 0; h <= words; ++h) {
    for (std::size_t y = 0; y < labels; ++y) {
      a.data()[(h * (words + 1)) * labels + y] = a.data()[(h * (words + 1) + h) * labels + y] = 0.0;
    }
  }
  return a;
}

template <class D>
void expect_all_gradients(Root root, Method method, int words) {
  graphs::Random random(21 + words);
  const Accuracy accuracy = graphs::forced(method);
  const Array<D> scores = scores_of<D>(words, root, random);
  const Array<D> r = only_arcs(numbers_of<D>(words, random), words), s = only_arcs(numbers_of<D>(words, random), words);
  const auto at = [&](const Array<D>& x) { return D(x, root, accuracy); };
  const D p = at(scores);
  const auto check = [&](const auto& f, const Array<D>& gradient, const char* what) {
    expect_gradient([&](const Array<D>& x) { return f(at(x)); }, scores, gradient, 2e-9, what);
  };
  check([](const D& x) { return x.log_partition(); }, Array<D>(p.marginals()), "log Z");
  check([](const D& x) { return entropy(x); }, entropy_gradient(p), "entropy");
  check([](const D& x) { return renyi(x, 2.0); }, renyi_gradient(p, 2.0), "Renyi");
  check([](const D& x) { return renyi(x, 1.0 + 1e-7); }, renyi_gradient(p, 1.0 + 1e-7), "Renyi close to Shannon");
  check([](const D& x) { return norm(x, 3.0); }, norm_gradient(p, 3.0), "norm");
  check([&](const D& x) { return dot(Array<D>(x.marginals()), r, scores); }, p.marginals_along(r), "E[r]");
  check([&](const D& x) { return dot(x.marginals_along(r), s, scores); }, covariance_gradient<D>(p, r, s), "Cov");
  // q allows every arc, so that the values are finite.
  const Array<D> full = numbers_of<D>(words, random);
  const D q = at(full);
  check([&](const D& x) { return kl(x, q); }, kl_gradient(p, q).p, "KL, p");
  check([&](const D& x) { return cross_entropy(x, q); }, cross_entropy_gradient(p, q).p, "cross-entropy, p");
  expect_gradient([&](const Array<D>& x) { return kl(p, at(x)); }, full, kl_gradient(p, q).q, 2e-9, "KL, q");
}

TEST(ProjectiveGradients, OfAllVerbs) {
  for (const Root root : graphs::kRoots) {
    for (const Method method : {Method::fast, Method::robust}) {
      SCOPED_TRACE(testing::Message() << graphs::name(root) << " " << graphs::name(method));
      expect_all_gradients<P>(root, method, 3);
      expect_all_gradients<P>(root, method, 5);
      expect_all_gradients<L>(root, method, 3);
    }
  }
}

TEST(ProjectiveGradients, OfObjectives) {
  graphs::Random random(31);
  for (const Root root : graphs::kRoots) {
    const Matrix scores = graphs::normal(4, 1.0, random);
    const P p(scores, root);
    const Gold gold{{-1, 2, 0, 2, 3}, {}};
    const Features f = features::random(4, 1, 3, 0.5, random);
    const Vector target = Vector::Constant(3, 0.3);
    const auto check = [&](const auto& value, const Matrix& gradient, const char* what) {
      expect_gradient([&](const Matrix& x) { return value(P(x, root)); }, scores, gradient, 2e-9, what);
    };
    check([&](const P& x) { return risk(x, gold); }, risk_gradient(p, gold), "risk");
    check([&](const P& x) { return negative_log_likelihood(x, gold); }, negative_log_likelihood_gradient(p, gold),
          "NLL");
    check([&](const P& x) { return generalized_expectation(x, f, target); },
          generalized_expectation_gradient(p, f, target), "GE");
    EXPECT_NEAR(negative_log_likelihood(p, gold), -p.log_prob(gold.heads), 1e-13);
    const Matrix log_q = graphs::normal(4, 1.0, random);
    check([&](const P& x) { return log_multiplicative_expectation(x, log_q); },
          log_multiplicative_expectation_gradient(p, log_q).p, "multiplicative");
  }
}

// Beyond enumeration: dual numbers in vectors and in numbers of extended range agree, and with differences.
TEST(ProjectiveGradients, OfLongSentences) {
  graphs::Random random(41);
  for (const Root root : graphs::kRoots) {
    for (const int n : {17, 40}) {
      const Matrix scores = graphs::normal(n, 1.0, random);
      const Matrix r = graphs::normal(n, 1.0, random), s = graphs::normal(n, 1.0, random);
      const P fast(scores, root, graphs::forced(Method::fast)), robust(scores, root, graphs::forced(Method::robust));
      ASSERT_EQ(fast.report().method, Method::fast);
      ASSERT_EQ(robust.report().method, Method::robust);
      EXPECT_NEAR(fast.log_partition(), robust.log_partition(), 1e-11);
      EXPECT_LT((fast.marginals() - robust.marginals()).cwiseAbs().maxCoeff(), 1e-12);
      EXPECT_LT((fast.marginals_along(r) - robust.marginals_along(r)).cwiseAbs().maxCoeff(), 1e-11);
      EXPECT_LT((covariance_gradient(fast, r, s) - covariance_gradient(robust, r, s)).cwiseAbs().maxCoeff(), 1e-9);
      const auto moved = [&](double t) { return P(scores + t * r, root); };
      const double slope = derivative([&](double t) { return moved(t).marginals()(3, 5); }, 0.0);
      EXPECT_NEAR(fast.marginals_along(r)(3, 5), slope, 1e-8);
      EXPECT_NEAR(fast.marginals().sum(), n, 1e-11);
    }
  }
}

}  // namespace
}  // namespace kirchhoff
