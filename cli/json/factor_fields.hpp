// The fields of a line of `solve` as they are read, before a factor graph is made of them.
#pragma once

#include "json/fields.hpp"
#include "json/graph_line.hpp"

#include <kirchhoff/dependency_graph.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace kirchhoff::cli {

/// Fields of a factor besides its type; each type takes some of them.
enum FactorField : unsigned {
  vars_field = 1,
  negate_field = 2,
  budget_field = 4,
  score_field = 8,
  log_potentials_field = 16,
  n_field = 32,
  root_field = 64,
  arcs_field = 128,
  weights_field = 256,
  groups_field = 512,
  parents_field = 1024,
  counted_field = 2048,
  count_scores_field = 4096,
  both_field = 8192,
  subtree_counts_field = 16384,
  heads_field = 32768,
  left_field = 65536,
  right_field = 131072,
  left_siblings_field = 262144,
  right_siblings_field = 524288,
  grandparents_field = 1048576,
};
inline constexpr std::array<std::string_view, 21> kFactorFieldNames = {
    "vars",    "negate", "budget",        "score",          "log_potentials", "n",    "root",           "arcs",
    "weights", "groups", "parents",       "counted",        "count_scores",   "both", "subtree_counts", "heads",
    "left",    "right",  "left_siblings", "right_siblings", "grandparents"};

/// What one factor says.
struct FactorFields {
  std::optional<std::string> type;
  unsigned given = 0;  ///< The sum of the FactorFields that are there.
  std::vector<int> vars;
  std::vector<bool> negate;
  double budget = 0.0;
  double score = 0.0;
  std::vector<double> log_potentials;
  int n = 0;
  std::string root;
  std::vector<std::array<int, 3>> arcs;  ///< Head, dependent and variable.
  std::vector<double> weights;
  std::vector<std::vector<int>> groups;  ///< Variables, as lists of those of which one is 1.
  std::vector<int> parents, counted;
  std::vector<double> count_scores;
  std::vector<SubtreeCounts> subtree_counts;
  std::vector<std::array<int, 2>> both;  ///< Node and variable.
  std::vector<int> heads, left, right;   ///< Variables.
  std::vector<double> left_siblings, right_siblings, grandparents;
};

/// What a line says of dependency trees.
struct DependencyFields {
  std::optional<ArcArray> arcs;
  std::optional<std::string> root, form;
  std::vector<ArcPair> pairs, consecutive_siblings;
  std::vector<ArcScore> non_projective;
  std::string_view first;  ///< The first field of these that was given; empty for none.
};

/// What one line says.
struct FactorGraphFields {
  std::string id = "null";
  std::optional<std::vector<double>> scores;
  DependencyFields dependency;  ///< In the place of `scores`.
  std::vector<FactorFields> factors;
};

/// Reads the fields by themselves, without a look at whether they fit together. Throws ReadError.
FactorGraphFields read_factor_fields(std::string_view line, UnknownFields unknown);

}  // namespace kirchhoff::cli
