// All tag sequences of a small chain, one by one, with their probabilities from sums of 160 digits: the judge of
// chains.
#pragma once

#include "kirchhoff/chain.hpp"

#include <random>
#include <string>
#include <vector>

namespace kirchhoff::chains {

using Real = long double;
using Random = std::mt19937_64;

/// The possible sequences in lexicographic order, and what they say about the distribution.
class Sequences {
 public:
  explicit Sequences(const ChainArrays& scores);

  std::size_t size() const { return all_.size(); }
  const Tags& operator[](std::size_t k) const { return all_[k]; }
  /// The place of a sequence in the list, or size() if it is not possible.
  std::size_t number(const Tags& tags) const;
  Real log_partition() const { return log_partition_; }
  Real log_p(std::size_t k) const { return log_p_[k]; }
  Real p(std::size_t k) const { return p_[k]; }
  const std::vector<Real>& probabilities() const { return p_; }

  /// f(sequence) of an additive function; numbers at impossible places are not looked at.
  static Real value(const ChainArrays& f, const Tags& tags);
  Real mean(const ChainArrays& f) const;
  /// E[(f - E f)(g - E g)].
  Real covariance(const ChainArrays& f, const ChainArrays& g) const;
  /// Cumulants 0 .. order of f, from central moments.
  std::vector<Real> cumulants(const ChainArrays& f, int order) const;
  /// The probability of every tag (i < 0), or of every pair of tags, at position t.
  Real marginal(int t, int i, int j) const;
  /// The logarithm of that.
  Real log_marginal(int t, int i, int j) const;
  Real entropy() const;
  Real renyi(Real alpha) const;
  /// E_p[-log q], infinite when q forbids a sequence.
  Real cross_entropy(const Sequences& q) const;

 private:
  std::vector<Tags> all_;
  std::vector<Real> log_p_, p_;
  Real log_partition_ = -HUGE_VALL;
};

/// Scores N(0, scale^2). Each is kept with probability `density`, but those of one random sequence always.
ChainArrays random_chain(int length, int tags, double scale, double density, Random& random);
/// The same without impossible places: an additive function.
inline ChainArrays random_function(int length, int tags, Random& random) {
  return random_chain(length, tags, 1.0, 2.0, random);
}

struct Shape {
  int length, tags;
};
inline constexpr Shape kShapes[] = {{1, 1}, {1, 5}, {2, 1}, {7, 1}, {2, 3}, {3, 4}, {5, 3}, {8, 2}, {2, 13}, {3, 9}};
inline std::string name(const Shape& s) { return std::to_string(s.length) + " positions, " + std::to_string(s.tags); }

}  // namespace kirchhoff::chains
