// Graphs of the same shape with other scores, in O(edges + entries): those that a learner has found, or the tempered,
// cost-augmented ones of a loss, beta (s + gamma p) with the p = c (1 - 2 mu) of Hamming's cost [Martins10, section 5.2
// and footnote 11].
#include "learn/graph_scores.hpp"

#include "base/check.hpp"
#include "factor/graph/incidence.hpp"
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

/// The same variables with scores score(i), and the factors that replace(f, factor) returns.
template <class Score, class Replace>
FactorGraph rebuilt(const FactorGraph& graph, Score score, Replace replace) {
  const auto original = std::make_shared<const FactorGraph>(graph);  // which factors that are kept live in
  const factor::Incidence incidence(*original);
  FactorGraph result;
  std::vector<double> scores;
  for (int i = 0; i < graph.variables();) {
    const int end = incidence.values_of(i).end;
    const bool multi_valued = incidence.is_multi_valued(i);
    scores.clear();
    for (; i < end; ++i) scores.push_back(score(i));
    if (multi_valued) {
      result.add_multi_valued(scores);
    } else {
      result.add_variable(scores[0]);
    }
  }
  Literals literals;
  for (int f = 0; f < graph.factors(); ++f) {
    literals.clear();
    for (int e = graph.first_edge(f); e < graph.first_edge(f + 1); ++e) literals.push_back(graph.edge(e));
    result.add_factor(replace(f, SharedFactor(original, &original->factor(f))), literals);
  }
  return result;
}

SharedFactor tempered(const SharedFactor& factor, double beta, int number) {
  if (beta == 1.0 || dynamic_cast<const factor::HardFactor*>(factor.get()) != nullptr) return factor;
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

/// The factor with these scores; its own are kept where none are given.
SharedFactor with_parameters(const SharedFactor& factor, const std::vector<double>& scores, int number) {
  if (scores.empty()) return factor;
  const Parameters parameters = learn::parameters_of(*factor);
  std::size_t expected = parameters == Parameters::pair ? 1 : 0;
  if (parameters == Parameters::entries) expected = learn::slots_of(*factor).entries;
  if (scores.size() != expected) {
    base::input_error("with_scores", "factor " + std::to_string(number) + ": " + std::to_string(scores.size()) +
                                         " scores, expected " + std::to_string(expected));
  }
  for (const double score : scores) base::check_score("with_scores", "factors", score);
  if (parameters == Parameters::entries) return std::make_shared<factor::TableFactor>(learn::slots_of(*factor), scores);
  if (scores[0] == -HUGE_VAL) base::input_error("with_scores", "factors: -inf for a pair");
  return std::make_shared<factor::PairFactor>(scores[0]);
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
  static const std::vector<double> kKept;
  return rebuilt(
      graph, [&](int i) { return scores.variables[i]; },
      [&](int f, const SharedFactor& factor) {
        return with_parameters(factor, scores.factors.empty() ? kKept : scores.factors[f], f);
      });
}

FactorGraph learn::augmented(const FactorGraph& graph, const Assignment& gold, std::span<const double> costs,
                             double beta) {
  return rebuilt(
      graph, [&](int i) { return beta * (graph.scores()[i] + (gold[i] != 0 ? -costs[i] : costs[i])); },
      [&](int f, const SharedFactor& factor) { return tempered(factor, beta, f); });
}

}  // namespace kirchhoff
