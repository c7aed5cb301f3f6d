// The bound of a dual solution, with a margin for every rounding: linear in the edges, and one best() for each factor.
#include "factor/relaxation/certificate.hpp"

#include <cmath>
#include <limits>

namespace kirchhoff::factor {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

}  // namespace

// A factor finds its best configuration by adding and comparing at most all of q and one score, which cannot be larger
// than q and the best value together. So what it returns is at most (inputs + 1) epsilon times those below the truth,
// and twice that where numbers were first subtracted from each other, as in the contractions of a TREE. Sums have twice
// the precision of a double.
Bound Certifier::operator()(const std::vector<double>& parts, const Fixed& fixed) {
  for (int i = 0; i < graph_.variables(); ++i) {
    rest_[i] = {};
    if (fixed[i] != 0) rest_[i].add(graph_.scores()[i]);
  }
  numeric::Sum sum;
  double rounding = 0.0;
  for (int f = 0; f < graph_.factors(); ++f) {
    double size = 0.0;
    gather_fixed(
        graph_, f, fixed, [&](int e) { return parts[e]; }, q_);
    for (int e = graph_.first_edge(f); e < graph_.first_edge(f + 1); ++e) {
      const Literal literal = graph_.edge(e);
      if (fixed[literal.variable] >= 0) continue;
      size += std::abs(parts[e]);
      rest_[literal.variable].add(-parts[e]);
      if (literal.negated) sum.add(parts[e]);  // q y = q - q (1 - y)
    }
    y_.resize(q_.size());
    const double best = graph_.factor(f).relaxed_best(q_, y_);
    if (best == -HUGE_VAL) return {-HUGE_VAL, 0.0};
    sum.add(best);
    rounding += 2.0 * static_cast<double>(q_.size() + 1) * kEpsilon * (2.0 * size + std::abs(best));
  }
  for (int i = 0; i < graph_.variables(); ++i) {
    const double rest = rest_[i].value();
    if (fixed[i] >= 0 || rest > 0.0) sum.add(rest);
  }
  rounding += 2.0 * kEpsilon * std::abs(sum.value());
  return {sum.value() + rounding, rounding};
}

double size_of_score(const FactorGraph& graph, const Assignment& assignment) {
  double size = 0.0;
  std::vector<std::uint8_t> y;
  for (int i = 0; i < graph.variables(); ++i) {
    if (assignment[i]) size += std::abs(graph.scores()[i]);
  }
  for (int f = 0; f < graph.factors(); ++f) {
    gather(graph, f, assignment, y);
    size += std::abs(graph.factor(f).score(y));
  }
  return size;
}

}  // namespace kirchhoff::factor
