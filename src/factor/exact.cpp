// All assignments that the factors allow, one by one: variables are fixed in turn, and a branch ends as soon as a hard
// factor is left without a configuration. Time: assignments x variables x cost of a factor's best configuration.
#include "core/check.hpp"
#include "core/sum.hpp"
#include "factor/local.hpp"

#include <algorithm>
#include <map>
#include <string>

namespace kirchhoff {
namespace {

using factor::Incidence;

class Enumerator {
 public:
  Enumerator(const FactorGraph& graph, int max_assignments)
      : graph_(graph), incidence_(graph), most_(max_assignments), current_(graph.variables()), q_(graph.edges(), 0.0) {
    order_variables();
    std::size_t widest = 0;
    for (int f = 0; f < graph.factors(); ++f) widest = std::max<std::size_t>(widest, graph.factor(f).arity());
    y_.resize(widest);
  }

  void run() { descend(0); }
  const std::vector<Assignment>& assignments() const { return assignments_; }
  const std::vector<double>& scores() const { return scores_; }

 private:
  /// Neighbours in large hard factors come together, so that contradictions show early.
  void order_variables() {
    std::vector<int> factors;
    for (int f = 0; f < graph_.factors(); ++f) {
      if (!graph_.factor(f).soft()) factors.push_back(f);
    }
    std::stable_sort(factors.begin(), factors.end(),
                     [&](int a, int b) { return graph_.factor(a).arity() > graph_.factor(b).arity(); });
    std::vector<char> placed(graph_.variables(), 0);
    const auto place = [&](int i) {
      if (!placed[i]) order_.push_back(i);
      placed[i] = 1;
    };
    for (const int f : factors) {
      for (int e = graph_.first_edge(f); e < graph_.first_edge(f + 1); ++e) place(graph_.edge(e).variable);
    }
    for (int i = 0; i < graph_.variables(); ++i) place(i);
  }

  void descend(std::size_t depth) {
    if (depth == order_.size()) return keep();
    const int i = order_[depth];
    for (const int value : {0, 1}) {
      if (value == 1 && graph_.scores()[i] == -HUGE_VAL) continue;
      current_[i] = static_cast<std::uint8_t>(value);
      set_ratios(i, value == 1 ? HUGE_VAL : -HUGE_VAL);
      if (possible(i)) descend(depth + 1);
    }
    set_ratios(i, 0.0);
  }

  void set_ratios(int i, double q) {
    for (const int e : incidence_.edges_of(i)) q_[e] = factor::oriented(graph_.edge(e), q);
  }

  bool possible(int i) {
    return std::all_of(incidence_.edges_of(i).begin(), incidence_.edges_of(i).end(), [&](int e) {
      const int f = incidence_.factor_of(e);
      const Factor& factor = graph_.factor(f);
      if (factor.soft()) return true;
      const auto arity = static_cast<std::size_t>(factor.arity());
      return factor.best({&q_[graph_.first_edge(f)], arity}, {y_.data(), arity}) != -HUGE_VAL;
    });
  }

  void keep() {
    if (static_cast<int>(assignments_.size()) == most_) {
      core::input_error("solve_exact", "more than " + std::to_string(most_) + " assignments");
    }
    assignments_.push_back(current_);
    scores_.push_back(score(graph_, current_));
  }

  const FactorGraph& graph_;
  Incidence incidence_;
  int most_;
  std::vector<int> order_;
  Assignment current_;
  std::vector<double> q_;
  std::vector<std::uint8_t> y_;
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

}  // namespace

ExactResult solve_exact(const FactorGraph& graph, int max_assignments) {
  Enumerator all(graph, max_assignments);
  all.run();
  ExactResult result;
  const auto best = std::max_element(all.scores().begin(), all.scores().end());
  if (best == all.scores().end()) {
    result.log_partition = result.value = -HUGE_VAL;
    return result;
  }
  result.status = Status::converged;
  result.assignment = all.assignments()[best - all.scores().begin()];
  result.value = *best;
  core::Sum z;
  for (const double s : all.scores()) z.add(std::exp(s - *best));
  result.log_partition = *best + std::log(z.value());
  std::vector<double> probabilities;
  std::vector<core::Sum> marginals(graph.variables());
  core::Sum entropy;
  for (std::size_t a = 0; a < all.scores().size(); ++a) {
    const double p = std::exp(all.scores()[a] - *best) / z.value();
    probabilities.push_back(p);
    entropy.add(surprise(p));
    for (int i = 0; i < graph.variables(); ++i) {
      if (all.assignments()[a][i]) marginals[i].add(p);
    }
  }
  result.entropy = core::not_negative(entropy.value());
  for (const core::Sum& p : marginals) result.marginals.push_back(std::min(p.value(), 1.0));
  std::vector<double> entropies;
  for (int f = 0; f < graph.factors(); ++f) {
    entropies.push_back(factor_entropy(graph, f, all.assignments(), probabilities));
  }
  result.bethe_entropy = factor::bethe_entropy(graph, result.marginals, entropies);
  return result;
}

}  // namespace kirchhoff
