// Asks the lanes about group after group, and notes what they leave.
#include "tree/batch/along.hpp"

#include "base/stop.hpp"
#include "tree/batch/groups.hpp"
#include "tree/kernels/lanes.hpp"

#include <algorithm>
#include <array>

namespace kirchhoff::tree {
namespace {

LaneGraph lane_graph(const TreeBatch& batch, const AlongQuestion& question, std::size_t i) {
  const std::size_t row = batch.row_length(i);
  const auto part = [&](std::span<double> array) -> double* {
    if (array.empty()) return nullptr;
    const std::span<double> out = batch.part(array, i);
    if (row != batch.words(i) + std::size_t{1}) std::ranges::fill(out, 0.0);
    return out.data();
  };
  return {batch.graphs()[i],
          static_cast<std::ptrdiff_t>(row),
          part(question.marginals),
          question.directions[i],
          question.difference,
          part(question.derivatives),
          question.sign};
}

}  // namespace

std::vector<std::size_t> along_in_lanes(const TreeBatch& batch, const AlongQuestion& question, const Stop& stop) {
  // A method that is named answers for every graph, and the distribution of an only graph is kept: it answers then.
  const bool in_lanes = batch.options().accuracy.method == Method::automatic && batch.size() > 1;
  const Groups groups(batch.graphs(), in_lanes ? kDerivativeLaneWords : 0);
  std::vector<char> solved(batch.size(), 0);
  parallel_for(groups.first_alone(), batch.options().threads, [&](std::size_t g) {
    base::check_stop(stop);
    const std::span<const std::size_t> group = groups[g];
    std::array<LaneGraph, kMostLanes> in;
    std::array<LaneAnswer, kMostLanes> out;
    for (std::size_t k = 0; k < group.size(); ++k) in[k] = lane_graph(batch, question, group[k]);
    solve_lanes_along({in.data(), group.size()}, batch.root(), batch.options().accuracy, {out.data(), group.size()});
    for (std::size_t k = 0; k < group.size(); ++k) {
      const std::size_t i = group[k];
      solved[i] = out[k].solved;
      if (!out[k].solved) continue;
      if (!question.entropies.empty()) question.entropies[i] = out[k].entropy;
      if (!question.log_partition.empty()) question.log_partition[i] = out[k].log_partition;
      if (!question.expectation.empty()) question.expectation[i] = out[k].mean;
    }
  });
  std::vector<std::size_t> rest;
  rest.reserve(solved.size());
  for (std::size_t i = 0; i < solved.size(); ++i) {
    if (!solved[i]) rest.push_back(i);
  }
  return rest;
}

}  // namespace kirchhoff::tree
