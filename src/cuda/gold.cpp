// Checks given trees' arrays, and hands them to the executor that is asked for.
#include "kirchhoff/cuda_gold.hpp"

#include "base/check.hpp"
#include "cuda/array_of.hpp"
#include "cuda/launch_trees.hpp"

#include <string>

namespace kirchhoff::cuda {
namespace {

GoldTask gold_task(const char* function, const GoldTrees& trees, const ArcArray& arcs) {
  if (trees.graphs < 0) base::input_error(function, std::to_string(trees.graphs) + " graphs");
  if (trees.words < 1 || trees.words > kMostGoldWords) {
    base::input_error(function,
                      std::to_string(trees.words) + " words, expected 1 to " + std::to_string(kMostGoldWords));
  }
  if (trees.labels < 1) base::input_error(function, std::to_string(trees.labels) + " labels, expected 1 or more");
  GoldTask task;
  task.graphs.graphs = trees.graphs;
  task.graphs.words = trees.words;
  task.graphs.labels = trees.labels;
  task.graphs.single_root = trees.root == Root::single;
  task.graphs.lengths = trees.lengths;
  task.graphs.scores = array_of(arcs);
  task.heads = trees.heads;
  task.labels = trees.tree_labels;
  const bool missing = task.graphs.scores.values == nullptr || trees.heads == nullptr ||
                       (trees.labels > 1 && trees.tree_labels == nullptr);
  if (trees.graphs > 0 && missing) base::input_error(function, "no array of arcs, no heads, or no labels");
  return task;
}

void run(const GoldTask& task, const Execution& execution) {
  if (task.graphs.graphs == 0) return;
  if (execution.executor == Executor::host) return gold_on_host(task);
  launch_gold(task, execution.stream);
}

}  // namespace

void score_trees(const GoldTrees& trees, const ArcArray& scores, double* score, std::uint8_t* wrong,
                 const Execution& execution) {
  constexpr const char* kFunction = "cuda::score_trees";
  GoldTask task = gold_task(kFunction, trees, scores);
  if (trees.graphs > 0 && (score == nullptr || wrong == nullptr)) base::input_error(kFunction, "no room for scores");
  task.score = score;
  task.wrong = wrong;
  run(task, execution);
}

void subtract_from_trees(const GoldTrees& trees, const double* factors, const ArcArray& marginals,
                         const Execution& execution) {
  constexpr const char* kFunction = "cuda::subtract_from_trees";
  GoldTask task = gold_task(kFunction, trees, marginals);
  if (trees.graphs > 0 && factors == nullptr) base::input_error(kFunction, "no factors");
  task.factors = factors;
  run(task, execution);
}

}  // namespace kirchhoff::cuda
