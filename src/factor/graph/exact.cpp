// All assignments that the factors allow, one by one: variables are fixed in turn, with what follows from them, and a
// branch ends as soon as a hard factor is left without a configuration. Time: about assignments x variables x cost of a
// factor's max-product messages.
#include "base/check.hpp"
#include "base/stop.hpp"
#include "factor/graph/propagate.hpp"
#include "numeric/sum.hpp"

#include <algorithm>
#include <map>
#include <string>

namespace kirchhoff {
namespace {

using factor::Incidence;

class Enumerator {
 public:
  Enumerator(const FactorGraph& graph, int max_assignments, base::Stopping& stopping)
      : graph_(graph),
        incidence_(graph),
        propagator_(graph, incidence_),
        max_assignments_(max_assignments),
        stopping_(stopping) {}

  void run() {
    factor::Fixed fixed(graph_.variables(), -1);
    if (propagator_.all(fixed)) descend(0, fixed);
  }
  const std::vector<Assignment>& assignments() const { return assignments_; }
  const std::vector<double>& scores() const { return scores_; }

 private:
  void descend(int variable, const factor::Fixed& fixed) {
    while (variable < graph_.variables() && fixed[variable] >= 0) ++variable;
    if (stopping_()) return;
    if (variable == graph_.variables()) return keep(fixed);
    for (const signed char value : {0, 1}) {
      factor::Fixed next = fixed;
      next[variable] = value;
      if (propagator_.after(variable, next)) descend(variable + 1, next);
    }
  }

  void keep(const factor::Fixed& fixed) {
    if (static_cast<int>(assignments_.size()) == max_assignments_) {
      base::input_error("solve_exact", "more than " + std::to_string(max_assignments_) + " assignments");
    }
    assignments_.emplace_back(fixed.begin(), fixed.end());
    scores_.push_back(score(graph_, assignments_.back()));
  }

  const FactorGraph& graph_;
  Incidence incidence_;
  factor::Propagator propagator_;
  int max_assignments_;
  base::Stopping& stopping_;
  std::vector<Assignment> assignments_;
  std::vector<double> scores_;
};

double surprise(double p) { return p > 0.0 ? -p * std::log(p) : 0.0; }

/// Entropy of the factor's configuration.
double factor_entropy(const FactorGraph& graph, int f, const std::vector<Assignment>& assignments,
                      const std::vector<double>& probabilities) {
  std::map<std::string, double> mass;  // by configuration
  std::vector<std::uint8_t> y;
  for (std::size_t a = 0; a < assignments.size(); ++a) {
    factor::gather(graph, f, assignments[a], y);
    mass[std::string(y.begin(), y.end())] += probabilities[a];
  }
  double h = 0.0;
  for (const auto& [configuration, p] : mass) h += surprise(std::min(p, 1.0));
  return h;
}

ExactResult stopped() {
  ExactResult result;
  result.status = Status::time_limit;
  return result;
}

}  // namespace

ExactResult solve_exact(const FactorGraph& graph, int max_assignments, const Stop& stop) {
  base::Stopping stopping(stop);
  Enumerator all(graph, max_assignments, stopping);
  all.run();
  if (stopping()) return stopped();
  ExactResult result;
  const auto best = std::max_element(all.scores().begin(), all.scores().end());
  if (best == all.scores().end()) {
    result.log_partition = result.value = -HUGE_VAL;
    return result;
  }
  result.status = Status::converged;
  result.assignment = all.assignments()[best - all.scores().begin()];
  result.value = *best;
  numeric::Sum z;
  for (const double s : all.scores()) z.add(std::exp(s - *best));
  result.log_partition = *best + std::log(z.value());
  std::vector<double> probabilities;
  std::vector<numeric::Sum> marginals(graph.variables());
  numeric::Sum entropy;
  for (std::size_t a = 0; a < all.scores().size(); ++a) {
    const double p = std::exp(all.scores()[a] - *best) / z.value();
    probabilities.push_back(p);
    entropy.add(surprise(p));
    for (int i = 0; i < graph.variables(); ++i) {
      if (all.assignments()[a][i]) marginals[i].add(p);
    }
  }
  result.entropy = numeric::not_negative(entropy.value());
  for (const numeric::Sum& p : marginals) result.marginals.push_back(std::min(p.value(), 1.0));
  std::vector<double> entropies;
  for (int f = 0; f < graph.factors(); ++f) {
    if (stopping()) return stopped();
    entropies.push_back(factor_entropy(graph, f, all.assignments(), probabilities));
  }
  result.bethe_entropy = factor::bethe_entropy(graph, result.marginals, entropies);
  return result;
}

}  // namespace kirchhoff
