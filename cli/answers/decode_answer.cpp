// Finds the best trees of one line of `decode` and writes them as JSON.
#include "answers/decode_answer.hpp"

#include "answers/tree_answer.hpp"
#include "json/tree_writer.hpp"

#include <kirchhoff/projective.hpp>
#include <kirchhoff/sparsemap.hpp>

namespace kirchhoff::cli {
namespace {

template <class D>
std::vector<Tree> decode(const GraphLine& graph, const DecodeSettings& settings) {
  return in_field<InputError>("scores", [&] {
    const D p = constrained_distribution<D>(graph, settings.root, settings.accuracy);
    return settings.mbr ? std::vector<Tree>{mbr_tree(p)} : k_best_trees(p, settings.k_best);
  });
}

std::string answer(const GraphLine& graph, const DecodeSettings& settings) {
  const auto decoded =
      settings.projective
          ? (graph.labelled() ? decode<LabelledProjectiveTreeDistribution> : decode<ProjectiveTreeDistribution>)
          : (graph.labelled() ? decode<LabelledTreeDistribution> : decode<TreeDistribution>);
  const std::vector<Tree> trees = decoded(graph, settings);
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

template <class D>
std::string mixture(const GraphLine& graph, const DecodeSettings& settings) {
  const auto p = in_field<InputError>("scores", [&] {
    return sparsemap(constrained(matrix_for<D>(graph.scores), settings.root, graph.constraints), settings.root);
  });
  JsonWriter out;
  out.key("id");
  out.raw(graph.id);
  out.key("trees");
  out.list(p.trees.size(), [&](std::size_t i) {
    out.object([&] {
      write_heads(p.trees[i], out);
      if (!p.labels.empty()) write_labels(p.labels[i], out);
      out.key("probability");
      out.write(p.probabilities[i]);
    });
  });
  out.key("gap");
  out.write(p.gap);
  out.close();
  return out.take();
}

std::string sparse_answer(const GraphLine& graph, const DecodeSettings& settings) {
  return graph.labelled() ? mixture<LabelledTreeDistribution>(graph, settings)
                          : mixture<TreeDistribution>(graph, settings);
}

}  // namespace

LineAnswer answer_decode_line(std::string_view line, const DecodeSettings& settings) {
  const auto answered = settings.sparse ? sparse_answer : answer;
  return answer_graph(line, settings.unknown, [&](const GraphLine& graph) { return answered(graph, settings); });
}

}  // namespace kirchhoff::cli
