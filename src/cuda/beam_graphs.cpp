// Trees without replacement of graphs of the host, on a device or by its kernels on the host.
#include "base/check.hpp"
#include "cuda/mirror.hpp"
#include "kirchhoff/cuda_beam.hpp"

#include <algorithm>
#include <string>

namespace kirchhoff::cuda {
namespace {

/// The arrays of a batch in the host's memory.
struct BeamArrays {
  std::vector<std::int32_t> lengths, heads, count;
  std::vector<std::int64_t> offsets;
  std::vector<double> scores, log_prob, perturbed, threshold;
  std::vector<GraphStatus> status;
  int words = 1;

  BeamArrays(const MatrixBatch& graphs, int k) : offsets(1, 0) {
    for (std::size_t i = 0; i < graphs.size(); ++i) {
      lengths.push_back(graphs.words(i));
      offsets.push_back(offsets.back() + graphs[i].size());
      scores.insert(scores.end(), graphs[i].data(), graphs[i].data() + graphs[i].size());
      words = std::max(words, graphs.words(i));
    }
    const std::size_t trees = graphs.size() * static_cast<std::size_t>(k);
    heads.resize(trees * (words + 1));
    log_prob.resize(trees);
    perturbed.resize(trees);
    threshold.resize(graphs.size());
    count.resize(graphs.size());
    status.resize(graphs.size());
  }
};

Tree tree_at(const BeamArrays& arrays, const MatrixView& scores, std::size_t tree, int n) {
  const auto begin = arrays.heads.begin() + static_cast<std::ptrdiff_t>(tree * (arrays.words + 1));
  Tree found{Heads(begin, begin + n + 1), {}, 0.0, arrays.log_prob[tree]};
  for (int word = 1; word <= n; ++word) found.score += scores(found.heads[word], word);
  return found;
}

std::vector<PerturbedTrees> trees_of(const BeamArrays& arrays, const MatrixBatch& graphs, int k) {
  std::vector<PerturbedTrees> found(graphs.size());
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    const std::size_t first = i * static_cast<std::size_t>(k);
    found[i].threshold = arrays.threshold[i];
    for (int t = 0; t < arrays.count[i]; ++t) {
      found[i].trees.push_back(tree_at(arrays, graphs[i], first + t, graphs.words(i)));
      found[i].perturbed.push_back(arrays.perturbed[first + t]);
    }
  }
  return found;
}

}  // namespace

std::vector<PerturbedTrees> beam_sample(const MatrixBatch& graphs, Root root, int k, std::uint64_t seed,
                                        Executor executor) {
  if (k < 0) base::input_error("cuda::beam_sample", std::to_string(k) + " trees");
  BeamArrays arrays(graphs, k);
  const Mirror<double> scores(arrays.scores, executor), log_prob(arrays.log_prob, executor);
  const Mirror<double> perturbed(arrays.perturbed, executor), threshold(arrays.threshold, executor);
  const Mirror<std::int32_t> lengths(arrays.lengths, executor), heads(arrays.heads, executor);
  const Mirror<std::int32_t> count(arrays.count, executor);
  const Mirror<std::int64_t> offsets(arrays.offsets, executor);
  const Mirror<GraphStatus> status(arrays.status, executor);
  scores.send();
  lengths.send();
  offsets.send();
  BeamQuestion question{.root = root, .graphs = static_cast<std::int64_t>(graphs.size()), .words = arrays.words};
  question.lengths = lengths.get();
  question.offsets = offsets.get();
  question.scores.values = scores.get();
  question.trees = k;
  question.seed = seed;
  question.heads = heads.get();
  question.log_prob = log_prob.get();
  question.perturbed = perturbed.get();
  question.threshold = threshold.get();
  question.count = count.get();
  question.status = status.get();
  beam_sample(question, {.executor = executor});
  heads.fetch();
  log_prob.fetch();
  perturbed.fetch();
  threshold.fetch();
  count.fetch();
  return trees_of(arrays, graphs, k);
}

}  // namespace kirchhoff::cuda
