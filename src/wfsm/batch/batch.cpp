// Batches of machines: chains in lanes, and a machine for each row where components are too large for that.
#include "base/check.hpp"
#include "wfsm/batch/batch_state.hpp"
#include "wfsm/expectation/count_cumulants.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace kirchhoff {

using wfsm::kLanes;
using wfsm::LaneChain;
using wfsm::Lanes;
using wfsm::TrimGraph;

namespace {

using State = WfsmBatch::State;
using wfsm::Block;
using wfsm::read;

void read(const Block& block, const MatrixRef& matrix, std::vector<double>& x) {
  for (Eigen::Index k = 0; k < matrix.cols(); ++k) x[k] = matrix(block.first, k);
}
void write(const Block& block, const std::vector<Lanes>& x, Matrix& matrix) {
  for (int i = 0; i < block.count; ++i) {
    for (Eigen::Index k = 0; k < matrix.cols(); ++k) matrix(block.first + i, k) = x[k][i];
  }
}
void write(const Block& block, const std::vector<double>& x, Matrix& matrix) {
  std::copy_n(x.begin(), matrix.cols(), matrix.row(block.first).data());
}

void check_weights(const Matrix& w) {
  int wrong = 0;
  for (Eigen::Index i = 0; i < w.size(); ++i) {  // without branches
    const double x = w.data()[i];
    wrong |= static_cast<int>(!(x <= 1e9)) | (static_cast<int>(!(x >= -1e9)) & static_cast<int>(x != -HUGE_VAL));
  }
  if (wrong == 0) return;
  for (Eigen::Index i = 0; i < w.rows(); ++i) {
    for (Eigen::Index k = 0; k < w.cols(); ++k) {
      if (w(i, k) == -HUGE_VAL || std::abs(w(i, k)) <= 1e9) continue;
      base::input_error("WfsmBatch", "machine " + std::to_string(i) + ": the log-weight of place " + std::to_string(k) +
                                         " is not a number, +inf or beyond 1e9 in size");
    }
  }
}

void check_shape(const char* function, const State& s, const MatrixRef& m) {
  if (m.rows() == s.log_weights.rows() && m.cols() == s.log_weights.cols()) {
    if (!m.allFinite()) base::input_error(function, "a direction is not finite");
    return;
  }
  base::input_error(function, std::to_string(m.rows()) + " x " + std::to_string(m.cols()) + " numbers, expected " +
                                  std::to_string(s.log_weights.rows()) + " x " + std::to_string(s.log_weights.cols()));
}

void solve_lanes(State& s) {
  s.lanes.resize((s.size() + kLanes - 1) / kLanes);
  parallel_for(s.lanes.size(), s.threads, [&](std::size_t g) {
    const Block block = wfsm::block_of(s, g);
    const Eigen::Index first = block.first;
    s.lanes[g].emplace(*s.in_lanes, wfsm::weights_in(block, s));
    for (int i = 0; i < block.count; ++i) {
      if (s.lanes[g]->error(i) <= s.skeleton.accuracy().tolerance) continue;
      const std::optional<Wfsm> alone = wfsm::machine_of_row(s, static_cast<std::size_t>(first + i));
      s.lanes[g]->replace(i, alone ? &wfsm::chain_of(*alone) : nullptr);
    }
    for (int i = 0; i < block.count; ++i) s.log_z(first + i) = s.lanes[g]->log_total(s.graph().source(), i);
  });
}

void solve_machines(State& s) {
  s.machines.resize(s.size());
  parallel_for(s.size(), s.threads, [&](std::size_t i) {
    s.machines[i] = wfsm::machine_of_row(s, i);
    s.log_z(static_cast<Eigen::Index>(i)) = s.machines[i] ? s.machines[i]->log_partition() : -HUGE_VAL;
  });
}

}  // namespace

std::optional<Wfsm> wfsm::machine_of_row(const State& s, std::size_t row) {
  wfsm::Machine m = wfsm::machine_of(s.skeleton);
  const auto w = s.log_weights.row(static_cast<Eigen::Index>(row));
  const auto set = [&](double& weight, int place) {
    if (weight != -HUGE_VAL && place < w.cols()) weight = w(place);
  };
  for (std::size_t t = 0; t < m.transitions.size(); ++t) set(m.transitions[t].log_weight, static_cast<int>(t));
  for (int i = 0; i < m.states; ++i) {
    set(m.start[i], m.start_place(i));
    set(m.final[i], m.final_place(i));
  }
  const TrimGraph graph = wfsm::trim(m);
  if (graph.state.empty()) return std::nullopt;
  try {
    return WfsmAccess::make(std::move(m), graph, s.skeleton.accuracy());
  } catch (const InfiniteSum& e) {
    throw InfiniteSum("machine " + std::to_string(row) + ": " + e.what(), e.transition);
  }
}

WfsmBatch::WfsmBatch(const Wfsm& skeleton, const MatrixRef& log_weights, int threads) {
  const wfsm::Machine& machine = wfsm::machine_of(skeleton);
  const auto transitions = static_cast<Eigen::Index>(machine.transitions.size());
  if (log_weights.cols() != machine.places() && log_weights.cols() != transitions) {
    base::input_error("WfsmBatch", std::to_string(log_weights.cols()) + " columns, expected " +
                                       std::to_string(transitions) + " for the transitions, or " +
                                       std::to_string(machine.places()) + " with start and final weights");
  }
  auto state = std::make_shared<State>(State{skeleton, log_weights, {}, threads, {}, {}, {}, {}});
  for (int place = 0; place < machine.places(); ++place) state->own.push_back(wfsm::log_weight_at(machine, place));
  check_weights(state->log_weights);
  if (skeleton.accuracy().method != Method::robust) state->in_lanes = wfsm::LaneSkeleton::make(state->graph());
  state->log_z = Vector::Zero(log_weights.rows());
  state->in_lanes ? solve_lanes(*state) : solve_machines(*state);
  state_ = std::move(state);
}

std::size_t WfsmBatch::size() const { return state_->size(); }
const Wfsm& WfsmBatch::skeleton() const { return state_->skeleton; }
const Vector& WfsmBatch::log_partition() const { return state_->log_z; }

Matrix WfsmBatch::counts() const {
  Matrix result = Matrix::Zero(state_->log_weights.rows(), state_->log_weights.cols());
  wfsm::for_each_chain(*state_, [&](const Block& block, const auto& chain) {
    using Number = wfsm::NumberOf<std::decay_t<decltype(chain)>>;
    const TrimGraph& g = chain.graph();
    std::vector<Number> counts(state_->own.size(), Number{});
    for (std::size_t a = 0; a < g.arcs.size(); ++a) counts[g.arcs[a].place] = chain.visits()[g.from[a]] * chain.p()[a];
    write(block, counts, result);
  });
  return result;
}

Matrix WfsmBatch::counts_along(const MatrixRef& directions) const {
  check_shape("counts_along", *state_, directions);
  Matrix result = Matrix::Zero(state_->log_weights.rows(), state_->log_weights.cols());
  wfsm::for_each_chain(*state_, [&](const Block& block, const auto& chain) {
    std::vector<wfsm::NumberOf<std::decay_t<decltype(chain)>>> f(state_->own.size());
    read(block, directions, f);
    write(block, wfsm::count_covariances(chain, f), result);
  });
  return result;
}

Matrix WfsmBatch::third_along(const MatrixRef& r, const MatrixRef& s) const {
  check_shape("third_along", *state_, r);
  check_shape("third_along", *state_, s);
  Matrix result = Matrix::Zero(state_->log_weights.rows(), state_->log_weights.cols());
  wfsm::for_each_chain(*state_, [&](const Block& block, const auto& chain) {
    std::vector<wfsm::NumberOf<std::decay_t<decltype(chain)>>> f(state_->own.size()), g = f;
    read(block, r, f);
    read(block, s, g);
    write(block, wfsm::count_third_cumulants(chain, f, g), result);
  });
  return result;
}

}  // namespace kirchhoff
