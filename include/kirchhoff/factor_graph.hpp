// Factor graphs over binary variables, with hard constraints: marginals by belief propagation, best assignments by
// linear programming, dual decomposition (AD3) or max-product, on one and the same graph.
//
//   FactorGraph graph;
//   const Variable rain = graph.add_variable(-1.0), sprinkler = graph.add_variable(-0.5), wet =
//   graph.add_variable(2.0); graph.add_or_out({rain, sprinkler}, wet); const BpResult p = solve_bp(graph);  //
//   p.marginals[rain.index]
//
// p(y) ~ exp(sum of scores of variables that are 1 + sum of scores of factors). Scores are finite, at most 1e100 in
// size; -inf fixes a variable to 0. Formulas and costs: docs/methods/factor_graphs.md.
#pragma once

#include "kirchhoff/decode.hpp"
#include "kirchhoff/factor.hpp"

#include <memory>
#include <vector>

namespace kirchhoff {

struct Variable {
  int index = -1;
};

/// A variable or its negation: !v.
struct Literal {
  int variable = -1;
  bool negated = false;
  Literal(Variable v) : variable(v.index) {}  // NOLINT: implicit on purpose
};
inline Literal operator!(Literal literal) {
  literal.negated = !literal.negated;
  return literal;
}
using Literals = std::vector<Literal>;

struct TreeArc {
  Arc arc;
  Literal literal;
};

/// Variables and factors have indices in the order of their adding. A factor's literals are on different variables.
/// All members throw InputError, naming function and argument.
class FactorGraph {
 public:
  Variable add_variable(double score = 0.0);
  /// A multi-valued variable: one binary variable for each value, exactly one of which is 1.
  std::vector<Variable> add_values(const std::vector<double>& scores);

  /// Each returns the factor's index.
  int add_xor(const Literals& literals);   ///< exactly one
  int add_or(const Literals& literals);    ///< at least one
  int add_nand(const Literals& literals);  ///< not all
  int add_imply(Literal a, Literal b);     ///< a implies b
  int add_at_most_one(const Literals& literals);
  int add_budget(const Literals& literals, int budget);       ///< at most so many
  int add_or_out(const Literals& literals, Literal output);   ///< output = a or b or ...
  int add_xor_out(const Literals& literals, Literal output);  ///< at most one, and output says whether there is one
  int add_pair(Literal a, Literal b, double score);           ///< score when both
  /// A score for each combination, the first literal varying slowest; -inf forbids. At most 2^16 entries.
  int add_table(const Literals& literals, const std::vector<double>& log_potentials);
  /// The same over multi-valued variables: a group of one literal has values 0 and 1; a larger one (from add_values)
  /// has a value for each literal, and exactly one of them is 1.
  int add_table(const std::vector<Literals>& groups, const std::vector<double>& log_potentials);
  /// The arcs that are 1 form a tree over words 1 ... n. Every word needs an arc into it.
  int add_tree(int words, const std::vector<TreeArc>& arcs, Root root);
  int add_factor(std::shared_ptr<const Factor> factor, const Literals& literals);

  int variables() const { return static_cast<int>(scores_.size()); }
  int factors() const { return static_cast<int>(factors_.size()); }
  int edges() const { return static_cast<int>(edges_.size()); }
  double score(Variable v) const { return scores_[v.index]; }
  const std::vector<double>& scores() const { return scores_; }
  const Factor& factor(int f) const { return *factors_[f]; }
  /// Edges first_edge(f) ... first_edge(f + 1) - 1 are the inputs of factor f, in order.
  int first_edge(int f) const { return first_edge_[f]; }
  Literal edge(int e) const { return edges_[e]; }
  /// The XOR factor that add_values made for variable i; -1: there is none.
  int values_of(int i) const { return values_of_[i]; }
  /// True for edges of that factor, and of tables that have all the values as one group.
  bool is_value_edge(int e) const { return value_edge_[e] != 0; }

 private:
  std::vector<double> scores_;
  std::vector<std::shared_ptr<const Factor>> factors_;
  std::vector<int> first_edge_ = {0};
  Literals edges_;
  std::vector<int> values_of_;
  std::vector<char> value_edge_;
};

using Assignment = std::vector<std::uint8_t>;  ///< 0 or 1 for each variable
/// Log-ratio of the message from factor to variable, one for each edge. On value edges, log-weights of the values; the
/// XOR factor of add_values itself sends none: its variables are taken together as one variable of several values.
using Messages = std::vector<double>;

/// Scores of the variables that are 1 and of all factors; -inf when a factor forbids the assignment.
double score(const FactorGraph& graph, const Assignment& assignment);

enum class Status {
  converged,        ///< to the tolerance asked for; for solve_ilp and solve_exact: exact
  iteration_limit,  ///< also: branch and bound ran out of nodes
  time_limit,       ///< or stopped
  infeasible,       ///< no assignment satisfies all factors; for a relaxation: nor does any fractional one
};

// --- marginals -----------------------------------------------------------------------------------------------------

struct ExactResult {
  Status status = Status::infeasible;
  double log_partition = 0.0;
  double entropy = 0.0;
  double bethe_entropy = 0.0;     ///< of the true marginals: what the Bethe approximation makes of the entropy
  std::vector<double> marginals;  ///< p(y_i = 1)
  Assignment assignment;          ///< the best
  double value = 0.0;             ///< its score
};
/// By enumeration of all assignments that the factors allow. InputError when there are more than max_assignments. When
/// stopped, status is time_limit and nothing else is set.
ExactResult solve_exact(const FactorGraph& graph, int max_assignments = 1 << 20, const Stop& stop = {});

enum class Product { sum, max };
enum class Schedule {
  flooding,    ///< all factors at once
  sequential,  ///< one after the other, each with the newest messages
  residual,    ///< the factor whose incoming messages changed most comes next
};
struct BpOptions {
  Product product = Product::sum;
  Schedule schedule = Schedule::sequential;
  double damping = 0.0;  ///< part of the old message in the new one, 0 <= damping < 1
  int max_iterations = 1000;
  double tolerance = 1e-9;  ///< on the change of messages, as probabilities, in one iteration
  Messages start = {};      ///< of an earlier result on a graph of the same shape; empty: uniform
  Stop stop = {};
};
struct BpResult {
  Status status = Status::iteration_limit;
  int iterations = 0;             ///< each as many factor updates as there are factors
  double residual = 0.0;          ///< largest change of a message, as a probability, in the last iteration
  std::vector<double> marginals;  ///< beliefs p(y_i = 1); max-product: of the best assignments with y_i = 1 and 0
  std::vector<double> log_odds;   ///< their log-ratios
  std::vector<double> factor_entropies;
  double bethe_entropy = 0.0;
  double log_partition = 0.0;  ///< Bethe approximation: minus the free energy
  Assignment assignment;       ///< likeliest value of each variable, repaired by the hard factors where possible
  double value = 0.0;          ///< its score
  Messages messages;
};
/// Belief propagation; exact on graphs without loops. Entropies and log_partition are for Product::sum; with max they
/// are 0. A TREE factor costs O(n^3) for each update, with max O(arcs n^2).
BpResult solve_bp(const FactorGraph& graph, const BpOptions& options = {});
/// Probability of every configuration of a factor of at most Factor::kEnumerable inputs, first literal slowest.
std::vector<double> factor_belief(const FactorGraph& graph, const BpResult& result, int factor);

// --- best assignment ------------------------------------------------------------------------------------------------

struct MapResult {
  Status status = Status::infeasible;
  int iterations = 0;
  double residual = 0.0;      ///< of AD3: how far the factors are from agreeing
  double bound = 0.0;         ///< no assignment has a higher score; of solve_lp: the optimum of the relaxation
  std::vector<double> point;  ///< the relaxation's solution
  bool integral = false;      ///< all of `point` is 0 or 1
  Assignment assignment;      ///< best found; empty if none was
  double value = 0.0;         ///< its score; -inf if there is none
};

/// The linear programming relaxation, by COIN-OR Clp. Throws std::runtime_error in a build without it.
MapResult solve_lp(const FactorGraph& graph, const Stop& stop = {});
/// The best assignment, by branch and bound (COIN-OR Cbc). For small graphs.
MapResult solve_ilp(const FactorGraph& graph, double time_limit = 1e9, const Stop& stop = {});

struct Ad3Options {
  /// Stop when bound - value <= gap * max(1, |bound|), or the relaxation's optimum is as near the bound.
  double gap = 1e-6;
  double tolerance = 1e-6;  ///< to which the factors must agree (root mean square) where nearness is an estimate only
  int max_iterations = 10000;
  double time_limit = 1e9;  ///< seconds
  bool exact = false;       ///< branch on fractional variables until the gap is closed
  Stop stop = {};
};
/// The same relaxation by alternating directions dual decomposition: `bound` tends to its optimum.
MapResult solve_ad3(const FactorGraph& graph, const Ad3Options& options = {});

// --- dependency trees with scores on pairs of arcs -------------------------------------------------------------------

struct ArcPair {
  Arc first;
  Arc second;
  double score = 0.0;
};
struct ArcScore {
  Arc arc;
  double score = 0.0;
};
enum class TreeForm {
  factor,  ///< one TREE factor
  flow,    ///< the small factors of [Martins10, fig. 3], with variables for flows and paths
};
/// -inf in `scores` leaves an arc out; pairs of arcs that are left out are ignored.
struct DependencyModel {
  Matrix scores;
  Root root;
  std::vector<ArcPair> pairs;                 ///< score when both arcs are in the tree
  std::vector<ArcPair> consecutive_siblings;  ///< same head and side, and no child of the head between them
  std::vector<ArcScore> non_projective;       ///< score when the arc spans a word that does not descend from its head
  TreeForm form = TreeForm::factor;           ///< non-projective scores need the flow variables and add them
};
struct DependencyGraph {
  FactorGraph graph;
  int words = 0;
  std::vector<TreeArc> arcs;  ///< the arcs that were not left out
};
DependencyGraph dependency_graph(const DependencyModel& model);
/// The tree among an assignment's arcs. InputError when they are not a head for each word.
Heads heads_of(const DependencyGraph& graph, const Assignment& assignment);
/// All pairs of arcs that are not left out: with the same head; of which one's dependent is the other's head; into
/// neighbouring words. Score 0.
std::vector<ArcPair> sibling_pairs(const MatrixRef& scores);
std::vector<ArcPair> grandparent_pairs(const MatrixRef& scores);
std::vector<ArcPair> head_bigram_pairs(const MatrixRef& scores);

}  // namespace kirchhoff
