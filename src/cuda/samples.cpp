// Draws samples of a batch, some graphs at a time, and lets the CPU draw what the kernels leave over.
#include "base/check.hpp"
#include "cuda/launch.hpp"
#include "cuda/launch_trees.hpp"
#include "cuda/left_over.hpp"
#include "cuda/tree_task_of.hpp"
#include "kirchhoff/cuda_trees.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

namespace kirchhoff::cuda {
namespace {

constexpr const char* kSampleTrees = "cuda::sample_trees";

/// Bytes for graphs that are solved together.
constexpr std::size_t kMostBytes = std::size_t{256} << 20;

/// Draws after which a walk is left to the CPU, which is as fast as many threads of a device: walks of sensible weights
/// take a few draws for each word.
std::int64_t budget_of(int words) { return 32768 + 64 * std::int64_t{words}; }

Walker walker_of(Sampler method, Root root) {
  const bool single = root == Root::single;
  if (method == Sampler::colbourn) return Walker::nobody;
  if (method == Sampler::automatic) return single ? Walker::marginal : Walker::wilson;
  if ((method == Sampler::wilson) == single) {
    base::input_error(kSampleTrees, std::string(to_string(method)) + " is for the other root mode");
  }
  return method == Sampler::wilson ? Walker::wilson
                                   : (method == Sampler::wilson_reject ? Walker::reject : Walker::marginal);
}

/// Bytes on the host or a device.
class Room {
 public:
  Room(std::size_t bytes, const Execution& execution) {
    if (execution.executor == Executor::device) {
      device_.emplace(bytes, execution.stream);
    } else {
      host_ = std::make_unique<char[]>(bytes);
    }
  }
  char* get() const { return device_ ? static_cast<char*>(device_->get()) : host_.get(); }

 private:
  std::unique_ptr<char[]> host_;
  std::optional<DeviceMemory> device_;
};

/// What graphs need beside the caller's arrays, and where it lies in a piece of memory.
class Needs {
 public:
  explicit Needs(const SampleTask& task)
      : matrix_(std::size_t(task.arcs.words + 1) * (task.arcs.words + 1) * sizeof(double)),
        packed_(task.packed ? matrix_ : 0),
        marginals_(task.walker == Walker::marginal ? matrix_ : 0),
        spent_(static_cast<std::size_t>(task.trees.trees)) {}

  std::size_t bytes() const { return packed_ + marginals_ + sizeof(int) + spent_; }  // of a graph
  void lay_out(SampleTask& task, char* memory) const {
    const auto graphs = static_cast<std::size_t>(task.arcs.graphs);
    const auto take = [&](std::size_t bytes) {
      char* const taken = memory;
      memory += graphs * bytes;
      return taken;
    };
    const auto matrices = [&](std::size_t bytes) {
      const std::int64_t nodes = task.arcs.words + 1;
      return Array{take(bytes), false, nodes * nodes, nodes, 1, 1};
    };
    if (packed_ > 0) task.arcs.scores = matrices(packed_);
    if (marginals_ > 0) task.arcs.marginals = matrices(marginals_);
    task.graph_spent = reinterpret_cast<int*>(take(sizeof(int)));
    task.spent = reinterpret_cast<std::uint8_t*>(take(spent_));
  }

 private:
  std::size_t matrix_, packed_, marginals_, spent_;
};

/// The graphs from `first` up to `end` of a question.
TreeQuestion part_of(TreeQuestion question, std::int64_t first, std::int64_t end, std::int64_t trees) {
  const std::int64_t row = first * trees * (question.words + 1);
  question.graphs = end - first;
  if (question.lengths != nullptr) question.lengths += first;
  if (question.offsets != nullptr) question.offsets += first;
  const std::int64_t begin = question.offsets != nullptr ? 0 : first * question.scores.graph_stride;
  if (auto* const doubles = std::get_if<double*>(&question.scores.values)) *doubles += begin;
  if (auto* const floats = std::get_if<float*>(&question.scores.values)) *floats += begin;
  question.heads += row;
  if (question.tree_labels != nullptr) question.tree_labels += row;
  if (question.score != nullptr) question.score += first * trees;
  question.status += first;
  return question;
}

SampleTask task_of(const TreeQuestion& question, const TreeDraws& draws) {
  SampleTask task;
  task.trees = tree_task_of(question, draws.count);
  task.walker = walker_of(draws.method, question.root);
  task.seed = draws.seed;
  task.budget = budget_of(question.words);
  task.arcs = task.trees.graphs;
  task.packed = question.labels > 1 || question.offsets != nullptr;
  task.arcs.labels = 1;
  if (task.packed) task.arcs.offsets = nullptr;
  return task;
}

void check(const TreeQuestion& question, const TreeDraws& draws) {
  check_question(kSampleTrees, question, draws.count);
  if (draws.count < 0) base::input_error(kSampleTrees, std::to_string(draws.count) + " samples, expected 0 or more");
  if (question.words > 65535)
    base::input_error(kSampleTrees, std::to_string(question.words) + " words, expected up to 65535");
  if (question.labels > 1 && question.score != nullptr && question.tree_labels == nullptr) {
    base::input_error(kSampleTrees, "no room for labels, which scores depend on");
  }
  walker_of(draws.method, question.root);
}

}  // namespace

void sample_trees(const TreeQuestion& question, const TreeDraws& draws, const Execution& execution) {
  check(question, draws);
  if (question.graphs == 0) return;
  const Needs needs(task_of(question, draws));
  const auto most = static_cast<std::int64_t>(std::max<std::size_t>(kMostBytes / needs.bytes(), 1));
  const std::int64_t together = std::min(question.graphs, most);
  const Room room(static_cast<std::size_t>(together) * needs.bytes(), execution);
  for (std::int64_t first = 0; first < question.graphs; first += together) {
    const std::int64_t end = std::min(question.graphs, first + together);
    SampleTask task = task_of(part_of(question, first, end, draws.count), draws);
    task.seed += static_cast<std::uint64_t>(first);
    needs.lay_out(task, room.get());
    execution.executor == Executor::host ? samples_on_host(task) : launch_samples(task, execution.stream);
    draw_left_over(task, draws.method, execution);
  }
}

}  // namespace kirchhoff::cuda
