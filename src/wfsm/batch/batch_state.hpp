// What a batch of machines keeps, and how its chains are visited.
#pragma once

#include "kirchhoff/wfsm_batch.hpp"
#include "wfsm/batch/lane_chain.hpp"
#include "wfsm/wfsm_state.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace kirchhoff {

struct WfsmBatch::State {
  Wfsm skeleton;
  Matrix log_weights;       ///< of all places, or of transitions alone
  std::vector<double> own;  ///< the skeleton's log-weights of all places
  int threads = kAllCores;
  std::optional<wfsm::LaneSkeleton> in_lanes;
  std::vector<std::optional<wfsm::LaneChain>> lanes;  ///< of every eight machines
  std::vector<std::optional<Wfsm>> machines;  ///< of every machine that is not in lanes, but those without a path
  Vector log_z;

  const wfsm::TrimGraph& graph() const { return wfsm::chain_of(skeleton).graph(); }
  auto size() const { return static_cast<std::size_t>(log_weights.rows()); }
};

namespace wfsm {

/// The rows of a matrix that belong to one chain.
struct Block {
  Eigen::Index first;
  int count;
};

/// The block of lanes number g.
inline Block block_of(const WfsmBatch::State& s, std::size_t g) {
  const auto first = static_cast<Eigen::Index>(g) * kLanes;
  return {first, static_cast<int>(std::min<Eigen::Index>(kLanes, s.log_weights.rows() - first))};
}

/// Places that the matrix has no columns for stay as they are.
inline void read(const Block& block, const MatrixRef& matrix, std::vector<Lanes>& x) {
  for (int i = 0; i < kLanes; ++i) {  // what is left over has the first one once more
    const Eigen::Index row = block.first + (i < block.count ? i : 0);
    for (Eigen::Index k = 0; k < matrix.cols(); ++k) x[k][i] = matrix(row, k);
  }
}

/// The log-weights of all places.
inline std::vector<Lanes> weights_in(const Block& block, const WfsmBatch::State& s) {
  std::vector<Lanes> x(s.own.size());
  for (auto k = static_cast<std::size_t>(s.log_weights.cols()); k < x.size(); ++k) x[k].lane.fill(s.own[k]);
  read(block, s.log_weights, x);
  return x;
}

/// The machine of one row, or nothing when it has no trajectory.
std::optional<Wfsm> machine_of_row(const WfsmBatch::State& s, std::size_t row);

/// Calls visit(block, its chain) for all of them, in parallel.
template <class Visit>
void for_each_chain(const WfsmBatch::State& s, Visit visit) {
  if (s.in_lanes) {
    parallel_for(s.lanes.size(), s.threads, [&](std::size_t g) { visit(block_of(s, g), *s.lanes[g]); });
  } else {
    parallel_for(s.size(), s.threads, [&](std::size_t i) {
      if (s.machines[i]) visit(Block{static_cast<Eigen::Index>(i), 1}, chain_of(*s.machines[i]));
    });
  }
}

}  // namespace wfsm
}  // namespace kirchhoff
