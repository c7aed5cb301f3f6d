// Checks a question about trees, and hands best trees to the executor that is asked for.
#include "base/check.hpp"
#include "cuda/array_of.hpp"
#include "cuda/kernels/best_tree.hpp"
#include "cuda/launch_trees.hpp"
#include "cuda/tree_task_of.hpp"
#include "kirchhoff/cuda_trees.hpp"

#include <string>

namespace kirchhoff::cuda {

static_assert(kLargestTreeScore == base::kLargestScore);

void check_question(const char* function, const TreeQuestion& question, std::int64_t trees) {
  if (question.graphs < 0) base::input_error(function, std::to_string(question.graphs) + " graphs");
  if (question.words < 1) base::input_error(function, std::to_string(question.words) + " words, expected 1 or more");
  if (question.labels < 1) base::input_error(function, std::to_string(question.labels) + " labels, expected 1 or more");
  if (question.graphs == 0) return;  // an empty array may have no address
  if (question.status == nullptr) base::input_error(function, "no room for the status of graphs");
  if (question.heads == nullptr && trees > 0) base::input_error(function, "no room for heads");
  if (array_of(question.scores).values == nullptr) base::input_error(function, "no scores");
}

TreeTask tree_task_of(const TreeQuestion& question, std::int64_t trees) {
  TreeTask task;
  task.graphs.graphs = question.graphs;
  task.graphs.words = question.words;
  task.graphs.labels = question.labels;
  task.graphs.single_root = question.root == Root::single;
  task.graphs.lengths = question.lengths;
  task.graphs.offsets = question.offsets;
  task.graphs.scores = array_of(question.scores);
  task.graphs.status = reinterpret_cast<Status*>(question.status);
  task.trees = trees;
  task.heads = question.heads;
  task.labels = question.tree_labels;
  task.score = question.score;
  return task;
}

void best_trees(const TreeQuestion& question, const Execution& execution) {
  check_question("cuda::best_trees", question, 1);
  if (question.graphs == 0) return;
  const TreeTask task = tree_task_of(question, 1);
  if (execution.executor == Executor::host) return best_trees_on_host(task);
  launch_best_trees(task, execution.stream);
}

}  // namespace kirchhoff::cuda
