// The unordered set estimator over all sets that can be drawn: unbiased means that expectations are equal.
#include "kirchhoff/unordered_set.hpp"
#include "sample/counting.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace kirchhoff {
namespace {

/// Calls f(set, probability of drawing it) for all sets of k out of p.size().
void for_each_set(const std::vector<double>& p, std::size_t k,
                  const std::function<void(const std::vector<std::size_t>&, double)>& f) {
  std::vector<bool> chosen(p.size(), false);
  std::fill_n(chosen.begin(), k, true);
  do {
    std::vector<std::size_t> set;
    for (std::size_t s = 0; s < p.size(); ++s)
      if (chosen[s]) set.push_back(s);
    double mass = 0.0;
    std::vector<std::size_t> order = set;
    do {
      double left = 1.0, product = 1.0;
      for (const std::size_t s : order) {
        product *= p[s] / left;
        left -= p[s];
      }
      mass += product;
    } while (std::next_permutation(order.begin(), order.end()));
    f(set, mass);
  } while (std::prev_permutation(chosen.begin(), chosen.end()));
}

std::vector<double> logs(const std::vector<double>& p, const std::vector<std::size_t>& set) {
  std::vector<double> out;
  for (const std::size_t s : set) out.push_back(std::log(p[s]));
  return out;
}

std::vector<double> random_probabilities(std::size_t count, double spread, graphs::Random& random) {
  std::normal_distribution<double> normal(0.0, spread);
  std::vector<double> p(count);
  for (double& x : p) x = std::exp(normal(random));
  const double sum = std::accumulate(p.begin(), p.end(), 0.0);
  for (double& x : p) x /= sum;
  return p;
}

TEST(UnorderedSet, EstimatesAreUnbiased) {
  graphs::Random random(401);
  for (const std::size_t k : {1, 2, 3, 5})
    for (const double spread : {0.1, 1.0, 4.0}) {
      SCOPED_TRACE(testing::Message() << "k = " << k << ", spread " << spread);
      const std::vector<double> p = random_probabilities(6, spread, random);
      std::vector<double> values(p.size());
      for (std::size_t s = 0; s < p.size(); ++s) values[s] = std::cos(3.0 * static_cast<double>(s));
      double mass = 0.0, mean = 0.0;
      std::vector<double> factors(p.size(), 0.0);  // the expected number c_s of each, and of 0 where it is not drawn
      for_each_set(p, k, [&](const std::vector<std::size_t>& set, double probability) {
        std::vector<double> f;
        for (const std::size_t s : set) f.push_back(values[s]);
        mass += probability;
        mean += probability * unordered_set_estimate(logs(p, set), f);
        const std::vector<double> c = unordered_set_gradient(logs(p, set), f);
        for (std::size_t i = 0; i < set.size(); ++i) factors[set[i]] += probability * c[i];
      });
      double exact = 0.0;
      for (std::size_t s = 0; s < p.size(); ++s) exact += p[s] * values[s];
      EXPECT_NEAR(mass, 1.0, 1e-12);
      EXPECT_NEAR(mean, exact, 1e-10);
      // sum of E[c_s] grad log p(s) = sum of f(s) grad p(s): the two differ by a multiple of p, as sum of grad p = 0.
      const double shift = (factors[0] - p[0] * values[0]) / p[0];
      for (std::size_t s = 0; s < p.size(); ++s) EXPECT_NEAR(factors[s], p[s] * (values[s] + shift), 1e-9);
    }
}

/// The weight of s is the probability that s came first, given the set.
TEST(UnorderedSet, WeightsAreProbabilitiesOfComingFirst) {
  graphs::Random random(402);
  const std::vector<double> p = random_probabilities(7, 2.0, random);
  for_each_set(p, 4, [&](const std::vector<std::size_t>& set, double mass) {
    const std::vector<double> weights = unordered_set_weights(logs(p, set));
    EXPECT_NEAR(std::accumulate(weights.begin(), weights.end(), 0.0), 1.0, 1e-10);
    for (std::size_t i = 0; i < set.size(); ++i) {
      double first = 0.0;
      std::vector<std::size_t> rest = set;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
      do {
        double left = 1.0 - p[set[i]], product = p[set[i]];
        for (const std::size_t s : rest) {
          product *= p[s] / left;
          left -= p[s];
        }
        first += product;
      } while (std::next_permutation(rest.begin(), rest.end()));
      EXPECT_NEAR(weights[i], first / mass, 1e-10);
    }
  });
}

TEST(UnorderedSet, OfTreesIsExactOnceTheseAreAll) {
  graphs::Random random(403);
  const Matrix scores = graphs::normal(3, 1.0, random);
  const TreeDistribution p(scores, Root::single);
  const std::vector<double> all = log_probs(sample_without_replacement(p, 100, seeded(1)));
  const std::vector<double> weights = unordered_set_weights(all);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_NEAR(weights[i], std::exp(all[i]), 1e-9);
  EXPECT_NEAR(unordered_set_estimate(all, std::vector<double>(all.size(), 2.0)), 2.0, 1e-9);
}

TEST(UnorderedSet, ManyAndImprobableOnes) {
  std::vector<double> many(300, std::log(1.0 / 1000.0));
  for (const double weight : unordered_set_weights(many)) EXPECT_NEAR(weight, 1.0 / 300.0, 1e-10);
  const std::vector<double> weights = unordered_set_weights({std::log(0.5), -5000.0});
  EXPECT_NEAR(weights[0], 2.0 / 3.0, 1e-9);
  EXPECT_NEAR(weights[1], 1.0 / 3.0, 1e-9);
}

TEST(UnorderedSet, RefusesWhatIsNoSet) {
  EXPECT_THROW(unordered_set_weights({std::log(0.7), std::log(0.7)}), InputError);
  EXPECT_THROW(unordered_set_weights({0.5}), InputError);
  EXPECT_THROW(unordered_set_weights({-HUGE_VAL}), InputError);
  EXPECT_THROW(unordered_set_estimate({-1.0, -2.0}, {1.0}), InputError);
  EXPECT_THROW(unordered_set_gradient({-1.0}, {HUGE_VAL}), InputError);
  PerturbedTrees unknown;
  unknown.trees.emplace_back();
  EXPECT_THROW(log_probs(unknown), InputError);
  EXPECT_TRUE(unordered_set_weights({}).empty());
  EXPECT_TRUE(unordered_set_gradient({}, {}).empty());
}

}  // namespace
}  // namespace kirchhoff
