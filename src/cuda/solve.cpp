// Graphs of the host that are solved on a device, or by its kernels on the host.
#include "cuda/launch.hpp"
#include "cuda/mirror.hpp"
#include "kirchhoff/cuda.hpp"

#include <algorithm>

namespace kirchhoff::cuda {
bool available() {
  bool found = false;
  describe_device(found);
  return found;
}

std::string description() {
  bool found = false;
  return describe_device(found);
}

BatchAnswers solve(const MatrixBatch& graphs, Root root, Executor executor) {
  const std::size_t count = graphs.size();
  BatchAnswers answers;
  answers.log_partition.resize(count);
  answers.entropy.resize(count);
  answers.status.resize(count);
  std::vector<std::int32_t> lengths(count);
  std::vector<std::int64_t> offsets(count + 1, 0);
  for (std::size_t i = 0; i < count; ++i) {
    lengths[i] = graphs.words(i);
    offsets[i + 1] = offsets[i] + graphs[i].size();
  }
  std::vector<double> scores(offsets.back()), marginals(offsets.back());
  for (std::size_t i = 0; i < count; ++i) std::copy_n(graphs[i].data(), graphs[i].size(), scores.data() + offsets[i]);

  const Mirror<double> given(scores, executor), found(marginals, executor);
  const Mirror<std::int32_t> words(lengths, executor);
  const Mirror<std::int64_t> begins(offsets, executor);
  const Mirror<double> log_partition(answers.log_partition, executor), entropy(answers.entropy, executor);
  const Mirror<GraphStatus> status(answers.status, executor);
  given.send();
  words.send();
  begins.send();
  BatchQuestion question{.root = root, .graphs = static_cast<std::int64_t>(count)};
  question.words = count == 0 ? 1 : *std::max_element(lengths.begin(), lengths.end());
  question.lengths = words.get();
  question.offsets = begins.get();
  question.scores.values = given.get();
  question.marginals.values = found.get();
  question.log_partition = log_partition.get();
  question.entropy = entropy.get();
  question.status = status.get();
  answer(question, {.executor = executor});
  log_partition.fetch();
  entropy.fetch();
  status.fetch();
  found.fetch();
  answers.marginals.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const Eigen::Index nodes = lengths[i] + 1;
    answers.marginals.emplace_back(MatrixView(marginals.data() + offsets[i], nodes, nodes));
  }
  return answers;
}

}  // namespace kirchhoff::cuda
