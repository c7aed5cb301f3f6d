// Makes a factor graph of the fields of a line: looks up the types of its factors, and checks that fields fit together.
#include "json/factor_line.hpp"

#include "json/factor_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace kirchhoff::cli {
namespace {

[[noreturn]] void fail_at(const std::string& where, const std::string& problem) {
  throw ReadError(fmt::format("{}: {}", where, problem));
}

/// A factor, where it stands, and the graph it comes into.
struct FactorPlan {
  const FactorFields& fields;
  std::string where;
  FactorGraph& graph;

  std::string place(std::string_view name) const { return fmt::format("{}.{}", where, name); }

  Literal variable(int index, std::string_view list, std::size_t i) const {
    if (index >= graph.variables()) {
      fail_at(fmt::format("{}[{}]", place(list), i),
              fmt::format("variable {} is not among {}", index, graph.variables()));
    }
    return Variable{index};
  }

  Literals list(const std::vector<int>& variables, std::string_view name) const {
    Literals out;
    for (std::size_t i = 0; i < variables.size(); ++i) out.push_back(variable(variables[i], name, i));
    return out;
  }

  /// The variables, of which those are negated that "negate" says.
  Literals literals() const {
    Literals out = list(fields.vars, "vars");
    if ((fields.given & negate_field) == 0) return out;
    if (fields.negate.size() != out.size()) {
      fail_at(place("negate"), fmt::format("{} flags for {} variables", fields.negate.size(), out.size()));
    }
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (fields.negate[i]) out[i] = !out[i];
    }
    return out;
  }

  std::vector<Literals> groups() const {
    std::vector<Literals> out;
    for (std::size_t g = 0; g < fields.groups.size(); ++g) {
      out.push_back(list(fields.groups[g], fmt::format("groups[{}]", g)));
    }
    return out;
  }

  std::vector<LiteralOfBoth> both() const {
    std::vector<LiteralOfBoth> out;
    for (const auto& [node, index] : fields.both) out.push_back({node, variable(index, "both", out.size())});
    return out;
  }

  /// The budget of a factor that counts.
  int whole_budget() const {
    if (fields.budget != std::floor(fields.budget)) {
      fail_at(place("budget"), fmt::format("{} is not a whole number", fields.budget));
    }
    return static_cast<int>(std::min(fields.budget, static_cast<double>(std::numeric_limits<int>::max())));
  }

  std::array<Literal, 2> two_literals() const {
    const Literals both = literals();
    if (both.size() != 2) fail_at(place("vars"), fmt::format("{} variables, expected 2", both.size()));
    return {both[0], both[1]};
  }
};

/// Adds a factor whose last variable is the output, or the conclusion.
void add_with_output(const FactorPlan& plan, int (FactorGraph::*add)(const Literals& literals, Literal output)) {
  Literals literals = plan.literals();
  if (literals.size() < 2) fail_at(plan.place("vars"), "an input and the output are needed");
  const Literal output = literals.back();
  literals.pop_back();
  (plan.graph.*add)(literals, output);
}

void add_rooted_tree(const FactorPlan& plan) {
  const FactorFields& f = plan.fields;
  plan.graph.add_rooted_tree({.groups = plan.groups(),
                              .parents = f.parents,
                              .transitions = f.log_potentials,
                              .counted = f.counted,
                              .count_scores = f.count_scores,
                              .subtree_counts = f.subtree_counts,
                              .both = plan.both()});
}

void add_compression(const FactorPlan& plan) {
  const FactorFields& f = plan.fields;
  plan.graph.add_compression(plan.literals(), plan.whole_budget(), f.counted, f.log_potentials, plan.both());
}

void add_head(const FactorPlan& plan) {
  const FactorFields& f = plan.fields;
  plan.graph.add_head({plan.list(f.heads, "heads"), plan.list(f.left, "left"), plan.list(f.right, "right"),
                       f.left_siblings, f.right_siblings, f.grandparents});
}

void add_pair(const FactorPlan& plan) {
  const auto [first, second] = plan.two_literals();
  plan.graph.add_pair(first, second, plan.fields.score);
}

void add_tree(const FactorPlan& plan) {
  const std::optional<Root> root = parse_name<Root>(plan.fields.root);
  if (!root) fail_at(plan.place("root"), fmt::format("expected one of the strings {}", all_names<Root>()));
  std::vector<TreeArc> arcs;
  for (const auto& [head, dependent, variable] : plan.fields.arcs) {
    arcs.push_back({Arc{head, dependent}, plan.variable(variable, "arcs", arcs.size())});
  }
  plan.graph.add_tree(plan.fields.n, arcs, *root);
}

/// A type of factor with the fields it needs and those it may have; those that need "vars" may also have "negate".
struct FactorType {
  std::string_view name;
  unsigned needs;
  void (*add)(const FactorPlan& plan);
  unsigned may_have = 0;

  unsigned takes() const { return needs | may_have | ((needs & vars_field) != 0 ? negate_field : 0U); }
};
constexpr std::array kTypes = {
    FactorType{"xor", vars_field, [](const FactorPlan& p) { p.graph.add_xor(p.literals()); }},
    FactorType{"or", vars_field, [](const FactorPlan& p) { p.graph.add_or(p.literals()); }},
    FactorType{"nand", vars_field, [](const FactorPlan& p) { p.graph.add_nand(p.literals()); }},
    FactorType{"at_most_one", vars_field, [](const FactorPlan& p) { p.graph.add_at_most_one(p.literals()); }},
    FactorType{"imply", vars_field, [](const FactorPlan& p) { add_with_output(p, &FactorGraph::add_imply); }},
    FactorType{"budget", vars_field | budget_field,
               [](const FactorPlan& p) { p.graph.add_budget(p.literals(), p.whole_budget()); }},
    FactorType{"knapsack", vars_field | weights_field | budget_field,
               [](const FactorPlan& p) { p.graph.add_knapsack(p.literals(), p.fields.weights, p.fields.budget); }},
    FactorType{"and_out", vars_field, [](const FactorPlan& p) { add_with_output(p, &FactorGraph::add_and_out); }},
    FactorType{"or_out", vars_field, [](const FactorPlan& p) { add_with_output(p, &FactorGraph::add_or_out); }},
    FactorType{"xor_out", vars_field, [](const FactorPlan& p) { add_with_output(p, &FactorGraph::add_xor_out); }},
    FactorType{"pair", vars_field | score_field, add_pair},
    FactorType{"table", vars_field | log_potentials_field,
               [](const FactorPlan& p) { p.graph.add_table(p.literals(), p.fields.log_potentials); }},
    FactorType{"sequence", groups_field | log_potentials_field,
               [](const FactorPlan& p) { p.graph.add_sequence(p.groups(), p.fields.log_potentials); }},
    FactorType{"rooted_tree", groups_field | parents_field, add_rooted_tree,
               log_potentials_field | counted_field | count_scores_field | subtree_counts_field | both_field},
    FactorType{"compression", vars_field | budget_field, add_compression,
               log_potentials_field | counted_field | both_field},
    FactorType{"tree", n_field | root_field | arcs_field, add_tree},
    FactorType{
        "head", 0, add_head,
        heads_field | left_field | right_field | left_siblings_field | right_siblings_field | grandparents_field},
};

const FactorType& type_of(const FactorPlan& plan) {
  if (!plan.fields.type) fail_at(plan.where, "'type' is missing");
  std::vector<std::string_view> known;
  for (const FactorType& type : kTypes) {
    if (type.name == *plan.fields.type) return type;
    known.push_back(type.name);
  }
  fail_at(plan.place("type"),
          fmt::format("unknown factor '{}'; known are {}", shown(*plan.fields.type), fmt::join(known, ", ")));
}

/// A field that the type does not take is a mistake, even where notes are allowed.
void check_fields(const FactorPlan& plan, const FactorType& type) {
  std::vector<std::string_view> takes;
  for (std::size_t i = 0; i < kFactorFieldNames.size(); ++i) {
    if ((type.takes() >> i & 1U) != 0) takes.push_back(kFactorFieldNames[i]);
  }
  for (std::size_t i = 0; i < kFactorFieldNames.size(); ++i) {
    const bool given = (plan.fields.given >> i & 1U) != 0;
    if (given && (type.takes() >> i & 1U) == 0) {
      fail_at(plan.place(kFactorFieldNames[i]),
              fmt::format("a factor of type {} has only {}", type.name, fmt::join(takes, ", ")));
    }
    if (!given && (type.needs >> i & 1U) != 0) {
      fail_at(plan.where, fmt::format("'{}' is missing", kFactorFieldNames[i]));
    }
  }
}

/// Adds the factor. The library's messages begin with the name of an argument; some fields have another one.
void add_factor(const FactorPlan& plan, const FactorType& type) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kFieldsOfArguments = {
      {{"transitions:", "log_potentials:"}, {"capacity:", "budget:"}}};
  try {
    type.add(plan);
  } catch (const InputError& e) {
    std::string problem = without_function(e.what());
    for (const auto& [argument, field] : kFieldsOfArguments) {
      if (problem.starts_with(argument)) problem.replace(0, argument.size(), field);
    }
    fail_at(plan.where, problem);
  }
}

template <class Enum>
Enum named_in(const std::string& field, const std::optional<std::string>& text, std::optional<Enum> otherwise) {
  if (!text && otherwise) return *otherwise;
  if (!text) fail_at(field, "missing");
  const std::optional<Enum> value = parse_name<Enum>(*text);
  if (!value) fail_at(field, fmt::format("expected one of the strings {}", all_names<Enum>()));
  return *value;
}

void check_arc(std::string_view field, std::size_t index, Arc arc, int words) {
  const bool exists = arc.head <= words && arc.dependent <= words && arc.dependent != 0 && arc.head != arc.dependent;
  if (exists) return;
  fail_at(fmt::format("{}[{}]", field, index),
          fmt::format("there is no arc from {} to {} among {} words", arc.head, arc.dependent, words));
}

void check_pairs(std::string_view field, const std::vector<ArcPair>& pairs, int words) {
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    check_arc(field, i, pairs[i].first, words);
    check_arc(field, i, pairs[i].second, words);
  }
}

DependencyGraph dependency_graph_of(const DependencyFields& fields) {
  if (!fields.arcs) fail_at(std::string(fields.first), "goes with 'arcs', which is missing");
  if (fields.arcs->labels > 0) fail_at("arcs", "has labels; a dependency graph has none");
  if (fields.arcs->nodes < 2) fail_at("arcs", "1x1 holds the root only; at least one word is needed");
  const int words = fields.arcs->nodes - 1;
  check_pairs("pairs", fields.pairs, words);
  check_pairs("consecutive_siblings", fields.consecutive_siblings, words);
  for (std::size_t i = 0; i < fields.non_projective.size(); ++i) {
    check_arc("non_projective", i, fields.non_projective[i].arc, words);
  }
  const DependencyModel model{.scores = Eigen::Map<const Matrix>(fields.arcs->values.data(), words + 1, words + 1),
                              .root = named_in<Root>("root", fields.root, {}),
                              .pairs = fields.pairs,
                              .consecutive_siblings = fields.consecutive_siblings,
                              .non_projective = fields.non_projective,
                              .form = named_in<TreeForm>("form", fields.form, TreeForm::factor)};
  return in_field("arcs", [&] { return dependency_graph(model); });
}

}  // namespace

FactorLine read_factor_graph(std::string_view line, UnknownFields unknown) {
  const FactorGraphFields fields = read_factor_fields(line, unknown);
  FactorLine result;
  result.id = fields.id;
  if (!fields.dependency.first.empty()) {
    if (fields.scores) fail_at("scores", fmt::format("given beside '{}'", fields.dependency.first));
    DependencyGraph trees = dependency_graph_of(fields.dependency);
    result.graph = std::move(trees.graph);
    result.words = trees.words;
    result.arcs = std::move(trees.arcs);
  } else {
    if (!fields.scores) fail_at("scores", "missing");
    for (const double score : *fields.scores) {
      in_field("scores", [&] { result.graph.add_variable(score); });
    }
  }
  for (std::size_t i = 0; i < fields.factors.size(); ++i) {
    const FactorPlan plan{fields.factors[i], fmt::format("factors[{}]", i), result.graph};
    const FactorType& type = type_of(plan);
    check_fields(plan, type);
    add_factor(plan, type);
  }
  return result;
}

}  // namespace kirchhoff::cli
