// kirchhoff decode: the best trees of each graph.
#include "graph_arrays.hpp"
#include "run_lines.hpp"
#include "verbs.hpp"

#include <kirchhoff/decode.hpp>

namespace kirchhoff::cli {
namespace {

constexpr int kManyTrees = 100;

/// Under the line's constraints: log-probabilities and mass are given that they hold.
template <class D>
std::vector<Tree> decode(const Graph& graph, const DecodeOptions& options) {
  const auto scores = matrix_of(graph.scores, static_cast<const D*>(nullptr));
  return naming("scores", [&] {
    const D p(constrained(scores, options.root, graph.constraints), options.root, options.accuracy);
    return options.mbr ? std::vector<Tree>{mbr_tree(p)} : k_best_trees(p, options.k);
  });
}

/// Words 1..n, as in "gold".
void write_words(const std::vector<int>& values, JsonWriter& out) {
  out.list(values.size() - 1, [&](std::size_t i) { out.raw(fmt::format("{}", values[i + 1])); });
}

void write_tree(const Tree& tree, JsonWriter& out) {
  out.raw("{\"heads\":");
  write_words(tree.heads, out);
  if (!tree.labels.empty()) {
    out.raw(",\"labels\":");
    write_words(tree.labels, out);
  }
  out.raw(",\"score\":");
  out.write(tree.score);
  out.raw(",\"log_prob\":");
  out.write(*tree.log_prob);
  out.raw("}");
}

std::string answer(const Graph& graph, const DecodeOptions& options) {
  const std::vector<Tree> trees =
      graph.labelled() ? decode<LabelledTreeDistribution>(graph, options) : decode<TreeDistribution>(graph, options);
  JsonWriter out;
  out.key("id");
  out.raw(graph.id);
  out.key("trees");
  out.list(trees.size(), [&](std::size_t i) { write_tree(trees[i], out); });
  out.key("mass");
  out.write(probability_mass(trees));
  out.close();
  return out.take();
}

}  // namespace

int run_decode(const DecodeOptions& options) {
  return run_lines({options.input, options.threads, options.strict, options.quiet, options.k > kManyTrees},
                   [&](std::string_view line) {
                     return answer_graph(line, [&](const Graph& graph) { return answer(graph, options); });
                   });
}

}  // namespace kirchhoff::cli
