// L_{beta,gamma} of a factor graph [Martins10, eqs. 22 and 24]: inference in the tempered, cost-augmented graph, and
// what it makes of every score. For beta < inf that is the belief in what has the score, for beta = inf its part in the
// best point of the relaxation or in the best assignment; gold is subtracted from both.
#include "base/check.hpp"
#include "factor/bp/beliefs.hpp"
#include "factor/bp/counting.hpp"
#include "factor/factors/pair_point.hpp"
#include "learn/entries.hpp"
#include "learn/graph_scores.hpp"
#include "learn/mixture.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace kirchhoff {
namespace {

using learn::Parameters;

constexpr const char* kName = "structured_loss";
constexpr double kInteger = 1e-9;  // A number as near to 0 or 1 counts as that.

void check_loss(const FactorGraph& graph, const Assignment& gold, Loss loss, const GraphLossOptions& options) {
  if (loss.kind != Loss::Kind::log_sum)
    base::input_error(kName, "loss: the expected cost of a factor graph is unknown");
  if (!(loss.beta > 0.0) || !(loss.gamma >= 0.0) || std::isinf(loss.gamma)) {
    base::input_error(kName, "beta must be above 0 and gamma finite and not negative");
  }
  if (options.method == SolveMethod::bp || options.method == SolveMethod::max_product) {
    base::input_error(kName, "method: beta = inf takes ad3, lp, ilp or exact");
  }
  if (std::any_of(gold.begin(), gold.end(), [](std::uint8_t y) { return y > 1; })) {
    base::input_error(kName, "gold: a value that is neither 0 nor 1");
  }
  if (score(graph, gold) == -HUGE_VAL) base::input_error(kName, "gold: a factor or a score forbids it");
  if (options.costs.empty()) return;
  if (static_cast<int>(options.costs.size()) != graph.variables()) {
    base::input_error(kName, "costs: " + std::to_string(options.costs.size()) + " for " +
                                 std::to_string(graph.variables()) + " variables");
  }
  for (const double cost : options.costs) {
    if (!(cost >= 0.0 && cost <= base::kLargestScore)) base::input_error(kName, "costs: negative or not finite");
  }
}

/// gamma times what each variable costs when it is unlike gold.
std::vector<double> weighted_costs(const FactorGraph& graph, Loss loss, const GraphLossOptions& options) {
  const factor::Incidence incidence(graph);
  std::vector<double> costs(static_cast<std::size_t>(graph.variables()), loss.gamma);
  for (int i = 0; i < graph.variables(); ++i) {
    if (!options.costs.empty()) costs[i] *= options.costs[i];
    if (options.cost == Cost::mistakes && incidence.is_multi_valued(i)) costs[i] *= 0.5;  // two values are wrong
  }
  return costs;
}

/// The probability that both are 1, when a PAIR is told q.
double pair_belief(double score, std::span<const double> q) {
  if (q[0] == -HUGE_VAL || q[1] == -HUGE_VAL) return 0.0;
  // p(b = 1) p(a = 1 | b = 1). The message to b, softplus(q + s) - softplus(q), without what cancels, as in pair.cpp:
  const double a = q[0], with = a + score;
  double message = score;
  if (a != HUGE_VAL) {
    message = a > 0.0 ? std::max(-a, score) : std::max(0.0, with);
    message += std::log1p(std::exp(-std::abs(with))) - std::log1p(std::exp(-std::abs(a)));
  }
  return numeric::sigmoid(q[1] + message) * numeric::sigmoid(with);
}

/// The probability of what each of the factor's parameters scores, when it is told q.
std::vector<double> belief(const Factor& factor, std::span<const double> q) {
  if (const auto* pair = dynamic_cast<const factor::PairFactor*>(&factor)) return {pair_belief(pair->pair_score(), q)};
  std::vector<double> p;
  if (const auto* parts = dynamic_cast<const factor::PartsFactor*>(&factor)) {
    p.resize(parts->own_scores().size(), 0.0);
    parts->add_own_marginals(q, p);
    return p;
  }
  learn::for_each_entry(factor, [&](std::size_t, Configuration y, double weight) {
    for (std::size_t i = 0; i < y.size(); ++i) {
      if (numeric::is_infinite(q[i]) && (q[i] > 0.0) != (y[i] != 0)) weight = -HUGE_VAL;
      if (y[i] != 0) weight += numeric::finite_part(q[i]);
    }
    p.push_back(weight);
  });
  const double highest = *std::max_element(p.begin(), p.end());
  if (highest == -HUGE_VAL) return std::vector<double>(p.size(), 0.0);  // messages that contradict each other
  double sum = 0.0;
  for (double& x : p) sum += x = std::exp(x - highest);
  for (double& x : p) x /= sum;
  return p;
}

}  // namespace

std::vector<double> learn::indicator(const Factor& factor, std::span<const std::uint8_t> gold) {
  if (dynamic_cast<const factor::PairFactor*>(&factor) != nullptr) return {gold[0] && gold[1] ? 1.0 : 0.0};
  std::vector<double> entries;
  if (const auto* parts = dynamic_cast<const factor::PartsFactor*>(&factor)) {
    entries.resize(parts->own_scores().size(), 0.0);
    parts->add_own_parts(gold, 1.0, entries);
    return entries;
  }
  learn::for_each_entry(factor, [&](std::size_t, Configuration y, double) {
    entries.push_back(std::equal(y.begin(), y.end(), gold.begin()) ? 1.0 : 0.0);
  });
  return entries;
}

namespace {

using learn::indicator;

/// The same for a point of the relaxation.
std::vector<double> part_of_point(const Factor& factor, std::span<const double> u) {
  const bool integral = std::all_of(u.begin(), u.end(), [](double x) { return std::min(x, 1.0 - x) <= kInteger; });
  if (integral) {
    std::vector<std::uint8_t> y;
    for (const double x : u) y.push_back(x > 0.5 ? 1 : 0);
    return indicator(factor, y);
  }
  if (const auto* pair = dynamic_cast<const factor::PairFactor*>(&factor)) {
    return {factor::best_pair(pair->pair_score(), u[0], u[1])};
  }
  if (const auto* parts = dynamic_cast<const factor::PartsFactor*>(&factor)) return learn::best_parts(*parts, u);
  return learn::best_mixture(factor, u);
}

/// Fills in the gradients by factors: part(f) is about the parameters of factor f.
template <class Part>
void set_factors(const FactorGraph& graph, GraphObjective& result, Part part) {
  result.factors.resize(static_cast<std::size_t>(graph.factors()));
  for (int f = 0; f < graph.factors(); ++f) {
    if (learn::parameters_of(graph.factor(f)) != Parameters::none) result.factors[f] = part(f);
  }
}

/// Takes what gold has from every gradient.
void subtract_gold(const FactorGraph& graph, const Assignment& gold, GraphObjective& result) {
  for (std::size_t i = 0; i < gold.size(); ++i) result.variables[i] -= gold[i] != 0 ? 1.0 : 0.0;
  std::vector<std::uint8_t> y;
  for (int f = 0; f < graph.factors(); ++f) {
    std::vector<double>& gradient = result.factors[f];
    if (gradient.empty()) continue;
    factor::gather(graph, f, gold, y);
    const std::vector<double> own = indicator(graph.factor(f), y);
    for (std::size_t k = 0; k < gradient.size(); ++k) gradient[k] -= own[k];
  }
}

/// beta < inf: `tempered` has the scores times beta.
GraphObjective log_sum(const FactorGraph& tempered, const Assignment& gold, double beta, const BpOptions& options) {
  GraphObjective result = log_partition(tempered, options);
  result.value = (result.value - score(tempered, gold)) / beta;
  subtract_gold(tempered, gold, result);
  return result;
}

/// What a solver found: the point of the relaxation or the assignment, and its score or bound.
struct Best {
  Status status = Status::infeasible;
  int iterations = 0;
  double residual = 0.0;
  double value = 0.0;
  std::vector<double> point;  ///< empty when nothing was found
};

/// Where the assignment is the relaxation's optimum, its score takes the place of the bound, which is above it by
/// rounding or a gap: a tie with gold is a loss of 0.
Best best_of(const MapResult& map, Maximum maximum) {
  Best best{map.status, map.iterations, map.residual, map.value, {map.assignment.begin(), map.assignment.end()}};
  if (maximum == Maximum::rounded || map.point.empty() || map.point == best.point) return best;
  best.value = map.bound;
  best.point = map.point;
  return best;
}

Best maximise(const FactorGraph& graph, const GraphLossOptions& options) {
  if (options.method == SolveMethod::exact) {
    const ExactResult exact = solve_exact(graph, 1 << 20, options.ad3.stop);
    return {exact.status, 0, 0.0, exact.value, {exact.assignment.begin(), exact.assignment.end()}};
  }
  if (options.method == SolveMethod::ilp) {
    return best_of(solve_ilp(graph, options.ad3.time_limit, options.ad3.stop), Maximum::rounded);
  }
  if (options.method == SolveMethod::lp) return best_of(solve_lp(graph, options.ad3.stop), options.maximum);
  return best_of(solve_ad3(graph, options.ad3), options.maximum);
}

/// beta = inf. When a solver found nothing, as it may when it is stopped, gold is the best that is known.
GraphObjective maximum(const FactorGraph& augmented, const Assignment& gold, const GraphLossOptions& options) {
  const Best best = maximise(augmented, options);
  GraphObjective result{best.status, best.iterations, best.residual, 0.0, {}, {}};
  std::vector<double> point(gold.begin(), gold.end());
  if (best.point.size() == gold.size()) {
    result.value = best.value - score(augmented, gold);
    point = best.point;
  }
  result.variables = point;
  std::vector<double> u;
  set_factors(augmented, result, [&](int f) {
    u.clear();
    for (int e = augmented.first_edge(f); e < augmented.first_edge(f + 1); ++e) {
      const Literal literal = augmented.edge(e);
      u.push_back(literal.negated ? 1.0 - point[literal.variable] : point[literal.variable]);
    }
    return part_of_point(augmented.factor(f), u);
  });
  subtract_gold(augmented, gold, result);
  return result;
}

}  // namespace

GraphObjective log_partition(const FactorGraph& graph, const BpOptions& options) {
  BpOptions sums = options;
  sums.product = Product::sum;
  const BpResult bp = solve_bp(graph, sums);
  GraphObjective result{bp.status, bp.iterations, bp.residual, bp.log_partition, bp.marginals, {}};
  sums.start = bp.messages;
  const std::vector<double> counting = factor::counting_numbers(graph, sums.free_energy);
  const FactorGraph divided = factor::divided_by(graph, counting);  // the factors as they answer messages
  factor::Beliefs beliefs(graph, sums, counting);
  set_factors(graph, result, [&](int f) { return belief(divided.factor(f), beliefs.gather(f)); });
  return result;
}

GraphObjective structured_loss(const FactorGraph& graph, const Assignment& gold, Loss loss,
                               const GraphLossOptions& options) {
  check_loss(graph, gold, loss, options);
  const bool soft = !std::isinf(loss.beta);
  const double beta = soft ? loss.beta : 1.0;
  const FactorGraph augmented = learn::augmented(graph, gold, weighted_costs(graph, loss, options), beta);
  return soft ? log_sum(augmented, gold, beta, options.bp) : maximum(augmented, gold, options);
}

}  // namespace kirchhoff
