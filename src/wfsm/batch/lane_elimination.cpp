// The plan of an elimination, by a table of all pairs of states, and its steps in lanes.
#include "wfsm/batch/lane_elimination.hpp"

#include <cstdint>
#include <utility>

namespace kirchhoff::wfsm {
namespace {

constexpr int kMostLaneStates = 128;
constexpr std::size_t kMostAdditions = 200'000;

/// The slots of all pairs of states that are not eliminated yet.
class Fill {
 public:
  explicit Fill(int size)
      : size_(size), slot_(static_cast<std::size_t>(size) * size, -1), left_(size, 1), in_(size, 0), out_(size, 0) {}

  /// The slot of a pair, which is made if it is new.
  EliminationPlan::Slot slot(int i, int j) {
    if (i == j) return -1 - i;
    int& slot = slot_[static_cast<std::size_t>(i) * size_ + j];
    if (slot < 0) {
      slot = count++;
      ++out_[i];
      ++in_[j];
    }
    return slot;
  }
  /// Eliminates the state with the fewest additions.
  EliminationPlan::Step next() {
    int best = -1;
    std::int64_t least = 0;
    for (int k = 0; k < size_; ++k) {
      if (!left_[k]) continue;
      const std::int64_t price = static_cast<std::int64_t>(in_[k]) * out_[k];
      if (best < 0 || price <= least) {
        best = k;
        least = price;
      }
    }
    left_[best] = 0;
    EliminationPlan::Step step{best, ins(best), outs(best), {}};
    for (const auto& in : step.ins) --out_[in.state];
    for (const auto& out : step.outs) --in_[out.state];
    for (const auto& in : step.ins) {
      for (const auto& out : step.outs) step.targets.push_back(slot(in.state, out.state));
    }
    return step;
  }
  int count = 0;

 private:
  int at(int i, int j) const { return slot_[static_cast<std::size_t>(i) * size_ + j]; }
  std::vector<EliminationPlan::Entry> ins(int k) const {
    std::vector<EliminationPlan::Entry> list;
    for (int i = 0; i < size_; ++i) {
      if (i != k && left_[i] && at(i, k) >= 0) list.push_back({i, at(i, k)});
    }
    return list;
  }
  std::vector<EliminationPlan::Entry> outs(int k) const {
    std::vector<EliminationPlan::Entry> list;
    for (int j = 0; j < size_; ++j) {
      if (j != k && left_[j] && at(k, j) >= 0) list.push_back({j, at(k, j)});
    }
    return list;
  }

  int size_;
  std::vector<int> slot_;
  std::vector<char> left_;
  std::vector<int> in_, out_;  // how many states that are left lead to each, and follow it
};

}  // namespace

std::optional<EliminationPlan> EliminationPlan::make(const TrimGraph& graph, int component) {
  const int first = graph.first[component];
  EliminationPlan plan;
  plan.size = graph.first[component + 1] - first;
  if (plan.size > kMostLaneStates) return std::nullopt;
  Fill fill(plan.size);
  for (std::size_t a = graph.begin[first]; a < graph.begin[first + plan.size]; ++a) {
    if (graph.inside(a)) plan.arcs.push_back(fill.slot(graph.from[a] - first, graph.arcs[a].to - first));
  }
  std::size_t additions = 0;
  for (int k = 0; k < plan.size; ++k) {
    plan.steps.push_back(fill.next());
    additions += plan.steps.back().targets.size();
    if (additions > kMostAdditions) return std::nullopt;
  }
  plan.slots = fill.count;
  return plan;
}

LaneElimination::LaneElimination(const EliminationPlan& plan, std::vector<Lanes> values, std::vector<Lanes> side,
                                 Pivot rule)
    : plan_(&plan), values_(std::move(values)), inverse_pivots_(plan.size) {
  for (const EliminationPlan::Step& step : plan.steps) {
    Lanes pivot = side[step.state], &inverse = inverse_pivots_[step.state];
    if (rule == Pivot::exits) {
      for (const auto& out : step.outs) pivot += values_[out.slot];
    }
    for (int i = 0; i < kLanes; ++i) {
      const double d = rule == Pivot::closure ? 1.0 - pivot[i] : pivot[i];
      failed_[i] = failed_[i] || !(d > 0.0);
      inverse[i] = d > 0.0 ? 1.0 / d : 1.0;
    }
    auto target = step.targets.begin();
    for (const auto& in : step.ins) {
      const Lanes c = values_[in.slot] * inverse;
      values_[in.slot] = c;
      for (const auto& out : step.outs) {
        const EliminationPlan::Slot slot = *target++;
        if (slot >= 0) {
          values_[slot] += c * values_[out.slot];
        } else if (rule == Pivot::closure) {
          side[in.state] += c * values_[out.slot];
        }
      }
      if (rule == Pivot::exits) side[in.state] += c * side[step.state];
    }
  }
}

void LaneElimination::solve_column(Lanes* x) const {
  for (const EliminationPlan::Step& step : plan_->steps) {
    for (const auto& in : step.ins) x[in.state] += values_[in.slot] * x[step.state];
  }
  for (auto step = plan_->steps.rbegin(); step != plan_->steps.rend(); ++step) {
    Lanes sum = x[step->state];
    for (const auto& out : step->outs) sum += values_[out.slot] * x[out.state];
    x[step->state] = sum * inverse_pivots_[step->state];
  }
}

void LaneElimination::solve_row(Lanes* x) const {
  for (const EliminationPlan::Step& step : plan_->steps) {
    x[step.state] = x[step.state] * inverse_pivots_[step.state];
    for (const auto& out : step.outs) x[out.state] += x[step.state] * values_[out.slot];
  }
  for (auto step = plan_->steps.rbegin(); step != plan_->steps.rend(); ++step) {
    for (const auto& in : step->ins) x[step->state] += values_[in.slot] * x[in.state];
  }
}

}  // namespace kirchhoff::wfsm
