// Checks a question about trees without replacement, and hands it to the executor that is asked for.
#include "kirchhoff/cuda_beam.hpp"

#include "base/check.hpp"
#include "cuda/array_of.hpp"
#include "cuda/beam_launch.hpp"

#include <limits>
#include <string>

namespace kirchhoff::cuda {
namespace {

constexpr const char* kBeamSample = "cuda::beam_sample";

void check(const BeamQuestion& question) {
  if (question.graphs < 0) base::input_error(kBeamSample, std::to_string(question.graphs) + " graphs");
  if (question.words < 1 || question.words > std::numeric_limits<std::uint16_t>::max()) {
    base::input_error(kBeamSample, std::to_string(question.words) + " words, expected 1 to 65535");
  }
  const bool fits = (std::int64_t{question.trees} + 1) * (question.words + 1) <= std::numeric_limits<int>::max();
  if (question.trees < 0 || !fits) base::input_error(kBeamSample, std::to_string(question.trees) + " trees");
  if (question.graphs == 0) return;  // an empty array may have no address
  if (question.status == nullptr) base::input_error(kBeamSample, "no room for the status of graphs");
  if (array_of(question.scores).values == nullptr) base::input_error(kBeamSample, "no scores");
}

BeamSearch search_of(const BeamQuestion& question) {
  BeamSearch search;
  search.graphs.graphs = question.graphs;
  search.graphs.words = question.words;
  search.graphs.single_root = question.root == Root::single;
  search.graphs.lengths = question.lengths;
  search.graphs.offsets = question.offsets;
  search.graphs.scores = array_of(question.scores);
  search.graphs.status = reinterpret_cast<Status*>(question.status);
  search.trees = question.trees;
  search.seed = question.seed;
  search.heads = question.heads;
  search.log_prob = question.log_prob;
  search.perturbed = question.perturbed;
  search.threshold = question.threshold;
  search.count = question.count;
  return search;
}

}  // namespace

void beam_sample(const BeamQuestion& question, const Execution& execution) {
  check(question);
  if (question.graphs == 0) return;
  const BeamSearch search = search_of(question);
  if (execution.executor == Executor::host) return beam_on_host(search);
  launch_beam(search, execution.stream);
}

}  // namespace kirchhoff::cuda
