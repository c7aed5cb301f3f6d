// Graphs of the same shape with other scores, in O(edges + entries): those that a learner has found, or the tempered,
// cost-augmented ones of a loss, beta (s + gamma p) with the p = c (1 - 2 mu) of Hamming's cost [Martins10, section 5.2
// and footnote 11]. And LP-SparseMAP's derivatives by these scores, in O(entries) for each configuration of a mixture.
#include "learn/graph_scores.hpp"

#include "base/check.hpp"
#include "learn/entries.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

namespace kirchhoff {
namespace {

using learn::Parameters;
using SharedFactor = std::shared_ptr<const Factor>;

/// beta times the score of another factor.
class TemperedFactor final : public Factor {
 public:
  TemperedFactor(SharedFactor factor, double beta) : Factor(factor->arity()), factor_(std::move(factor)), beta_(beta) {}
  std::string_view name() const override { return factor_->name(); }
  double score(Configuration y) const override { return beta_ * factor_->score(y); }
  double least_score() const override { return beta_ * factor_->least_score(); }
  bool soft() const override { return factor_->soft(); }
  OneHot one_hot() const override { return factor_->one_hot(); }

 private:
  SharedFactor factor_;
  double beta_;
};

/// The factor with scores times beta; nothing when it has none.
SharedFactor tempered(const SharedFactor& factor, double beta, int number) {
  if (dynamic_cast<const factor::HardFactor*>(factor.get()) != nullptr) return nullptr;
  if (const auto* pair = dynamic_cast<const factor::PairFactor*>(factor.get())) {
    return std::make_shared<factor::PairFactor>(beta * pair->pair_score());
  }
  if (dynamic_cast<const factor::TableFactor*>(factor.get()) != nullptr) {
    std::vector<double> scores;
    learn::for_each_entry(*factor, [&](std::size_t, Configuration, double s) { scores.push_back(beta * s); });
    return std::make_shared<factor::TableFactor>(learn::slots_of(*factor), std::move(scores));
  }
  if (factor->arity() > Factor::kEnumerable) {
    base::input_error("structured_loss", "beta: factor " + std::to_string(number) + " (" + std::string(factor->name()) +
                                             ") has more than " + std::to_string(Factor::kEnumerable) +
                                             " inputs and cannot be tempered; take 1 or inf");
  }
  return std::make_shared<TemperedFactor>(factor, beta);
}

void set_scores(FactorGraph& graph, int f, const std::vector<double>& scores) {
  const Factor& factor = graph.factor(f);
  const Parameters parameters = learn::parameters_of(factor);
  if (parameters == Parameters::none || (parameters == Parameters::pair && scores.size() != 1)) {
    base::input_error("with_scores", "factor " + std::to_string(f) + " (" + std::string(factor.name()) +
                                         "): " + std::to_string(scores.size()) + " scores, expected " +
                                         (parameters == Parameters::none ? "none" : "1"));
  }
  if (parameters == Parameters::pair) return graph.set_pair_score(f, scores[0]);
  if (dynamic_cast<const factor::TableFactor*>(&factor) == nullptr) {  // one of one's own becomes a table
    const factor::Slots slots = learn::slots_of(factor);
    graph.set_factor(f, std::make_shared<factor::TableFactor>(slots, std::vector<double>(slots.entries)));
  }
  graph.set_table_scores(f, scores);
}

}  // namespace

GraphScores scores_of(const FactorGraph& graph) {
  GraphScores result{graph.scores(), std::vector<std::vector<double>>(static_cast<std::size_t>(graph.factors()))};
  for (int f = 0; f < graph.factors(); ++f) {
    const Parameters parameters = learn::parameters_of(graph.factor(f));
    if (parameters == Parameters::none) continue;
    std::vector<double>& scores = result.factors[f];
    if (parameters == Parameters::pair) {
      scores = {dynamic_cast<const factor::PairFactor&>(graph.factor(f)).pair_score()};
      continue;
    }
    learn::for_each_entry(graph.factor(f), [&](std::size_t, Configuration, double s) { scores.push_back(s); });
  }
  return result;
}

FactorGraph with_scores(const FactorGraph& graph, const GraphScores& scores) {
  if (static_cast<int>(scores.variables.size()) != graph.variables() ||
      (!scores.factors.empty() && static_cast<int>(scores.factors.size()) != graph.factors())) {
    base::input_error("with_scores", "scores: not those of a graph of this shape");
  }
  FactorGraph result = graph;
  for (int i = 0; i < graph.variables(); ++i) result.set_score({i}, scores.variables[i]);
  for (std::size_t f = 0; f < scores.factors.size(); ++f) {
    if (!scores.factors[f].empty()) set_scores(result, static_cast<int>(f), scores.factors[f]);
  }
  return result;
}

GraphScores gradient_by_scores(const FactorGraph& graph, const SparseGraph& p, std::span<const double> gradient) {
  SparseGradient found = sparsemap_gradient(graph, p, gradient);
  GraphScores result{std::move(found.scores), std::vector<std::vector<double>>(p.factors.size())};
  for (int f = 0; f < graph.factors(); ++f) {
    if (learn::parameters_of(graph.factor(f)) == Parameters::none) continue;
    std::vector<double>& by_score = result.factors[f];
    for (std::size_t k = 0; k < p.factors[f].configurations.size(); ++k) {
      const std::vector<double> has = learn::indicator(graph.factor(f), p.factors[f].configurations[k]);
      by_score.resize(has.size(), 0.0);
      for (std::size_t i = 0; i < has.size(); ++i) by_score[i] += found.configurations[f][k] * has[i];
    }
  }
  return result;
}

FactorGraph learn::augmented(const FactorGraph& graph, const Assignment& gold, std::span<const double> costs,
                             double beta) {
  FactorGraph result = graph;
  for (int i = 0; i < graph.variables(); ++i) {
    result.set_score({i}, beta * (graph.scores()[i] + (gold[i] != 0 ? -costs[i] : costs[i])));
  }
  if (beta == 1.0) return result;
  const auto original = std::make_shared<const FactorGraph>(graph);  // which the factors of one's own live in
  for (int f = 0; f < graph.factors(); ++f) {
    if (SharedFactor other = tempered({original, &original->factor(f)}, beta, f)) result.set_factor(f, other);
  }
  return result;
}

}  // namespace kirchhoff
