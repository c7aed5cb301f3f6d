// The kernels that give trees, on the host.
#include "cuda/kernels/best_tree.hpp"
#include "cuda/kernels/gold_tree.hpp"
#include "cuda/kernels/sample_trees.hpp"
#include "cuda/launch.hpp"
#include "cuda/launch_trees.hpp"
#include "kirchhoff/parallel.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>

namespace kirchhoff::cuda {
namespace {

using Team = HostTeam<32>;

template <class F>
void for_each_graph(const Question& graphs, F f) {
  parallel_for(static_cast<std::size_t>(graphs.graphs), kAllCores,
               [&](std::size_t g) { f(static_cast<std::int64_t>(g)); });
}

}  // namespace

void best_trees_on_host(const TreeTask& task) {
  for_each_graph(task.graphs, [&](std::int64_t g) {
    const int words = possible_words(task, g) ? words_of(task.graphs, g) : 1;
    const auto memory = std::make_unique<char[]>(ContractionDesk::bytes(words));
    double tile[kTile<Team>];
    best_tree(Team(), task, g, memory.get(), tile);
  });
}

void samples_on_host(const SampleTask& task) {
  std::fill_n(task.graph_spent, task.arcs.graphs, 0);
  if (task.packed) for_each_graph(task.arcs, [&](std::int64_t g) { sum_labels(Team(), task, g); });
  solve_on_host(task.arcs);
  for_each_graph(task.arcs, [&](std::int64_t g) {
    const int words = possible_words(task.trees, g) ? words_of(task.trees.graphs, g) : 1;
    const auto memory = std::make_unique<char[]>(AliasTables::bytes(words + 1));
    for (std::int64_t i = 0; i < slices(task); ++i) sample_slice(Team(), task, g, i, memory.get());
  });
}

void gold_on_host(const GoldTask& task) {
  for_each_graph(task.graphs, [&](std::int64_t g) {
    if (task.factors != nullptr) return subtract_from_tree(Team(), task, g);
    const auto memory = std::make_unique<char[]>(gold_bytes<Team>(task.graphs.words));
    score_tree(Team(), task, g, memory.get());
  });
}

void copy_on_host(const Question& graphs, std::int64_t graph, double* to) { copy_scores(Team(), graphs, graph, to); }

}  // namespace kirchhoff::cuda
