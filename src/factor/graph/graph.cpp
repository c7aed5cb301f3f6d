// Building a factor graph: every argument is checked here, once.
#include "base/check.hpp"
#include "factor/factors/factors.hpp"
#include "factor/factors/knapsack.hpp"
#include "factor/factors/real_knapsack.hpp"
#include "factor/factors/sequence.hpp"
#include "factor/graph/incidence.hpp"

#include <string>
#include <utility>

namespace kirchhoff {
namespace {

constexpr std::size_t kMaxEntries = std::size_t{1} << 16;

using factor::OneFactor;

Literals with(Literals literals, Literal last) {
  literals.push_back(last);
  return literals;
}

template <class F, class... Arguments>
std::shared_ptr<const Factor> make(const Literals& literals, Arguments... arguments) {
  return std::make_shared<F>(static_cast<int>(literals.size()), arguments...);
}

Literals negated(const Literals& literals) {
  Literals result;
  for (const Literal literal : literals) result.push_back(!literal);
  return result;
}

void check_pair_score(const char* function, double score) {
  if (score == -HUGE_VAL) base::input_error(function, "score: -inf; add_nand forbids a pair");
  base::check_score(function, "score", score);
}

void check_scores(const char* function, const char* argument, std::size_t expected, const std::vector<double>& scores) {
  if (scores.size() != expected) {
    base::input_error(function, std::string(argument) + ": " + std::to_string(scores.size()) + " entries, expected " +
                                    std::to_string(expected));
  }
  for (const double score : scores) base::check_score(function, argument, score);
}

/// Of a knapsack.
void check_size(const char* argument, double size) {
  base::check_score("add_knapsack", argument, size);
  if (size < 0.0) base::input_error("add_knapsack", std::string(argument) + ": a negative number");
}

/// The inputs of groups of literals, one group after the other.
struct Grouped {
  std::vector<int> sizes;
  Literals literals;
  Grouped(const char* function, const std::vector<Literals>& groups) {
    for (const Literals& group : groups) {
      if (group.empty()) base::input_error(function, "groups: an empty one");
      sizes.push_back(static_cast<int>(group.size()));
      literals.insert(literals.end(), group.begin(), group.end());
    }
  }
};

}  // namespace

Variable FactorGraph::add_variable(double score) {
  base::check_score("add_variable", "score", score);
  scores_.push_back(score);
  values_of_.emplace_back(variables() - 1, variables());
  is_multi_valued_.push_back(0);
  last_use_.push_back(0);
  return {variables() - 1};
}

Variable FactorGraph::add_multi_valued(std::span<const double> scores) {
  for (const double score : scores) base::check_score("add_values", "scores", score);
  if (scores.empty()) base::input_error("add_values", "scores: empty");
  const int first = variables();
  const int end = first + static_cast<int>(scores.size());
  scores_.insert(scores_.end(), scores.begin(), scores.end());
  values_of_.resize(scores_.size(), {first, end});
  is_multi_valued_.resize(scores_.size(), 1);
  last_use_.resize(scores_.size(), 0);
  return {first};
}

std::vector<Variable> FactorGraph::add_values(const std::vector<double>& scores) {
  std::vector<Variable> values;
  values.reserve(scores.size());
  for (int i = add_multi_valued(scores).index; i < variables(); ++i) values.push_back({i});
  add_xor({values.begin(), values.end()});
  return values;
}

int FactorGraph::add_factor(std::shared_ptr<const Factor> factor, const Literals& literals) {
  if (!factor) base::input_error("add_factor", "factor: none given");
  if (factor->arity() != static_cast<int>(literals.size())) {
    base::input_error("add_factor", "literals: " + std::to_string(literals.size()) + ", the factor has " +
                                        std::to_string(factor->arity()) + " inputs");
  }
  ++uses_;
  for (const Literal& literal : literals) {
    if (literal.variable < 0 || literal.variable >= variables()) {
      base::input_error("add_factor", "variable " + std::to_string(literal.variable) + " is not among " +
                                          std::to_string(variables()));
    }
    if (std::exchange(last_use_[literal.variable], uses_) == uses_) {
      base::input_error("add_factor", "variable " + std::to_string(literal.variable) + " comes twice");
    }
  }
  factors_.push_back(std::move(factor));
  edges_.insert(edges_.end(), literals.begin(), literals.end());
  first_edge_.push_back(edges());
  whole_edge_.resize(edges_.size(), 0);
  is_turned_.resize(edges_.size(), 0);
  mark_whole_edges(factors() - 1);
  return factors() - 1;
}

void FactorGraph::mark_whole_edges(int f) {
  const Factor::OneHot groups = factor(f).one_hot();
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const auto input = [&](int k) -> const Literal& { return edges_[first_edge(f) + k]; };
    const int first = input(groups[g][0]).variable;
    const bool whole = is_multi_valued_[first] != 0 &&
                       values_of_[first].second - values_of_[first].first == static_cast<int>(groups[g].size()) &&
                       std::all_of(groups[g].begin(), groups[g].end(), [&](int k) {
                         return !input(k).negated && values_of_[input(k).variable] == values_of_[first];
                       });
    if (!whole) continue;
    for (const int k : groups[g]) whole_edge_[first_edge(f) + k] = 1;
  }
}

int FactorGraph::add_xor(const Literals& literals) {
  return add_factor(make<OneFactor>(literals, OneFactor::Count::exactly), literals);
}

int FactorGraph::add_at_most_one(const Literals& literals) {
  return add_factor(make<OneFactor>(literals, OneFactor::Count::at_most), literals);
}

int FactorGraph::add_or(const Literals& literals) { return add_factor(make<factor::OrFactor>(literals), literals); }

/// Remembers that these inputs of a factor are the opposites of the literals that were given. Returns the factor.
int FactorGraph::turn(int factor, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) is_turned_[static_cast<std::size_t>(first_edge(factor)) + i] = 1;
  return factor;
}

int FactorGraph::add_nand(const Literals& literals) { return turn(add_or(negated(literals)), 0, literals.size()); }

int FactorGraph::add_imply(Literal a, Literal b) { return add_imply(Literals{a}, b); }

int FactorGraph::add_imply(const Literals& all, Literal b) {
  return turn(add_or(with(negated(all), b)), 0, all.size());
}

int FactorGraph::add_knapsack(const Literals& literals, const std::vector<double>& weights, double capacity) {
  if (weights.size() != literals.size()) {
    base::input_error("add_knapsack", "weights: " + std::to_string(weights.size()) + " for " +
                                          std::to_string(literals.size()) + " literals");
  }
  for (const double w : weights) check_size("weights", w);
  check_size("capacity", capacity);
  if (const auto whole = factor::KnapsackFactor::of(weights, capacity)) return add_factor(whole, literals);
  return add_factor(std::make_shared<factor::RealKnapsackFactor>(weights, capacity), literals);
}

int FactorGraph::add_budget(const Literals& literals, int budget) {
  return add_factor(make<factor::BudgetFactor>(literals, budget), literals);
}

int FactorGraph::add_or_out(const Literals& literals, Literal output) {
  const Literals all = with(literals, output);
  return add_factor(make<factor::OrOutFactor>(all), all);
}

int FactorGraph::add_and_out(const Literals& literals, Literal output) {
  return turn(add_or_out(negated(literals), !output), 0, literals.size() + 1);
}

int FactorGraph::add_xor_out(const Literals& literals, Literal output) {
  return turn(add_xor(with(literals, !output)), literals.size(), literals.size() + 1);
}

int FactorGraph::add_pair(Literal a, Literal b, double score) {
  check_pair_score("add_pair", score);
  return add_factor(std::make_shared<factor::PairFactor>(score), {a, b});
}

int FactorGraph::add_table(const Literals& literals, const std::vector<double>& log_potentials) {
  std::vector<Literals> groups;
  for (const Literal literal : literals) groups.push_back({literal});
  return add_table(groups, log_potentials);
}

int FactorGraph::add_table(const std::vector<Literals>& groups, const std::vector<double>& log_potentials) {
  const Grouped grouped("add_table", groups);
  std::size_t entries = 1;
  for (const int size : grouped.sizes) {
    entries *= static_cast<std::size_t>(std::max(size, 2));
    if (entries > kMaxEntries) base::input_error("add_table", "log_potentials: more than 65536 entries");
  }
  check_scores("add_table", "log_potentials", entries, log_potentials);
  return add_factor(std::make_shared<factor::TableFactor>(factor::Slots(grouped.sizes), log_potentials),
                    grouped.literals);
}

int FactorGraph::add_sequence(const std::vector<Literals>& groups, const std::vector<double>& transitions) {
  const Grouped grouped("add_sequence", groups);
  if (groups.empty()) base::input_error("add_sequence", "groups: none given");
  const factor::Slots slots(grouped.sizes);
  check_scores("add_sequence", "transitions", factor::SequenceFactor::size(slots), transitions);
  return add_factor(std::make_shared<factor::SequenceFactor>(slots, transitions), grouped.literals);
}

void FactorGraph::set_score(Variable v, double score) {
  if (v.index < 0 || v.index >= variables()) {
    base::input_error("set_score",
                      "variable " + std::to_string(v.index) + " is not among " + std::to_string(variables()));
  }
  base::check_score("set_score", "score", score);
  scores_[v.index] = score;
}

void FactorGraph::set_pair_score(int factor, double score) {
  if (factor < 0 || factor >= factors() || dynamic_cast<const factor::PairFactor*>(factors_[factor].get()) == nullptr) {
    base::input_error("set_pair_score", "factor " + std::to_string(factor) + " is not a pair of this graph");
  }
  check_pair_score("set_pair_score", score);
  factors_[factor] = std::make_shared<factor::PairFactor>(score);
}

void FactorGraph::set_table_scores(int factor, const std::vector<double>& log_potentials) {
  const auto* table =
      factor < 0 || factor >= factors() ? nullptr : dynamic_cast<const factor::TableFactor*>(factors_[factor].get());
  if (table == nullptr) {
    base::input_error("set_table_scores", "factor " + std::to_string(factor) + " is not a table of this graph");
  }
  check_scores("set_table_scores", "log_potentials", table->slots().entries, log_potentials);
  factors_[factor] = std::make_shared<factor::TableFactor>(table->slots(), log_potentials);
}

void FactorGraph::set_factor(int index, std::shared_ptr<const Factor> factor) {
  if (index < 0 || index >= factors()) {
    base::input_error("set_factor", "factor " + std::to_string(index) + " is not among " + std::to_string(factors()));
  }
  if (!factor || factor->arity() != factors_[index]->arity()) {
    base::input_error("set_factor",
                      "factor: none given, or not of " + std::to_string(factors_[index]->arity()) + " inputs");
  }
  factors_[index] = std::move(factor);
  std::fill(whole_edge_.begin() + first_edge(index), whole_edge_.begin() + first_edge(index + 1), char{0});
  mark_whole_edges(index);
}

double score(const FactorGraph& graph, const Assignment& assignment) {
  if (static_cast<int>(assignment.size()) != graph.variables()) {
    base::input_error("score", "assignment: " + std::to_string(assignment.size()) + " values for " +
                                   std::to_string(graph.variables()) + " variables");
  }
  double sum = 0.0;
  for (int i = 0; i < graph.variables(); ++i) {
    if (assignment[i]) sum += graph.scores()[i];
  }
  thread_local std::vector<std::uint8_t> y;
  for (int f = 0; f < graph.factors() && sum != -HUGE_VAL; ++f) {
    factor::gather(graph, f, assignment, y);
    sum += graph.factor(f).score(y);
  }
  return sum;
}

}  // namespace kirchhoff
