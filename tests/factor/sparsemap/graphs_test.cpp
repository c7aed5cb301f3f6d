// LP-SparseMAP on graphs whose local polytope is the hull of all assignments, which are listed: one factor, or a tree
// of factors. u is optimal if no assignment y has (s - u).y + score(y) above what u has.
#include "factor/sparsemap/sparse_graphs.hpp"

namespace kirchhoff {
namespace {

using brute::Random;
using brute::uniform;

const LpSparseMapOptions kExact{.tolerance = 1e-10, .max_iterations = 100000};

void expect_optimal(const FactorGraph& graph, const SparseGraph& p, const std::string& what) {
  ASSERT_EQ(p.status, Status::converged) << what << ": residual " << p.residual;
  brute::expect_mixtures(graph, p, 1e-8);
  const FactorGraph moved = brute::with_variable_scores(graph, brute::slopes_of(graph, p));
  EXPECT_NEAR(solve_exact(moved).value, brute::own_value(graph, p), 1e-8) << what;
  EXPECT_LT(p.gap, 1e-8) << what;
}

TEST(LpSparseMap, OneFactorOfEachKind) {
  Random random(31);
  for (int n = 1; n <= 6; ++n)
    for (int repeat = 0; repeat < 6; ++repeat)
      for (const brute::Named& named : brute::all_factors(n, random)) {
        std::vector<double> scores(static_cast<std::size_t>(named.graph.variables()));
        for (double& s : scores) s = uniform(random, -2, 2);
        const FactorGraph graph = brute::with_variable_scores(named.graph, scores);
        expect_optimal(graph, lp_sparsemap(graph, kExact), named.name);
        EXPECT_EQ(lp_sparsemap(named.graph, scores, kExact).marginals, lp_sparsemap(graph, kExact).marginals);
      }
}

TEST(LpSparseMap, TreesOfFactors) {
  Random random(32);
  int solved = 0;
  for (int repeat = 0; repeat < 150; ++repeat) {
    const FactorGraph graph = brute::random_tree_graph(1 + repeat % 6, random);
    const SparseGraph p = lp_sparsemap(graph, kExact);
    if (solve_exact(graph).status == Status::infeasible) {
      EXPECT_EQ(p.status, Status::infeasible);
      continue;
    }
    expect_optimal(graph, p, "graph " + std::to_string(repeat));
    ++solved;
  }
  EXPECT_GT(solved, 100);
}

// NAND, IMPLY, AND-WITH-OUTPUT and XOR-WITH-OUTPUT are other factors with some inputs negated. Mixtures are of the
// literals that the caller gave, as those of factor_posterior are.
TEST(LpSparseMap, MixturesAreOfTheLiteralsThatWereGiven) {
  struct Kind {
    const char* name;
    std::function<int(FactorGraph&, const Literals&)> add;
    std::function<bool(int, int, int)> allows;
  };
  const Kind kinds[] = {
      {"nand", [](FactorGraph& g, const Literals& l) { return g.add_nand(l); },
       [](int a, int b, int c) { return !(a && b && c); }},
      {"imply",
       [](FactorGraph& g, const Literals& l) {
         return g.add_imply({l[0], l[1]}, l[2]);
       },
       [](int a, int b, int c) { return !(a && b) || c; }},
      {"and_out",
       [](FactorGraph& g, const Literals& l) {
         return g.add_and_out({l[0], l[1]}, l[2]);
       },
       [](int a, int b, int c) { return (a && b) == (c != 0); }},
      {"xor_out",
       [](FactorGraph& g, const Literals& l) {
         return g.add_xor_out({l[0], l[1]}, l[2]);
       },
       [](int a, int b, int c) { return a + b == c; }},
  };
  Random random(38);
  for (const Kind& kind : kinds)
    for (int repeat = 0; repeat < 20; ++repeat) {
      SCOPED_TRACE(kind.name);
      FactorGraph graph;
      Literals literals;
      for (int i = 0; i < 3; ++i) {
        literals.push_back(brute::random_sign(graph.add_variable(uniform(random, 0, 1)), random));
      }
      const int f = kind.add(graph, literals);
      const SparseGraph p = lp_sparsemap(graph, kExact);
      ASSERT_EQ(p.status, Status::converged);
      const FactorPosterior& mixture = p.factors[f];
      std::vector<double> mean(3, 0.0);
      for (std::size_t k = 0; k < mixture.weights.size(); ++k) {
        const Assignment& y = mixture.configurations[k];
        EXPECT_TRUE(kind.allows(y[0], y[1], y[2]));
        for (std::size_t i = 0; i < 3; ++i) mean[i] += mixture.weights[k] * y[i];
      }
      for (std::size_t i = 0; i < 3; ++i) {
        const double u = p.marginals[literals[i].variable];
        EXPECT_NEAR(mean[i], literals[i].negated ? 1.0 - u : u, 1e-8);
        EXPECT_NEAR(mixture.inputs[i], mean[i], 1e-12);
      }
      const FactorPosterior best = factor_posterior(graph, solve_ad3(graph), f);
      for (const Assignment& y : best.configurations) EXPECT_TRUE(kind.allows(y[0], y[1], y[2]));
    }
}

// A TREE over all arcs is what sparsemap() is for.
TEST(LpSparseMap, AgreesWithTrees) {
  Random random(33);
  for (const Root root : {Root::single, Root::multi})
    for (int words = 1; words <= 8; ++words) {
      const Matrix scores = brute::random_scores(words, 1.0, random, 0.2);
      const DependencyGraph g = dependency_graph({scores, root, {}, {}, {}, TreeForm::factor});
      const SparseGraph p = lp_sparsemap(g.graph, kExact);
      ASSERT_EQ(p.status, Status::converged);
      const SparseTrees trees = sparsemap(scores, root);
      for (const TreeArc& arc : g.arcs) {
        EXPECT_NEAR(p.marginals[arc.literal.variable], trees.marginals(arc.arc.head, arc.arc.dependent), 1e-9);
      }
    }
}

// A variable of many factors still counts once in the quadratic term.
TEST(LpSparseMap, PairsWithoutScoresChangeNothing) {
  Random random(37);
  for (const Root root : {Root::single, Root::multi})
    for (int words = 2; words <= 5; ++words) {
      const Matrix scores = brute::random_scores(words, 1.0, random, 0.0);
      DependencyModel model{scores, root, sibling_pairs(scores), {}, {}, TreeForm::factor};
      for (ArcPair& pair : model.pairs) pair.score = 0.0;
      model.pairs.resize(model.pairs.size() / 2 + 1);  // or all arcs of a word would have as many pairs
      const DependencyGraph g = dependency_graph(model);
      const SparseGraph p = lp_sparsemap(g.graph, kExact);
      ASSERT_EQ(p.status, Status::converged);
      const SparseTrees trees = sparsemap(scores, root);
      for (const TreeArc& arc : g.arcs) {
        EXPECT_NEAR(p.marginals[arc.literal.variable], trees.marginals(arc.arc.head, arc.arc.dependent), 1e-8);
      }
    }
}

TEST(LpSparseMap, ImpossibleVariables) {
  Random random(34);
  int solved = 0;
  for (int repeat = 0; repeat < 100; ++repeat) {
    const FactorGraph all = brute::random_tree_graph(4, random);
    std::vector<double> scores = all.scores();
    for (double& s : scores) s = uniform(random, 0, 1) < 0.25 ? -HUGE_VAL : s;
    const FactorGraph graph = brute::with_variable_scores(all, scores);
    const SparseGraph p = lp_sparsemap(graph, kExact);
    if (solve_exact(graph).status == Status::infeasible) {
      EXPECT_EQ(p.status, Status::infeasible);
      EXPECT_TRUE(p.marginals.empty());
      continue;
    }
    expect_optimal(graph, p, "graph " + std::to_string(repeat));
    for (std::size_t i = 0; i < scores.size(); ++i) {
      if (scores[i] == -HUGE_VAL) {
        EXPECT_EQ(p.marginals[i], 0.0);
      }
    }
    ++solved;
  }
  EXPECT_GT(solved, 40);
}

// The quadratic term fades beside large scores, and the answer is the best assignment.
TEST(LpSparseMap, LargeScores) {
  Random random(35);
  for (const double size : {1e2, 1e4, 1e6})
    for (int repeat = 0; repeat < 20; ++repeat) {
      const FactorGraph small = brute::random_tree_graph(4, random);
      std::vector<double> scores = small.scores();
      for (double& s : scores) s *= size;
      const FactorGraph graph = brute::with_variable_scores(small, scores);
      const ExactResult best = solve_exact(graph);
      if (best.status == Status::infeasible) continue;
      const SparseGraph p = lp_sparsemap(graph, {.tolerance = 1e-9, .max_iterations = 100000});
      ASSERT_EQ(p.status, Status::converged) << size;
      for (int i = 0; i < graph.variables(); ++i) {
        ASSERT_TRUE(std::isfinite(p.marginals[i]));
        if (size > 1e3) {
          EXPECT_NEAR(p.marginals[i], best.assignment[i], 1e-6) << size;
        }
      }
    }
}

TEST(LpSparseMap, VariablesWithoutFactors) {
  FactorGraph graph;
  for (const double s : {-HUGE_VAL, -1.0, 0.25, 3.0}) graph.add_variable(s);
  const SparseGraph p = lp_sparsemap(graph);
  EXPECT_EQ(p.marginals, (std::vector<double>{0.0, 0.0, 0.25, 1.0}));
  const SparseGradient g = sparsemap_gradient(graph, p, std::vector<double>{1.0, 1.0, 1.0, 1.0});
  EXPECT_EQ(g.scores, (std::vector<double>{0.0, 0.0, 1.0, 0.0}));
}

TEST(LpSparseMap, EmptyPolytopes) {
  FactorGraph graph;
  const Variable a = graph.add_variable(0.3), b = graph.add_variable(-0.2);
  graph.add_xor({a, b});
  graph.add_xor({a, !b});
  graph.add_xor({!a, !b});  // u = (1/2, 1/2) is the only point
  const SparseGraph half = lp_sparsemap(graph, kExact);
  ASSERT_EQ(half.status, Status::converged);
  EXPECT_NEAR(half.marginals[0], 0.5, 1e-9);
  EXPECT_NEAR(half.marginals[1], 0.5, 1e-9);
  graph.add_or({a});
  EXPECT_EQ(lp_sparsemap(graph).status, Status::infeasible);
}

TEST(LpSparseMap, Ends) {
  Random random(36);
  const DependencyGraph g = dependency_graph(brute::random_second_order(6, Root::single, 1.0, random));
  const SparseGraph few = lp_sparsemap(g.graph, {.max_iterations = 3});
  EXPECT_EQ(few.status, Status::iteration_limit);
  EXPECT_EQ(few.iterations, 3);
  EXPECT_GT(few.residual, 1e-9);
  EXPECT_EQ(lp_sparsemap(g.graph, {.stop = [] { return true; }}).status, Status::time_limit);
  EXPECT_THROW(lp_sparsemap(g.graph, {.tolerance = -1.0}), InputError);
  EXPECT_THROW(lp_sparsemap(g.graph, {.max_iterations = 0}), InputError);
  EXPECT_THROW(lp_sparsemap(g.graph, std::vector<double>(3, 0.0)), InputError);
  const auto size = static_cast<std::size_t>(g.graph.variables());
  EXPECT_THROW(lp_sparsemap(g.graph, std::vector<double>(size, std::nan(""))), InputError);
}

}  // namespace
}  // namespace kirchhoff
