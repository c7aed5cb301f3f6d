// Checks a question, and hands it to the executor that is asked for.
#include "kirchhoff/cuda.hpp"

#include "base/check.hpp"
#include "cuda/array_of.hpp"
#include "cuda/kernels/question.hpp"
#include "cuda/launch.hpp"

#include <string>

namespace kirchhoff::cuda {
namespace {

static_assert(sizeof(GraphStatus) == sizeof(Status) &&
              static_cast<int>(GraphStatus::invalid) == static_cast<int>(Status::invalid));

void check(const BatchQuestion& question) {
  constexpr const char* kName = "cuda::answer";
  if (question.graphs < 0) base::input_error(kName, std::to_string(question.graphs) + " graphs");
  if (question.words < 1) base::input_error(kName, std::to_string(question.words) + " words, expected 1 or more");
  if (question.labels < 1) base::input_error(kName, std::to_string(question.labels) + " labels, expected 1 or more");
  if (question.graphs == 0) return;  // an empty array may have no address
  if (question.status == nullptr) base::input_error(kName, "no room for the status of graphs");
  if (array_of(question.scores).values == nullptr) base::input_error(kName, "no scores");
}

}  // namespace

ArcArray contiguous(Numbers values, int words, int labels) {
  const std::int64_t nodes = std::int64_t{words} + 1;
  return {values, nodes * nodes * labels, nodes * labels, labels, 1};
}

void answer(const BatchQuestion& question, const Execution& execution) {
  check(question);
  if (question.graphs == 0) return;
  Question q;
  q.graphs = question.graphs;
  q.words = question.words;
  q.labels = question.labels;
  q.single_root = question.root == Root::single;
  q.lengths = question.lengths;
  q.offsets = question.offsets;
  q.scores = array_of(question.scores);
  q.direction = array_of(question.direction);
  q.score_share = question.score_share;
  q.log_partition = question.log_partition;
  q.entropy = question.entropy;
  q.expectation = question.expectation;
  q.marginals = array_of(question.marginals);
  q.derivatives = array_of(question.derivatives);
  q.status = reinterpret_cast<Status*>(question.status);
  if (execution.executor == Executor::host) return solve_on_host(q);
  launch_solve(q, execution.stream);
}

}  // namespace kirchhoff::cuda
