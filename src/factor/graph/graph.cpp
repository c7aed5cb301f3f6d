// Building a factor graph: every argument is checked here, once.
#include "base/check.hpp"
#include "factor/factors/factors.hpp"
#include "factor/graph/incidence.hpp"

#include <string>

namespace kirchhoff {
namespace {

constexpr std::size_t kMostEntries = std::size_t{1} << 16;

using factor::OneFactor;

Literals with(Literals literals, Literal last) {
  literals.push_back(last);
  return literals;
}

template <class F, class... Arguments>
std::shared_ptr<const Factor> make(const Literals& literals, Arguments... arguments) {
  return std::make_shared<F>(static_cast<int>(literals.size()), arguments...);
}

}  // namespace

Variable FactorGraph::add_variable(double score) {
  base::check_score("add_variable", "score", score);
  scores_.push_back(score);
  values_of_.push_back(-1);
  return {variables() - 1};
}

std::vector<Variable> FactorGraph::add_values(const std::vector<double>& scores) {
  for (const double score : scores) base::check_score("add_values", "scores", score);
  if (scores.empty()) base::input_error("add_values", "scores: empty");
  std::vector<Variable> values;
  values.reserve(scores.size());
  for (const double score : scores) values.push_back(add_variable(score));
  const int f = add_xor({values.begin(), values.end()});
  for (const Variable v : values) values_of_[v.index] = f;
  std::fill(value_edge_.begin() + first_edge(f), value_edge_.end(), char{1});
  return values;
}

int FactorGraph::add_factor(std::shared_ptr<const Factor> factor, const Literals& literals) {
  if (!factor) base::input_error("add_factor", "factor: none given");
  if (factor->arity() != static_cast<int>(literals.size())) {
    base::input_error("add_factor", "literals: " + std::to_string(literals.size()) + ", the factor has " +
                                        std::to_string(factor->arity()) + " inputs");
  }
  std::vector<int> seen;
  for (const Literal& literal : literals) {
    if (literal.variable < 0 || literal.variable >= variables()) {
      base::input_error("add_factor", "variable " + std::to_string(literal.variable) + " is not among " +
                                          std::to_string(variables()));
    }
    seen.push_back(literal.variable);
  }
  std::sort(seen.begin(), seen.end());
  const auto twice = std::adjacent_find(seen.begin(), seen.end());
  if (twice != seen.end()) base::input_error("add_factor", "variable " + std::to_string(*twice) + " comes twice");
  factors_.push_back(std::move(factor));
  edges_.insert(edges_.end(), literals.begin(), literals.end());
  first_edge_.push_back(edges());
  value_edge_.resize(edges_.size(), 0);
  return factors() - 1;
}

int FactorGraph::add_xor(const Literals& literals) {
  return add_factor(make<OneFactor>(literals, OneFactor::Count::exactly), literals);
}

int FactorGraph::add_at_most_one(const Literals& literals) {
  return add_factor(make<OneFactor>(literals, OneFactor::Count::at_most), literals);
}

int FactorGraph::add_or(const Literals& literals) { return add_factor(make<factor::OrFactor>(literals), literals); }

int FactorGraph::add_nand(const Literals& literals) {
  Literals negated;
  for (const Literal literal : literals) negated.push_back(!literal);
  return add_or(negated);
}

int FactorGraph::add_imply(Literal a, Literal b) { return add_or({!a, b}); }

int FactorGraph::add_budget(const Literals& literals, int budget) {
  return add_factor(make<factor::BudgetFactor>(literals, budget), literals);
}

int FactorGraph::add_or_out(const Literals& literals, Literal output) {
  const Literals all = with(literals, output);
  return add_factor(make<factor::OrOutFactor>(all), all);
}

int FactorGraph::add_xor_out(const Literals& literals, Literal output) { return add_xor(with(literals, !output)); }

int FactorGraph::add_pair(Literal a, Literal b, double score) {
  if (score == -HUGE_VAL) base::input_error("add_pair", "score: -inf; add_nand forbids a pair");
  base::check_score("add_pair", "score", score);
  return add_factor(std::make_shared<factor::PairFactor>(score), {a, b});
}

int FactorGraph::add_table(const Literals& literals, const std::vector<double>& log_potentials) {
  std::vector<Literals> groups;
  for (const Literal literal : literals) groups.push_back({literal});
  return add_table(groups, log_potentials);
}

int FactorGraph::add_table(const std::vector<Literals>& groups, const std::vector<double>& log_potentials) {
  std::vector<int> sizes;
  Literals literals;
  std::size_t entries = 1;
  for (const Literals& group : groups) {
    if (group.empty()) base::input_error("add_table", "groups: an empty one");
    sizes.push_back(static_cast<int>(group.size()));
    literals.insert(literals.end(), group.begin(), group.end());
    entries *= std::max<std::size_t>(group.size(), 2);
    if (entries > kMostEntries) base::input_error("add_table", "log_potentials: more than 65536 entries");
  }
  if (log_potentials.size() != entries) {
    base::input_error("add_table", "log_potentials: " + std::to_string(log_potentials.size()) + " entries, expected " +
                                       std::to_string(entries));
  }
  for (const double score : log_potentials) base::check_score("add_table", "log_potentials", score);
  const int f = add_factor(std::make_shared<factor::TableFactor>(factor::Slots(sizes), log_potentials), literals);
  int e = first_edge(f);
  for (const Literals& group : groups) {
    const int values = values_of_[group[0].variable];
    const bool whole = group.size() > 1 && values >= 0 && factor(values).arity() == static_cast<int>(group.size()) &&
                       std::all_of(group.begin(), group.end(), [&](const Literal& literal) {
                         return !literal.negated && values_of_[literal.variable] == values;
                       });
    for (std::size_t k = 0; k < group.size(); ++k) value_edge_[e++] = whole ? 1 : 0;
  }
  return f;
}

int FactorGraph::add_tree(int words, const std::vector<TreeArc>& arcs, Root root) {
  if (words < 1) base::input_error("add_tree", "words: at least 1 is needed");
  if (arcs.empty()) base::input_error("add_tree", "arcs: none given");
  std::vector<Arc> bare;
  Literals literals;
  for (const TreeArc& arc : arcs) {
    bare.push_back(arc.arc);
    literals.push_back(arc.literal);
  }
  return add_factor(std::make_shared<factor::TreeFactor>(words, std::move(bare), root), literals);
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
