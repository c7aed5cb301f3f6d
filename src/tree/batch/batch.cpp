// Batches of trees: small graphs are solved several at once, in lanes.
#include "tree/batch/batch.hpp"

#include "tree/batch/marginals_along.hpp"
#include "tree/solve.hpp"

#include <array>

namespace kirchhoff {

template <>
void BatchOf<TreeDistribution>::State::solve_into(std::size_t i, tree::BatchAnswers& answers, double* out) const {
  const auto stride = static_cast<std::ptrdiff_t>(row_length(i));
  const tree::LogPartition solved = with_scores<TreeDistribution>(graphs[i], [&](const MatrixRef& scores) {
    return tree::marginals_into(scores, root, options.accuracy, out, stride);
  });
  answers.log_partition[i] = solved.log_partition;
  answers.reports[i] = solved.report;
}

template <>
void BatchOf<TreeDistribution>::State::solve_group(std::span<const std::size_t> group,
                                                   tree::BatchAnswers& answers) const {
  std::array<tree::LaneGraph, tree::kMostLanes> in;
  std::array<tree::LaneAnswer, tree::kMostLanes> out;
  for (std::size_t k = 0; k < group.size(); ++k) {
    const std::size_t i = group[k];
    if (is_padded(i)) clear(i, answers);
    in[k] = {graphs[i], static_cast<std::ptrdiff_t>(row_length(i)), answers.values.get() + offset[i]};
  }
  tree::solve_lanes({in.data(), group.size()}, root, options.accuracy, {out.data(), group.size()});
  for (std::size_t k = 0; k < group.size(); ++k) {
    if (!out[k].solved) {
      solve_alone(group[k], answers);
      continue;
    }
    answers.log_partition[group[k]] = out[k].log_partition;
    answers.reports[group[k]] = {out[k].method, false, true};
  }
}

template class BatchOf<TreeDistribution>;

}  // namespace kirchhoff
