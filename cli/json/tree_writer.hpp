// Trees of a line's graph, and how they are written: what `decode` and `sample` share.
#pragma once

#include "json/graph_arrays.hpp"

namespace kirchhoff::cli {

/// More trees than this make an answer that is much larger than its question.
constexpr int kManyTrees = 100;

/// Under the line's constraints: probabilities are given that they hold.
template <class D>
D constrained_distribution(const Graph& graph, Root root, const Accuracy& accuracy = {}) {
  return D(constrained(matrix_of(graph.scores, static_cast<const D*>(nullptr)), root, graph.constraints), root,
           accuracy);
}

/// "heads" and "labels" of words 1..n, as in "gold", with "score" and "log_prob": fields of an open object.
inline void write_tree(const Tree& tree, JsonWriter& out) {
  const auto words = [&](std::string_view name, const std::vector<int>& values) {
    out.key(name);
    out.list(values.size() - 1, [&](std::size_t i) { out.write(values[i + 1]); });
  };
  words("heads", tree.heads);
  if (!tree.labels.empty()) words("labels", tree.labels);
  out.key("score");
  out.write(tree.score);
  out.key("log_prob");
  out.write(*tree.log_prob);
}

}  // namespace kirchhoff::cli
