// kirchhoff sample: random trees of each graph.
#include "io/run_lines.hpp"
#include "json/tree_writer.hpp"
#include "verbs/sample_methods.hpp"
#include "verbs/verbs.hpp"

#include <kirchhoff/sample.hpp>

#include <map>
#include <utility>

namespace kirchhoff::cli {
namespace {

struct CountedTree {
  Tree tree;
  int count = 0;
};

/// Samples 0 .. count-1, each tree once; most frequent first, then in the order in which they came first.
std::vector<CountedTree> counted(const TreeSampler& sampler, int count, std::uint64_t seed) {
  std::vector<CountedTree> out;
  std::map<std::pair<Heads, std::vector<int>>, std::size_t> place;
  for (int i = 0; i < count; ++i) {
    Tree tree = sampler.sample(seed, i);
    const auto [at, is_new] = place.try_emplace({tree.heads, tree.labels}, out.size());
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
  out.raw(json_string(name));
}

template <class D>
void write_independent(const D& p, Sampler method, const SamplingOptions& options, std::uint64_t seed,
                       JsonWriter& out) {
  const TreeSampler sampler(p, method);
  if (options.counts) {
    write_counted(counted(sampler, options.count, seed), out);
  } else {
    out.list(options.count, [&](int i) { out.object([&] { write_tree(sampler.sample(seed, i), out); }); });
  }
  write_method(name_of(sampler.method()), out);
}

template <class D>
void write_trie(const D& p, int count, std::uint64_t seed, JsonWriter& out) {
  std::vector<Tree> trees;
  DistinctTrees distinct(p, seed);
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
  const PerturbedTrees sample = sample_without_replacement(p, count, seed);
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
void write_samples(const Graph& graph, const SampleMethod& method, const SamplingOptions& options, std::uint64_t seed,
                   JsonWriter& out) {
  naming("scores", [&] {
    const D p = constrained_distribution<D>(graph, options.root);
    if (method.draws == Draws::independent) return write_independent(p, method.sampler, options, seed, out);
    if (method.draws == Draws::trie) return write_trie(p, options.count, seed, out);
    write_beam(p, options.count, seed, out);
  });
}

std::string answer(const Graph& graph, const SampleMethod& method, const SamplingOptions& options, std::uint64_t seed) {
  JsonWriter out;
  out.key("id");
  out.raw(graph.id);
  out.key("trees");
  const auto write = graph.labelled() ? write_samples<LabelledTreeDistribution> : write_samples<TreeDistribution>;
  write(graph, method, options, seed, out);
  out.close();
  return out.take();
}

}  // namespace

int run_sample(const SamplingOptions& options) {
  const SampleMethod& method = method_of(options);
  return run_lines(options.lines, options.count > kManyTrees, [&](std::string_view line, std::size_t index) {
    return answer_graph(line, [&](const Graph& graph) { return answer(graph, method, options, options.seed + index); });
  });
}

}  // namespace kirchhoff::cli
