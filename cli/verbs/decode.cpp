// kirchhoff decode: the best trees of each graph.
#include "io/run_lines.hpp"
#include "json/tree_writer.hpp"
#include "verbs/verbs.hpp"

namespace kirchhoff::cli {
namespace {

template <class D>
std::vector<Tree> decode(const Graph& graph, const DecodeOptions& options) {
  return naming("scores", [&] {
    const D p = constrained_distribution<D>(graph, options.root, options.accuracy);
    return options.mbr ? std::vector<Tree>{mbr_tree(p)} : k_best_trees(p, options.k);
  });
}

std::string answer(const Graph& graph, const DecodeOptions& options) {
  const std::vector<Tree> trees =
      graph.labelled() ? decode<LabelledTreeDistribution>(graph, options) : decode<TreeDistribution>(graph, options);
  JsonWriter out;
  out.key("id");
  out.raw(graph.id);
  out.key("trees");
  out.list(trees.size(), [&](std::size_t i) { out.object([&] { write_tree(trees[i], out); }); });
  out.key("mass");
  out.write(probability_mass(trees));
  out.close();
  return out.take();
}

}  // namespace

int run_decode(const DecodeOptions& options) {
  return run_lines(options.lines, options.k > kManyTrees, [&](std::string_view line, std::size_t) {
    return answer_graph(line, [&](const Graph& graph) { return answer(graph, options); });
  });
}

}  // namespace kirchhoff::cli
