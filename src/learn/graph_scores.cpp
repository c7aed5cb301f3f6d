// Graphs of the same shape with other scores, in O(edges + entries): those that a learner has found, or the tempered,
// cost-augmented ones of a loss, beta (s + gamma p) with the p = c (1 - 2 mu) of Hamming's cost [Martins10, section 5.2
// and footnote 11].
#include "learn/graph_scores.hpp"

#include "base/check.hpp"
#include "factor/factors/head.hpp"
#include "factor/factors/scaled.hpp"
#include "learn/entries.hpp"

#include <algorithm>
#include <memory>
#include <string>

namespace kirchhoff {
namespace {

using learn::Parameters;
using SharedFactor = std::shared_ptr<const Factor>;

/// The factor with these scores.
SharedFactor with_parameters(const Factor& factor, const std::vector<double>& scores, int number) {
  const Parameters parameters = learn::parameters_of(factor);
  const auto* parts = dynamic_cast<const factor::PartsFactor*>(&factor);
  std::size_t expected = parameters == Parameters::pair ? 1 : 0;
  if (parameters == Parameters::entries) expected = learn::slots_of(factor).entries;
  if (parts != nullptr) expected = parts->own_scores().size();
  if (scores.size() != expected) {
    base::input_error("with_scores", "factor " + std::to_string(number) + ": " + std::to_string(scores.size()) +
                                         " scores, expected " + std::to_string(expected));
  }
  for (const double score : scores) base::check_score("with_scores", "factors", score);
  if (parameters == Parameters::entries) return std::make_shared<factor::TableFactor>(learn::slots_of(factor), scores);
  const bool is_hard = std::find(scores.begin(), scores.end(), -HUGE_VAL) != scores.end();
  if (is_hard && parameters == Parameters::pair) base::input_error("with_scores", "factors: -inf for a pair");
  if (parts != nullptr) return parts->with_own_scores(scores);
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
    } else if (parameters == Parameters::parts) {
      scores = dynamic_cast<const factor::PartsFactor&>(graph.factor(f)).own_scores();
    } else {
      learn::for_each_entry(graph.factor(f), [&](std::size_t, Configuration, double s) { scores.push_back(s); });
    }
  }
  return result;
}

FactorGraph with_scores(const FactorGraph& graph, const GraphScores& scores) {
  if (static_cast<int>(scores.variables.size()) != graph.variables() ||
      (!scores.factors.empty() && static_cast<int>(scores.factors.size()) != graph.factors())) {
    base::input_error("with_scores", "scores: not those of a graph of this shape");
  }
  FactorGraph result = graph;
  for (int i = 0; i < graph.variables(); ++i) result.set_score({i}, scores.variables[static_cast<std::size_t>(i)]);
  for (std::size_t f = 0; f < scores.factors.size(); ++f) {
    if (scores.factors[f].empty()) continue;
    const auto index = static_cast<int>(f);
    result.set_factor(index, with_parameters(graph.factor(index), scores.factors[f], index));
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
  const auto original = std::make_shared<const FactorGraph>(graph);  // which factors that are multiplied live in
  for (int f = 0; f < graph.factors(); ++f) {
    const SharedFactor own(original, &original->factor(f));
    const SharedFactor tempered = factor::scaled(own, beta);
    if (!tempered) {
      base::input_error("structured_loss", "beta: factor " + std::to_string(f) + " (" + std::string(own->name()) +
                                               ") has more than " + std::to_string(Factor::kEnumerable) +
                                               " inputs and cannot be tempered; take 1 or inf");
    }
    if (tempered != own) result.set_factor(f, tempered);
  }
  return result;
}

}  // namespace kirchhoff
