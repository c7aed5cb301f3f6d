// Derivatives of beliefs by implicit differentiation by perturbation [Domke10, section 3]: at a fixed point the beliefs
// b are the gradient of Bethe's log Z by the scores s, so its Hessian times v is lim [b(s + r v) - b(s - r v)] / 2r. Of
// the step r = 1e-3, where v is 1 at most, the error is r^2 / 6 third derivatives, and the tolerance of propagation
// over r.
#include "dependency/second_order.hpp"

#include <algorithm>
#include <cmath>

namespace kirchhoff::dependency {

namespace {

double largest_of(const PartNumbers& numbers) {
  double largest = 0.0;
  for (const auto* list : {&numbers.arcs, &numbers.parts}) {
    for (const double v : *list) largest = std::max(largest, std::abs(v));
  }
  return largest;
}

std::vector<double> moved(std::span<const double> scores, double step, std::span<const double> direction) {
  std::vector<double> sums(scores.begin(), scores.end());
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += step * direction[i];
  return sums;
}

}  // namespace

std::optional<PartNumbers> beliefs_along(const ScoredParts& scored, const PartNumbers& direction) {
  constexpr double kStep = 1e-3;
  const double largest = largest_of(direction);
  PartNumbers slopes{std::vector<double>(scored.candidates.size(), 0.0), std::vector<double>(scored.parts.size(), 0.0)};
  if (largest == 0.0) return slopes;
  const double step = kStep / largest;
  for (const double r : {step, -step}) {
    const std::vector<double> arcs = moved(scored.arc_scores, r, direction.arcs);
    const std::vector<double> parts = moved(scored.part_scores, r, direction.parts);
    const PartBeliefs b = propagate_beliefs({scored.parts, scored.candidates, scored.root, arcs, parts}, kFixedPoint);
    if (!b.converged) return std::nullopt;
    for (std::size_t c = 0; c < slopes.arcs.size(); ++c) slopes.arcs[c] += b.arcs[c] / (2.0 * r);
    for (std::size_t p = 0; p < slopes.parts.size(); ++p) slopes.parts[p] += b.parts[p] / (2.0 * r);
  }
  return slopes;
}

}  // namespace kirchhoff::dependency
