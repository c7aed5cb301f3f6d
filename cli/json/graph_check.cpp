// Checks that the fields of one line fit together.
#include "json/graph_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kirchhoff::cli {
namespace {

std::string shape(const ArcArray& a) {
  return a.labels > 0 ? fmt::format("{}x{}x{}", a.nodes, a.nodes, a.labels) : fmt::format("{}x{}", a.nodes, a.nodes);
}

void check_size(std::string_view field, std::size_t found, std::size_t expected, std::string_view of) {
  if (found != expected) throw ReadError(fmt::format("{}: {} entries, expected {} ({})", field, found, expected, of));
}

void check_gold(const GraphLine& graph) {
  const Heads& heads = *graph.gold;
  check_size("gold", heads.size() - 1, static_cast<std::size_t>(graph.n()), "one head per word");
  for (int d = 1; d <= graph.n(); ++d) {
    const int head = heads[static_cast<std::size_t>(d)];
    if (head > graph.n()) throw ReadError(fmt::format("gold[{}]: head {} is beyond n = {}", d - 1, head, graph.n()));
  }
  if (const auto problem = tree_problem(heads, Root::multi)) throw ReadError(fmt::format("gold: {}", *problem));
}

void check_gold_labels(const GraphLine& graph) {
  if (!graph.labelled()) throw ReadError("gold_labels: the scores have no labels");
  check_size("gold_labels", graph.gold_labels->size(), static_cast<std::size_t>(graph.n()), "one label per word");
  for (std::size_t i = 0; i < graph.gold_labels->size(); ++i) {
    if ((*graph.gold_labels)[i] < graph.scores.labels) continue;
    throw ReadError(
        fmt::format("gold_labels[{}]: label {} is not among {}", i, (*graph.gold_labels)[i], graph.scores.labels));
  }
}

void check_arcs(const GraphLine& graph, std::string_view field, const std::vector<Arc>& arcs) {
  for (std::size_t i = 0; i < arcs.size(); ++i) {
    const auto [head, dependent] = arcs[i];
    const bool exists = head <= graph.n() && dependent <= graph.n() && dependent != 0 && head != dependent;
    if (exists) continue;
    throw ReadError(
        fmt::format("{}[{}]: there is no arc from {} to {} among {} words", field, i, head, dependent, graph.n()));
  }
}

void check_entry(const GraphLine& graph, const FeatureEntry& e, std::size_t i, int num_features) {
  const auto bad = [&](const std::string& problem) { throw ReadError(fmt::format("features[{}]: {}", i, problem)); };
  if (e.head > graph.n()) bad(fmt::format("head {} is beyond n = {}", e.head, graph.n()));
  if (e.dependent > graph.n()) bad(fmt::format("dependent {} is beyond n = {}", e.dependent, graph.n()));
  if (is_ignored_cell(static_cast<std::size_t>(e.head), static_cast<std::size_t>(e.dependent))) {
    bad(fmt::format("there is no arc from {} to {}", e.head, e.dependent));
  }
  if (e.feature >= num_features) bad(fmt::format("feature {} is not below num_features = {}", e.feature, num_features));
  if (e.label >= 0 && !graph.labelled()) bad("a label, but the scores have none");
  if (e.label >= std::max(graph.scores.labels, 1))
    bad(fmt::format("label {} is not among {}", e.label, graph.scores.labels));
}

void check_dense(const GraphLine& graph, const FeatureFields& features, std::optional<int> num_features) {
  if (features.nodes != graph.scores.nodes || (features.labels != 0 && features.labels != graph.scores.labels)) {
    const ArcArray found{features.nodes, features.labels, {}};
    throw ReadError(fmt::format("features[0]: {}, but scores is {}", shape(found), shape(graph.scores)));
  }
  if (num_features && *num_features != features.matrices) {
    throw ReadError(fmt::format("num_features: {}, but features has {} matrices", *num_features, features.matrices));
  }
}

FeatureList checked_features(const GraphLine& graph, FeatureFields features, std::optional<int> num_features) {
  if (features.dense) {
    check_dense(graph, features, num_features);
    return {features.matrices, std::move(features.entries)};
  }
  if (!num_features) {
    throw ReadError(
        "num_features: missing; a list of [head, dependent, feature, value] needs it (dense: a list of matrices)");
  }
  for (std::size_t i = 0; i < features.entries.size(); ++i) check_entry(graph, features.entries[i], i, *num_features);
  return {*num_features, std::move(features.entries)};
}

}  // namespace

GraphLine checked(GraphFields fields) {
  GraphLine& graph = fields.graph;
  if (!fields.has_scores) throw ReadError("scores: missing");
  if (graph.n() < 1) throw ReadError("scores: 1x1 holds the root only; at least one word is needed");
  if (graph.gold) check_gold(graph);
  if (graph.gold_labels) check_gold_labels(graph);
  check_arcs(graph, "require", graph.constraints.require);
  check_arcs(graph, "forbid", graph.constraints.forbid);
  if (graph.other && (graph.other->nodes != graph.scores.nodes || graph.other->labels != graph.scores.labels)) {
    throw ReadError(fmt::format("other: {}, but scores is {}", shape(*graph.other), shape(graph.scores)));
  }
  if (fields.features) graph.features = checked_features(graph, std::move(*fields.features), fields.num_features);
  if (graph.target && graph.features) {
    check_size("target", graph.target->size(), static_cast<std::size_t>(graph.features->size),
               "one number per feature");
  }
  return std::move(graph);
}

}  // namespace kirchhoff::cli
