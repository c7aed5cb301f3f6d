// Binds kirchhoff/factor_graph.hpp, solve.hpp and dependency_graph.hpp: factor graphs and their solvers.
#include "arrays.hpp"
#include "names.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <kirchhoff/dependency_graph.hpp>
#include <kirchhoff/solve.hpp>

namespace kirchhoff::python {
namespace {

using Indices = std::vector<int>;
using TreeArcs = std::vector<std::tuple<int, int, int>>;  // head, dependent, literal
using NodeLiterals = std::vector<std::tuple<int, int>>;
using NodeScores = std::vector<std::tuple<int, std::vector<double>>>;

/// v is a variable and ~v its negation.
Literal literal_of(int v) { return v >= 0 ? Literal(Variable{v}) : !Literal(Variable{~v}); }

Literals literals_of(const Indices& all) {
  Literals out;
  for (const int v : all) out.push_back(literal_of(v));
  return out;
}

std::vector<Literals> groups_of(const std::vector<Indices>& groups) {
  std::vector<Literals> out;
  for (const Indices& group : groups) out.push_back(literals_of(group));
  return out;
}

std::vector<TreeArc> arcs_of(const TreeArcs& arcs) {
  std::vector<TreeArc> out;
  for (const auto& [head, dependent, literal] : arcs) out.push_back({{head, dependent}, literal_of(literal)});
  return out;
}

std::vector<SubtreeCounts> subtrees_of(const NodeScores& all) {
  std::vector<SubtreeCounts> subtrees;
  for (const auto& [node, scores] : all) subtrees.push_back({node, scores});
  return subtrees;
}

std::vector<LiteralOfBoth> both_of(const NodeLiterals& all) {
  std::vector<LiteralOfBoth> out;
  for (const auto& [node, literal] : all) out.push_back({node, literal_of(literal)});
  return out;
}

template <class T, class U>
NumpyArray<T> copied(const std::vector<U>& values) {
  NewArray<T> out({values.size()}, T{});
  std::copy(values.begin(), values.end(), out.data);
  return out.array;
}

/// Arcs (head, dependent) are the rows; the arcs of a pair follow each other.
using ArcTable = nb::ndarray<const std::int64_t, nb::ndim<2>, nb::device::cpu, nb::c_contig>;

Arc arc_at(const ArcTable& arcs, std::size_t row) {
  return {int_of(arcs(row, 0), "head"), int_of(arcs(row, 1), "dependent")};
}

std::vector<ArcPair> pairs_of(const ArcTable& arcs, const std::vector<double>& scores) {
  std::vector<ArcPair> out;
  for (std::size_t k = 0; k < scores.size(); ++k) {
    out.push_back({arc_at(arcs, 2 * k), arc_at(arcs, 2 * k + 1), scores[k]});
  }
  return out;
}

Matrix matrix_of(const Doubles& values) {
  Matrix out(static_cast<Eigen::Index>(values.shape(0)), static_cast<Eigen::Index>(values.shape(1)));
  for (Eigen::Index i = 0; i < out.rows(); ++i) {
    for (Eigen::Index j = 0; j < out.cols(); ++j) {
      out(i, j) = values.data()[i * values.stride(0) + j * values.stride(1)];
    }
  }
  return out;
}

/// Makes this graph the one of a dependency model. Returns the arcs with their variables, and the factors of the pairs,
/// -1 for a pair that was left out.
auto set_dependency_graph(FactorGraph& g, const Doubles& scores, std::string_view root, const ArcTable& pair_arcs,
                          const std::vector<double>& pair_scores, const ArcTable& sibling_arcs,
                          const std::vector<double>& sibling_scores, const ArcTable& crossing_arcs,
                          const std::vector<double>& crossing_scores, std::string_view form) {
  DependencyModel model{.scores = matrix_of(scores),
                        .root = named<Root>(root, "root"),
                        .pairs = pairs_of(pair_arcs, pair_scores),
                        .consecutive_siblings = pairs_of(sibling_arcs, sibling_scores),
                        .non_projective = {},
                        .form = named<TreeForm>(form, "form")};
  for (std::size_t k = 0; k < crossing_scores.size(); ++k) {
    model.non_projective.push_back({arc_at(crossing_arcs, k), crossing_scores[k]});
  }
  DependencyGraph built = unlocked([&] { return dependency_graph(model); });
  TreeArcs arcs;
  for (const TreeArc& arc : built.arcs) arcs.emplace_back(arc.arc.head, arc.arc.dependent, arc.literal.variable);
  g = std::move(built.graph);
  std::vector<int> factors;
  int next = 0;
  for (const ArcPair& pair : model.pairs) {
    const auto is_there = [&](Arc arc) { return model.scores(arc.head, arc.dependent) != -HUGE_VAL; };
    if (!is_there(pair.first) || !is_there(pair.second)) {
      factors.push_back(-1);
      continue;
    }
    while (g.factor(next).name() != "pair") ++next;
    factors.push_back(next++);
  }
  return std::tuple(arcs, factors);
}

NumpyArray<std::int64_t> array_of_pairs(const std::vector<ArcPair>& pairs) {
  NewArray<std::int64_t> out({pairs.size(), 2, 2});
  std::int64_t* at = out.data;
  for (const ArcPair& pair : pairs) {
    for (const Arc arc : {pair.first, pair.second}) {
      *at++ = arc.head;
      *at++ = arc.dependent;
    }
  }
  return out.array;
}

auto tuple_of(const MapResult& r) {
  return std::tuple(to_string(r.status), r.iterations, r.residual, r.bound, copied<double>(r.point), r.integral,
                    copied<std::int8_t>(r.assignment), r.value, copied<double>(r.duals));
}

/// The mixture of a factor: mean, score, weights, and the configurations, one after the other.
auto posterior(const FactorGraph& g, const std::vector<double>& point, const std::vector<double>& duals, int f) {
  MapResult r;
  r.point = point;
  r.duals = duals;
  const FactorPosterior own = factor_posterior(g, r, f);
  const std::size_t inputs = own.inputs.size();
  NewArray<std::int8_t> configurations({own.weights.size(), inputs}, 0);
  for (std::size_t k = 0; k < own.weights.size(); ++k) {
    std::copy(own.configurations[k].begin(), own.configurations[k].end(), configurations.data + k * inputs);
  }
  return std::tuple(copied<double>(own.inputs), own.score, copied<double>(own.weights), configurations.array);
}

void bind_building(nb::class_<FactorGraph>& c) {
  using G = FactorGraph;
  c.def(nb::init<>());
  c.def("add_variable", [](G& g, double score) { return g.add_variable(score).index; });
  c.def("add_values", [](G& g, const std::vector<double>& scores) {
    Indices out;
    for (const Variable v : g.add_values(scores)) out.push_back(v.index);
    return out;
  });
  c.def("add_xor", [](G& g, const Indices& all) { return g.add_xor(literals_of(all)); });
  c.def("add_or", [](G& g, const Indices& all) { return g.add_or(literals_of(all)); });
  c.def("add_nand", [](G& g, const Indices& all) { return g.add_nand(literals_of(all)); });
  c.def("add_at_most_one", [](G& g, const Indices& all) { return g.add_at_most_one(literals_of(all)); });
  c.def("add_imply", [](G& g, const Indices& all, int b) { return g.add_imply(literals_of(all), literal_of(b)); });
  c.def("add_budget", [](G& g, const Indices& all, int most) { return g.add_budget(literals_of(all), most); });
  c.def("add_knapsack", [](G& g, const Indices& all, const std::vector<double>& weights, double capacity) {
    return g.add_knapsack(literals_of(all), weights, capacity);
  });
  c.def("add_and_out",
        [](G& g, const Indices& all, int out) { return g.add_and_out(literals_of(all), literal_of(out)); });
  c.def("add_or_out",
        [](G& g, const Indices& all, int out) { return g.add_or_out(literals_of(all), literal_of(out)); });
  c.def("add_xor_out",
        [](G& g, const Indices& all, int out) { return g.add_xor_out(literals_of(all), literal_of(out)); });
  c.def("add_pair", [](G& g, int a, int b, double score) { return g.add_pair(literal_of(a), literal_of(b), score); });
  c.def("add_table", [](G& g, const std::vector<Indices>& groups, const std::vector<double>& log_potentials) {
    return g.add_table(groups_of(groups), log_potentials);
  });
  c.def("add_sequence", [](G& g, const std::vector<Indices>& groups, const std::vector<double>& transitions) {
    return g.add_sequence(groups_of(groups), transitions);
  });
  c.def("add_rooted_tree",
        [](G& g, const std::vector<Indices>& groups, const Indices& parents, const std::vector<double>& transitions,
           const Indices& counted, const std::vector<double>& count_scores, const NodeScores& subtree_counts,
           const NodeLiterals& both) {
          return g.add_rooted_tree({groups_of(groups), parents, transitions, counted, count_scores,
                                    subtrees_of(subtree_counts), both_of(both)});
        });
  c.def("add_compression", [](G& g, const Indices& words, int budget, const Indices& counted,
                              const std::vector<double>& transitions, const NodeLiterals& bigrams) {
    return g.add_compression(literals_of(words), budget, counted, transitions, both_of(bigrams));
  });
  c.def("add_head", [](G& g, const Indices& heads, const Indices& left, const Indices& right,
                       const std::vector<double>& left_siblings, const std::vector<double>& right_siblings,
                       const std::vector<double>& grandparents) {
    return g.add_head(
        {literals_of(heads), literals_of(left), literals_of(right), left_siblings, right_siblings, grandparents});
  });
  c.def("set_score", [](G& g, int v, double score) { g.set_score({v}, score); });
  c.def("set_pair_score", &G::set_pair_score);
  c.def("set_table_scores", &G::set_table_scores);
  c.def("add_tree", [](G& g, int words, const TreeArcs& arcs, std::string_view root) {
    return g.add_tree(words, arcs_of(arcs), named<Root>(root, "root"));
  });
  c.def("set_dependency_graph", set_dependency_graph);
  c.def("factor_name", [](const G& g, int f) { return g.factor(f).name(); });
  c.def("variables", &G::variables);
  c.def("factors", &G::factors);
  c.def("scores", [](const G& g) { return copied<double>(g.scores()); });
  c.def("score", [](const G& g, const std::vector<std::uint8_t>& assignment) { return score(g, assignment); });
}

void bind_solving(nb::class_<FactorGraph>& c) {
  using G = FactorGraph;
  c.def("solve_exact", [](const G& g, int most) {
    const ExactResult r = interruptible([&](const Stop& stop) { return solve_exact(g, most, stop); });
    return std::tuple(to_string(r.status), r.log_partition, r.entropy, r.bethe_entropy, copied<double>(r.marginals),
                      copied<std::int8_t>(r.assignment), r.value);
  });
  c.def("solve_bp", [](const G& g, const std::string& product, const std::string& schedule, double damping,
                       int max_iterations, double tolerance, const std::vector<double>& start,
                       std::string_view free_energy, double retry_damping) {
    BpOptions options{named<Product>(product, "product"),
                      named<Schedule>(schedule, "schedule"),
                      damping,
                      max_iterations,
                      tolerance,
                      start};
    options.free_energy = named<FreeEnergy>(free_energy, "free_energy");
    options.retry_damping = retry_damping;
    const BpResult r = interruptible([&](const Stop& stop) {
      options.stop = stop;
      return solve_bp(g, options);
    });
    return std::tuple(to_string(r.status), r.iterations, r.residual, copied<double>(r.marginals),
                      copied<double>(r.log_odds), copied<double>(r.factor_entropies), r.bethe_entropy, r.log_partition,
                      copied<std::int8_t>(r.assignment), r.value, copied<double>(r.messages), to_string(r.free_energy));
  });
  c.def("factor_belief", [](const G& g, const std::vector<double>& messages, std::string_view free_energy, int f) {
    BpResult r;
    r.messages = messages;
    r.free_energy = named<FreeEnergy>(free_energy, "free_energy");
    return copied<double>(factor_belief(g, r, f));
  });
  c.def("solve_lp",
        [](const G& g) { return tuple_of(interruptible([&](const Stop& stop) { return solve_lp(g, stop); })); });
  c.def("solve_ilp", [](const G& g, std::optional<double> seconds) {
    return tuple_of(interruptible([&](const Stop& stop) { return solve_ilp(g, seconds, stop); }));
  });
  c.def("solve_ad3", [](const G& g, double gap, double tolerance, int max_iterations, std::optional<double> seconds,
                        std::string_view search, const std::vector<double>& start,
                        const std::vector<double>& start_point) {
    return tuple_of(interruptible([&](const Stop& stop) {
      return solve_ad3(
          g, {gap, tolerance, max_iterations, seconds, named<Search>(search, "search"), stop, start, start_point});
    }));
  });
  c.def("factor_posterior", posterior);
}

}  // namespace

void bind_factor(nb::module_& m) {
  nb::class_<FactorGraph> c(m, "FactorGraph");
  bind_building(c);
  m.def("sibling_pairs", [](const Doubles& s) { return array_of_pairs(sibling_pairs(matrix_of(s))); });
  m.def("grandparent_pairs", [](const Doubles& s) { return array_of_pairs(grandparent_pairs(matrix_of(s))); });
  m.def("head_bigram_pairs", [](const Doubles& s) { return array_of_pairs(head_bigram_pairs(matrix_of(s))); });
  bind_solving(c);
}

}  // namespace kirchhoff::python
