// Dependency trees with scores on pairs of arcs, as factor graphs.
#pragma once

#include "kirchhoff/factor_graph.hpp"
#include "kirchhoff/names.hpp"

#include <vector>

namespace kirchhoff {

struct ArcPair {
  Arc first;
  Arc second;
  double score = 0.0;
};
struct ArcScore {
  Arc arc;
  double score = 0.0;
};

/// What says that the arcs form a tree.
enum class TreeForm {
  factor,  ///< one TREE factor
  flow,    ///< the small factors of [Martins10, fig. 3], with variables for flows and paths
};
template <>
inline constexpr std::array<std::string_view, 2> kNames<TreeForm> = {"factor", "flow"};

/// -inf in `scores` leaves an arc out; pairs of arcs that are left out are ignored.
struct DependencyModel {
  Matrix scores;
  Root root;
  std::vector<ArcPair> pairs;  ///< the score counts when both arcs are in the tree
  /// Arcs with one head, on one side, and no child of the head between them. With TreeForm::factor each side of a head
  /// that has some is a HEAD factor, and with TreeForm::flow each pair is an OR-WITH-OUTPUT with a variable of its own.
  std::vector<ArcPair> consecutive_siblings;
  std::vector<ArcScore> non_projective;  ///< it counts when the arc spans a word that its head does not dominate
  TreeForm form = TreeForm::factor;      ///< non-projective scores need the flow variables and add them
};
struct DependencyGraph {
  FactorGraph graph;
  int words = 0;
  std::vector<TreeArc> arcs;  ///< the arcs that were not left out
};
DependencyGraph dependency_graph(const DependencyModel& model);

/// The tree among an assignment's arcs. Throws InputError when they are not one head for each word.
Heads heads_of(const DependencyGraph& graph, const Assignment& assignment);

/// These list all pairs of arcs that are not left out, with score 0: pairs with the same head, pairs of which one's
/// dependent is the other's head, and pairs into neighbouring words.
std::vector<ArcPair> sibling_pairs(const MatrixRef& scores);
std::vector<ArcPair> grandparent_pairs(const MatrixRef& scores);
std::vector<ArcPair> head_bigram_pairs(const MatrixRef& scores);

}  // namespace kirchhoff
