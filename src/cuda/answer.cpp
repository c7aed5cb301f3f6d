// Checks a question, and hands it to the executor that is asked for.
#include "kirchhoff/cuda.hpp"

#include "base/check.hpp"
#include "cuda/array_of.hpp"
#include "cuda/kernels/question.hpp"
#include "cuda/launch.hpp"

#include <algorithm>
#include <cmath>
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
  const Accuracy& accuracy = question.accuracy;
  if (!(accuracy.tolerance > 0.0 && accuracy.floor >= 0.0)) {
    base::input_error(kName, "an accuracy needs a tolerance above 0, and a floor that is not below 0");
  }
  if (question.status == nullptr) base::input_error(kName, "no room for the status of graphs");
  if (array_of(question.scores).values == nullptr) base::input_error(kName, "no scores");
}

/// What the fast method is held to. Errors that are lost when a marginal is rounded to a float do not count.
FastAccuracy accuracy_of(const BatchQuestion& question) {
  const Accuracy& asked = question.accuracy;
  if (asked.method == Method::fast) return {true, HUGE_VAL, 1.0};
  const bool floats = std::holds_alternative<float*>(question.marginals.values);
  return {asked.method != Method::robust, floats ? std::max(asked.tolerance, 0x1p-27) : asked.tolerance, asked.floor};
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
  q.accuracy = accuracy_of(question);
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
