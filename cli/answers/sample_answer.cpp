// Draws the trees of one line of `sample` and writes them as JSON.
#include "answers/sample_answer.hpp"

#include "answers/tree_answer.hpp"
#include "json/tree_writer.hpp"

#include <kirchhoff/projective.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace kirchhoff::cli {
namespace {

template <class D>
inline constexpr bool kProjective =
    std::is_same_v<D, ProjectiveTreeDistribution> || std::is_same_v<D, LabelledProjectiveTreeDistribution>;

struct CountedTree {
  Tree tree;
  int count = 0;
};

/// Draws samples 0 .. count-1 and keeps each tree once: most frequent first, then in the order of their first draw.
template <class SamplerOfTrees>
std::vector<CountedTree> counted(const SamplerOfTrees& sampler, int count, std::uint64_t seed) {
  std::vector<CountedTree> out;
  std::map<std::pair<Heads, std::vector<int>>, std::size_t> index;
  for (int i = 0; i < count; ++i) {
    Tree tree = sampler.sample(seed, i);
    const auto [at, is_new] = index.try_emplace({tree.heads, tree.labels}, out.size());
    if (is_new) out.push_back({std::move(tree), 0});
    ++out[at->second].count;
  }
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.count > b.count; });
  return out;
}

void write_counted(const std::vector<CountedTree>& trees, JsonWriter& out) {
  out.list(trees.size(), [&](std::size_t i) {
    out.object([&] {
      write_tree(trees[i].tree, out);
      out.key("count");
      out.write(trees[i].count);
    });
  });
}

void write_method(std::string_view name, JsonWriter& out) {
  out.key("method");
  out.write(name);
}

template <class SamplerOfTrees>
void write_independent(const SamplerOfTrees& sampler, const SampleSettings& settings, std::uint64_t seed,
                       JsonWriter& out) {
  if (settings.counts) {
    write_counted(counted(sampler, settings.count, seed), out);
  } else {
    out.list(settings.count, [&](int i) { out.object([&] { write_tree(sampler.sample(seed, i), out); }); });
  }
}

template <class Distinct>
void write_trie(Distinct distinct, int count, JsonWriter& out) {
  std::vector<Tree> trees;
  for (int i = 0; i < count; ++i) {
    std::optional<Tree> tree = distinct.next();
    if (!tree) break;
    trees.push_back(std::move(*tree));
  }
  out.list(trees.size(), [&](std::size_t i) { out.object([&] { write_tree(trees[i], out); }); });
  write_method("trie", out);
}

template <class D>
void write_beam(const D& p, int count, std::uint64_t seed, JsonWriter& out) {
  const PerturbedTrees sample = sample_without_replacement(p, count, {.seed = seed, .threads = 1});
  out.list(sample.trees.size(), [&](std::size_t i) {
    out.object([&] {
      write_tree(sample.trees[i], out);
      out.key("perturbed");
      out.write(sample.perturbed[i]);
    });
  });
  write_method("beam", out);
  out.key("threshold");
  out.write(sample.threshold);
}

template <class D>
void write_samples(const GraphLine& graph, const SampleSettings& settings, std::uint64_t seed, JsonWriter& out) {
  in_field<InputError>("scores", [&] {
    const D p = constrained_distribution<D>(graph, settings.root);
    if (settings.draws == Draws::beam) return write_beam(p, settings.count, seed, out);
    const bool independent = settings.draws == Draws::independent;
    if constexpr (kProjective<D>) {
      if (!independent) return write_trie(DistinctProjectiveTrees(p, seed), settings.count, out);
      write_independent(ProjectiveTreeSampler(p), settings, seed, out);
      write_method("top_down", out);
    } else {
      if (!independent) return write_trie(DistinctTrees(p, seed), settings.count, out);
      const TreeSampler sampler(p, settings.sampler);
      write_independent(sampler, settings, seed, out);
      write_method(to_string(sampler.method()), out);
      if (!settings.expected_draws) return;
      out.key("expected_draws");
      out.write(sampler.expected_draws());
    }
  });
}

std::string answer(const GraphLine& graph, const SampleSettings& settings, std::uint64_t seed) {
  JsonWriter out;
  out.key("id");
  out.raw(graph.id);
  out.key("trees");
  const auto write =
      settings.projective
          ? (graph.labelled() ? write_samples<LabelledProjectiveTreeDistribution>
                              : write_samples<ProjectiveTreeDistribution>)
          : (graph.labelled() ? write_samples<LabelledTreeDistribution> : write_samples<TreeDistribution>);
  write(graph, settings, seed, out);
  out.close();
  return out.take();
}

}  // namespace

LineAnswer answer_sample_line(std::string_view line, std::size_t index, const SampleSettings& settings) {
  return answer_graph(line, settings.unknown,
                      [&](const GraphLine& graph) { return answer(graph, settings, settings.seed + index); });
}

}  // namespace kirchhoff::cli
