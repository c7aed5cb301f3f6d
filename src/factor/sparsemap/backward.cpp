// Derivatives of LP-SparseMAP from the active sets [Niculae20]. While the configurations that each factor mixes stay
// the same, u moves in the intersection of the spaces E_C = {v : v on C's inputs is a combination, of sum 0, of C's
// configurations}, and du is the projection w of ds on that intersection. With B v = (v_C - P_C v_C) over all factors,
// P_C the projection on E_C, the intersection is where B v = 0, and w is what a least squares problem leaves over:
//   w = v - B' z,   z = argmin |v - B' z|^2,
// by conjugate gradients on the normal equations, which meet their answer, whatever the rank of B. A step costs each
// factor O(k n + k^2) for k configurations of n inputs.
// The score of a factor is a linear function of its mixture, so its derivative with respect to the score of
// configuration k is the weight of k in the combination of sum 0 that makes w on the factor's inputs. With W_C that map
// from inputs to weights, u is the projection of s + sum of W_C' s_C on an affine space, and moves by that of
// ds + sum of W_C' ds_C.
#include "base/check.hpp"
#include "factor/ad3/active_set.hpp"
#include "factor/graph/incidence.hpp"
#include "kirchhoff/sparsemap.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace kirchhoff {
namespace {

constexpr double kConverged = 1e-14;  // of the direction, for each edge: what is outside the spaces by rounding alone
constexpr double kDiverged = 1e8;     // times the least that was outside: by then it is rounding that is amplified

class Spaces {
 public:
  Spaces(const char* function, const FactorGraph& graph, const SparseGraph& p)
      : graph_(graph), sets_(static_cast<std::size_t>(graph.factors())) {
    for (int f = 0; f < graph.factors(); ++f) {
      for (Assignment y : p.factors[f].configurations) {
        const bool fits = static_cast<int>(y.size()) == graph.factor(f).arity();
        if (fits) factor::turn(graph, f, y);
        if (fits && sets_[f].include(graph.factor(f), y)) continue;
        base::input_error(function, "p: factor " + std::to_string(f) +
                                        " has a configuration of another size, or one that others mix to");
      }
    }
  }
  /// The combination of the factor's configurations that is nearest to v on its inputs; that goes to du.
  std::span<const double> combine(int f, const Vector& v, std::vector<double>& du) {
    const int begin = graph_.first_edge(f), end = graph_.first_edge(f + 1);
    inputs_.resize(static_cast<std::size_t>(end - begin));
    du.resize(inputs_.size());
    for (int e = begin; e < end; ++e) inputs_[e - begin] = factor::oriented(graph_.edge(e), v[graph_.edge(e).variable]);
    const std::span<const double> weights = sets_[f].along(inputs_, du);
    for (int e = begin; e < end; ++e) du[e - begin] = factor::oriented(graph_.edge(e), du[e - begin]);
    return weights;
  }
  /// Adds W' c to v, for scores of the factor's configurations that move along c.
  void add_gains(int f, std::span<const double> c, Vector& v) {
    const int begin = graph_.first_edge(f), end = graph_.first_edge(f + 1);
    du_.resize(static_cast<std::size_t>(end - begin));
    sets_[f].along_gains(c, du_);
    for (int e = begin; e < end; ++e) {
      v[graph_.edge(e).variable] += factor::oriented(graph_.edge(e), du_[e - begin]);
    }
  }
  /// B v, by edges.
  Vector outside(const Vector& v) {
    Vector result(graph_.edges());
    for (int f = 0; f < graph_.factors(); ++f) {
      combine(f, v, du_);
      const int begin = graph_.first_edge(f);
      for (int e = begin; e < graph_.first_edge(f + 1); ++e) result[e] = v[graph_.edge(e).variable] - du_[e - begin];
    }
    return result;
  }
  /// B' z, by variables, for z = B of something, of which P takes nothing away.
  Vector gather(const Vector& z) const {
    Vector result = Vector::Zero(graph_.variables());
    for (int e = 0; e < graph_.edges(); ++e) result[graph_.edge(e).variable] += z[e];
    return result;
  }

 private:
  const FactorGraph& graph_;
  std::vector<factor::ActiveSet> sets_;
  std::vector<double> inputs_, du_;
};

/// What is left of v in the intersection: CGLS for min |v - B' z|^2, of which only the residual is kept. A direction
/// that lies in all spaces is outside them by rounding, which must not be taken for something to project.
Vector project(Spaces& spaces, Vector v) {
  Vector normal = spaces.outside(v), best = v;
  Vector direction = normal;
  double square = normal.squaredNorm(), lowest = square;
  const double allowed = kConverged * kConverged * static_cast<double>(normal.size()) * v.squaredNorm();
  const Eigen::Index most = 2 * (v.size() + normal.size()) + 10;
  for (Eigen::Index step = 0; step < most && lowest > allowed && square < kDiverged * lowest; ++step) {
    const Vector image = spaces.gather(direction);
    const double length = image.squaredNorm();
    if (!(length > 0.0)) break;
    v -= square / length * image;
    normal = spaces.outside(v);
    const double next = normal.squaredNorm();
    direction = normal + next / square * direction;
    square = next;
    if (square >= lowest) continue;
    lowest = square;
    best = v;
  }
  return best;
}

/// The direction or gradient by variables, without those that no factor has and that stay where they are.
Vector checked(const char* function, const char* name, const FactorGraph& graph, const SparseGraph& p,
               std::span<const double> values) {
  const auto variables = static_cast<std::size_t>(graph.variables());
  if (p.marginals.size() != variables || p.factors.size() != static_cast<std::size_t>(graph.factors())) {
    base::input_error(function, "p: not of this graph, or without a solution");
  }
  if (values.size() != variables) {
    base::input_error(function, std::string(name) + ": " + std::to_string(values.size()) + " numbers for " +
                                    std::to_string(variables) + " variables");
  }
  Vector v(static_cast<Eigen::Index>(variables));
  const factor::Incidence incidence(graph);
  for (int i = 0; i < graph.variables(); ++i) {
    if (!std::isfinite(values[i])) base::input_error(function, std::string(name) + ": NaN or infinite");
    const double u = p.marginals[i];
    v[i] = incidence.degree(i) > 0 || (u > 0.0 && u < 1.0) ? values[i] : 0.0;
  }
  return v;
}

}  // namespace

SparseGradient sparsemap_gradient(const FactorGraph& graph, const SparseGraph& p, std::span<const double> gradient) {
  Vector v = checked("sparsemap_gradient", "gradient", graph, p, gradient);
  Spaces spaces("sparsemap_gradient", graph, p);
  v = project(spaces, std::move(v));
  SparseGradient result;
  result.scores.assign(v.begin(), v.end());
  std::vector<double> du;
  for (int f = 0; f < graph.factors(); ++f) {
    const std::span<const double> weights = spaces.combine(f, v, du);
    result.configurations.emplace_back(weights.begin(), weights.end());
  }
  return result;
}

std::vector<double> marginals_along(const FactorGraph& graph, const SparseGraph& p, const SparseGradient& direction) {
  constexpr const char* kFunction = "marginals_along";
  Vector v = checked(kFunction, "direction", graph, p, direction.scores);
  if (direction.configurations.size() != p.factors.size()) {
    base::input_error(kFunction, "direction: not of as many factors as the graph");
  }
  Spaces spaces(kFunction, graph, p);
  for (int f = 0; f < graph.factors(); ++f) {
    const std::vector<double>& moves = direction.configurations[f];
    if (moves.empty()) continue;
    const bool finite = std::all_of(moves.begin(), moves.end(), [](double x) { return std::isfinite(x); });
    if (!finite || moves.size() != p.factors[f].configurations.size()) {
      base::input_error(kFunction, "direction: numbers for factor " + std::to_string(f) +
                                       " that are not finite, or not one for each configuration");
    }
    spaces.add_gains(f, moves, v);
  }
  v = project(spaces, std::move(v));
  return {v.begin(), v.end()};
}

}  // namespace kirchhoff
