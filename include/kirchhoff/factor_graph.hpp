// A factor graph is a set of variables, binary or of several values, and of factors that score them together.
//
//   FactorGraph graph;
//   const Variable rain = graph.add_variable(-1.0), sprinkler = graph.add_variable(-0.5);
//   const Variable wet = graph.add_variable(2.0);
//   graph.add_or_out({rain, sprinkler}, wet);
//   const BpResult p = solve_bp(graph);  // p.marginals[rain.index]; see solve.hpp
//
// p(y) is proportional to exp(sum of the scores of variables that are 1 + sum of the scores of factors). Scores are
// finite and at most 1e100 in size; -inf fixes a variable to 0. docs/methods/factor_graphs.md has formulas and costs.
#pragma once

#include "kirchhoff/accuracy.hpp"
#include "kirchhoff/factor.hpp"

#include <memory>
#include <vector>

namespace kirchhoff {
namespace factor {
class Incidence;
}

/// A binary variable, or one value of a variable with several: it is 1 when that variable has this value.
struct Variable {
  int index = -1;
};

/// A variable or its negation, which is written !v.
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

/// An arc of a tree, and the literal that says whether the tree has it.
struct TreeArc {
  Arc arc;
  Literal literal;
};

/// A word of a tree with the arcs that may come into it and go out of it, and scores for arcs that meet there.
struct HeadAutomaton {
  Literals heads = {};  ///< Arcs into the word, exactly one of which is 1. Empty: they are not looked at.
  Literals left = {};   ///< Arcs out of it to the left, the nearest first.
  Literals right = {};  ///< The same to the right.
  /// For k arcs, the (k + 1)(k + 2) / 2 scores of two that are 1 with none between them: (0, 1), (0, 2), ... (0, k +
  /// 1), (1, 2), ... (k, k + 1), where 0 stands before the first that is 1 and k + 1 after the last. -inf forbids.
  /// Empty stands for zeros.
  std::vector<double> left_siblings = {};
  std::vector<double> right_siblings = {};  ///< The same for the arcs to the right.
  /// For each arc into the word, a score together with each arc out of it, first to the left; -inf forbids. Empty
  /// stands for zeros.
  std::vector<double> grandparents = {};
};

/// A literal that is 1 when a node and its parent, which are binary, both are.
struct LiteralOfBoth {
  int node = -1;
  Literal literal;
};
/// Scores for how many of a node and those below it have the value that counts, from 0; what is -inf or not listed is
/// forbidden.
struct SubtreeCounts {
  int node = -1;
  std::vector<double> scores;
};
/// Variables at the nodes of a tree that is given, and scores for neighbours and for how many nodes have a chosen
/// value.
struct RootedTree {
  std::vector<Literals> groups;  ///< by node, its variable: a group like those of a table
  std::vector<int> parents;      ///< by node; -1 for the root
  /// For each node but the root, in order: a score for each value of its parent, which varies slowest, and of its own;
  /// -inf forbids. Empty stands for zeros.
  std::vector<double> transitions = {};
  std::vector<int> counted = {};  ///< by node, the value that counts; -1 where none does. Empty: none does anywhere.
  /// By the number of nodes that have the value that counts, from 0; what is -inf or not listed is forbidden. Empty
  /// stands for zeros.
  std::vector<double> count_scores = {};
  std::vector<SubtreeCounts> subtree_counts = {};  ///< The same for subtrees, each below the root and once at most.
  std::vector<LiteralOfBoth> both = {};
};

/// Variables and factors have indices in the order in which they were added. A factor's literals are on different
/// variables. All members throw InputError, which names function and argument.
class FactorGraph {
 public:
  Variable add_variable(double score = 0.0);
  /// A variable with several values, exactly one of which is 1. Belief propagation takes them together as one variable;
  /// an XOR factor over them tells the other solvers.
  std::vector<Variable> add_values(const std::vector<double>& scores);
  /// The same without an XOR factor, for variables of which another factor says that exactly one value is 1: a TREE
  /// that has all arcs into a word, or a table. Returns the first value; the others follow it.
  Variable add_multi_valued(std::span<const double> scores);

  /// Each of the following functions returns the factor's index.
  int add_xor(const Literals& literals);          ///< exactly one is 1
  int add_or(const Literals& literals);           ///< at least one is 1
  int add_nand(const Literals& literals);         ///< not all are 1
  int add_imply(Literal a, Literal b);            ///< a implies b
  int add_imply(const Literals& all, Literal b);  ///< all of them together imply b
  int add_at_most_one(const Literals& literals);
  int add_budget(const Literals& literals, int budget);  ///< at most so many are 1
  /// The weights of those that are 1, which are not negative, sum to at most the capacity, or above it by 1e-12 of it.
  /// Whole numbers that are not too large have the convex hull for their relaxation, others the polytope of the points
  /// with weights . u <= capacity; belief propagation on these takes time by the number of different sums.
  int add_knapsack(const Literals& literals, const std::vector<double>& weights, double capacity);
  int add_or_out(const Literals& literals, Literal output);   ///< output = a or b or ...
  int add_and_out(const Literals& literals, Literal output);  ///< output = a and b and ...
  int add_xor_out(const Literals& literals, Literal output);  ///< at most one is 1, and output says whether one is
  int add_pair(Literal a, Literal b, double score);           ///< scores when both are 1
  /// A score for each combination, the first literal varying slowest; -inf forbids. At most 2^16 entries.
  int add_table(const Literals& literals, const std::vector<double>& log_potentials);
  /// The same over multi-valued variables: a group of one literal has values 0 and 1; a larger one (from add_values)
  /// has a value for each literal, and exactly one of them is 1.
  int add_table(const std::vector<Literals>& groups, const std::vector<double>& log_potentials);
  /// Variables in a row, given as groups like those of a table, with scores for the values of neighbours: those of the
  /// first and the second variable, the first one's value varying slowest, then of the second and the third, and so on;
  /// -inf forbids.
  int add_sequence(const std::vector<Literals>& groups, const std::vector<double>& transitions);
  /// The arcs that are 1 form a tree over words 1 ... n. Every word needs an arc into it. The arcs into a word may be
  /// the values of a variable. `accuracy` is that of marginals in belief propagation.
  int add_tree(int words, const std::vector<TreeArc>& arcs, Root root, const Accuracy& accuracy = {});
  /// Its inputs are the arcs into the word, then those to the left and to the right.
  int add_head(const HeadAutomaton& head);
  /// Its inputs are the groups' literals and then those of `both`.
  int add_rooted_tree(const RootedTree& tree);
  /// Words in a row that are kept (1) or left out, with at most `budget` kept of those that count: of all, or where
  /// `counted` is 1. Transitions are as those of a sequence; a bigram's node is the second of two neighbours.
  int add_compression(const Literals& words, int budget, const std::vector<int>& counted = {},
                      const std::vector<double>& transitions = {}, const std::vector<LiteralOfBoth>& bigrams = {});
  int add_factor(std::shared_ptr<const Factor> factor, const Literals& literals);

  /// The following functions change scores, and nothing else, so that results on the graph before are a good start.
  void set_score(Variable v, double score);
  void set_pair_score(int factor, double score);  ///< of a factor that add_pair made
  /// Of a factor that add_table made, as many as there were.
  void set_table_scores(int factor, const std::vector<double>& log_potentials);
  /// Another factor, of as many inputs, in the place of this one.
  void set_factor(int index, std::shared_ptr<const Factor> factor);

  int variables() const { return static_cast<int>(scores_.size()); }
  int factors() const { return static_cast<int>(factors_.size()); }
  int edges() const { return static_cast<int>(edges_.size()); }
  double score(Variable v) const { return scores_[v.index]; }
  const std::vector<double>& scores() const { return scores_; }
  const Factor& factor(int f) const { return *factors_[f]; }
  /// Edges first_edge(f) ... first_edge(f + 1) - 1 are the inputs of factor f, in order.
  int first_edge(int f) const { return first_edge_[f]; }
  Literal edge(int e) const { return edges_[e]; }
  /// True when the edge's literal is the opposite of the one that was given: NAND, IMPLY, AND-WITH-OUTPUT and
  /// XOR-WITH-OUTPUT are other factors with some of their inputs negated.
  bool is_turned(int e) const { return is_turned_[e] != 0; }

 private:
  friend class factor::Incidence;
  void mark_whole_edges(int factor);
  int turn(int factor, std::size_t begin, std::size_t end);

  std::vector<double> scores_;
  std::vector<std::shared_ptr<const Factor>> factors_;
  std::vector<int> first_edge_ = {0};
  Literals edges_;
  std::vector<std::pair<int, int>> values_of_;  ///< first value and end of the variable that a value belongs to
  std::vector<char> is_multi_valued_;           ///< by variable; a binary one has itself only in values_of_
  std::vector<char> whole_edge_;                ///< the edge belongs to a factor's hold on a variable as a whole
  std::vector<char> is_turned_;                 ///< by edge
  std::vector<int> last_use_;                   ///< by variable, when a factor used it last
  int uses_ = 0;
};

/// An assignment has 0 or 1 for each variable.
using Assignment = std::vector<std::uint8_t>;

/// The sum of the scores of the variables that are 1 and of all factors; -inf when a factor forbids the assignment.
double score(const FactorGraph& graph, const Assignment& assignment);

}  // namespace kirchhoff
