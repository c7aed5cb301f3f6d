// The options of a prefix of choices that no tree has taken yet, and the names and times of what lies below them.
#pragma once

#include "sample/conditional_walk.hpp"

#include <cstdint>
#include <vector>

namespace kirchhoff::sample {

/// Conditional probabilities in units of exp(scale), where those below `uncertain` are not to be relied on.
struct OpenOptions {
  std::vector<double> p;
  LaneSums sums{};  // of p
  double scale = 0.0;
  double uncertain = 0.0;

  /// Probabilities as a walk has them at hand.
  void load(const ConditionalRow& row, int options, const std::vector<int>& taken);
  /// Exact ones, in units of the best that is left.
  void load_exact(const std::vector<double>& logs, const std::vector<int>& taken);
  /// The option at u times the total, for u in [0, 1), or a negative number if there is none.
  int choose(double u) const;
  void take(int option);
};

/// Returns whether an option of the walk is left, which structure alone decides.
bool any_possible(const ConditionalWalk& walk, const std::vector<int>& taken);

/// The name of the random streams of a prefix that is one option longer.
std::uint64_t child_key(std::uint64_t key, int option);
/// The stream of the first arrival of all.
inline constexpr std::uint64_t kFirstArrival = ~std::uint64_t{0};

/// -log(exp(-a) + exp(-b)): the perturbed log-probability of a time that is the sum of two.
double later(double a, double b);

}  // namespace kirchhoff::sample
