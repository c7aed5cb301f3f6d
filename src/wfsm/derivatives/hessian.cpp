// The Hessian of Z, row by row [ZmigrodW21, corollary 2].
//
// For t = (i -> j) and u = (k -> l),
//   d2Z/dw_t dw_u = s_i W*_jk e_l + s_k W*_li e_j = Z r_t r_u (visits_i P*_jk + visits_k P*_li),   r_t = e_j / e_i.
// Transitions between the same states share their row, and within a row their values: a row is computed for pairs of
// states, where targets in sequence are one vector operation, and spread from there.
#include "base/check.hpp"
#include "base/stop.hpp"
#include "kirchhoff/wfsm_derivatives.hpp"
#include "numeric/simd/products.hpp"
#include "wfsm/derivatives/all_states.hpp"
#include "wfsm/derivatives/visits.hpp"
#include "wfsm/kernels/runs.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace kirchhoff {
namespace wfsm {

Ends ends_of(const Machine& machine, const TrimGraph& graph, int place) {
  const auto transitions = static_cast<int>(machine.transitions.size());
  if (place < transitions)
    return {graph.node[machine.transitions[place].from], graph.node[machine.transitions[place].to]};
  place -= transitions;
  if (place < machine.states) return {graph.source(), graph.node[place]};
  return {graph.node[place - machine.states], graph.sink()};
}

Matrix all_visits(const MarkovChain& chain, const Stop& stop) {
  const int n = chain.graph().nodes();
  Matrix visits = Matrix::Identity(n, n);
  for (int v = 0; v < n; ++v) {
    base::check_stop(stop);
    chain.forward(visits.row(v).data());
  }
  return visits;
}

void check_memory(const char* function, const Wfsm& machine, int order, double max_bytes) {
  const double bytes = 8.0 * std::pow(static_cast<double>(machine.transitions().size()), order);
  if (bytes <= max_bytes) return;
  char text[128];
  std::snprintf(text, sizeof text, "needs %.3g bytes, more than the limit of %.3g", bytes, max_bytes);
  base::input_error(function, text);
}

}  // namespace wfsm

namespace {

class HessianRows {
 public:
  HessianRows(const Wfsm& machine, const Stop& stop);
  /// `has_before` says that the row of the transition before it stands before it.
  void write(int transition, double* row, bool has_before);

 private:
  struct StatePair {
    wfsm::Ends ends;
    double ratio = 0.0;
  };
  void add_pairs(const Wfsm& machine);
  void compute(const StatePair& pair, double* out);

  double z_;
  Matrix visits_, visits_to_;  // P* and its transpose
  std::vector<double> start_visits_;
  std::vector<StatePair> pairs_;
  std::vector<double> ratios_;   // the ratios of the pairs
  std::vector<wfsm::Run> runs_;  // pairs (k, l), (k, l + 1), ...
  std::vector<int> pair_of_;     // the pair of each transition; the last one is for those that cannot be used
  bool identity_ = true;         // transitions are pairs, in the same order
  std::vector<double> values_;
};

HessianRows::HessianRows(const Wfsm& machine, const Stop& stop) {
  const wfsm::MarkovChain& chain = wfsm::chain_of(machine);
  z_ = numeric::power(chain.total()[0].m, chain.total()[0].e);
  visits_ = wfsm::all_visits(chain, stop);
  visits_to_ = visits_.transpose();
  start_visits_ = chain.visits();
  add_pairs(machine);
  for (std::size_t q = 0; q < pairs_.size(); ++q) {
    const numeric::Extended r = chain.total()[pairs_[q].ends.to] / chain.total()[pairs_[q].ends.from];
    pairs_[q].ratio = numeric::power(r.m, r.e);
    ratios_.push_back(pairs_[q].ratio);
    const bool follows =
        q > 0 && pairs_[q - 1].ends.from == pairs_[q].ends.from && pairs_[q - 1].ends.to + 1 == pairs_[q].ends.to;
    if (!follows) runs_.push_back({pairs_[q].ends.from, pairs_[q].ends.to, q, 0});
    ++runs_.back().count;
  }
  values_.assign(pairs_.size() + 1, 0.0);
}

void HessianRows::add_pairs(const Wfsm& machine) {
  const auto size = static_cast<int>(machine.transitions().size());
  std::vector<wfsm::Ends> ends;
  ends.reserve(machine.transitions().size());
  for (int t = 0; t < size; ++t) {
    ends.push_back(wfsm::ends_of(wfsm::machine_of(machine), wfsm::chain_of(machine).graph(), t));
  }
  std::vector<wfsm::Ends> sorted;
  std::copy_if(ends.begin(), ends.end(), std::back_inserter(sorted), [](const wfsm::Ends& e) { return e.useful(); });
  const auto less = [](const wfsm::Ends& a, const wfsm::Ends& b) {
    return a.from != b.from ? a.from < b.from : a.to < b.to;
  };
  std::sort(sorted.begin(), sorted.end(), less);
  for (const wfsm::Ends& e : sorted) {
    if (pairs_.empty() || less(pairs_.back().ends, e)) pairs_.push_back({e, 0.0});
  }
  for (int t = 0; t < size; ++t) {
    const auto at = std::lower_bound(pairs_.begin(), pairs_.end(), ends[t],
                                     [&](const StatePair& p, const wfsm::Ends& e) { return less(p.ends, e); });
    pair_of_.push_back(static_cast<int>(ends[t].useful() ? at - pairs_.begin() : static_cast<int>(pairs_.size())));
    identity_ = identity_ && pair_of_.back() == t && ends[t].useful();
  }
}

void HessianRows::compute(const StatePair& pair, double* out) {
  const auto [i, j] = pair.ends;
  const double c = z_ * pair.ratio;
  wfsm::weighted_runs(runs_.size(), runs_.data(), c * start_visits_[i], visits_.row(j).data(), c, start_visits_.data(),
                      visits_to_.row(i).data(), ratios_.data(), out);
  // No derivative is negative, so one look at their sum is enough.
  if (!std::isfinite(Eigen::Map<const Vector>(out, static_cast<Eigen::Index>(pairs_.size())).sum())) {
    base::input_error("hessian", "a derivative is beyond the range of doubles");
  }
}

void HessianRows::write(int transition, double* row, bool has_before) {
  const std::size_t size = pair_of_.size();
  const bool same_as_before = has_before && pair_of_[transition - 1] == pair_of_[transition];
  if (pair_of_[transition] == static_cast<int>(pairs_.size())) {
    std::fill_n(row, size, 0.0);
  } else if (identity_) {
    compute(pairs_[transition], row);
  } else if (same_as_before) {
    std::memcpy(row, row - size, size * sizeof(double));
  } else {
    compute(pairs_[pair_of_[transition]], values_.data());
    for (std::size_t u = 0; u < size; ++u) row[u] = values_[pair_of_[u]];
  }
}

/// The same formula in weights, with states that no trajectory visits. Two solves for each row.
Matrix rows_of_weights(const Wfsm& machine, int first, int count, const Stop& stop) {
  const wfsm::AllStates all(wfsm::machine_of(machine));
  const auto& starts = all.starts();
  const auto& finals = all.ends();
  const auto size = static_cast<int>(machine.transitions().size());
  Matrix block(count, size);
  for (int t = 0; t < count; ++t) {
    base::check_stop(stop);
    const auto [i, j] = wfsm::ends_of(wfsm::machine_of(machine), all.graph(), first + t);
    const std::vector<wfsm::WalkSum> row = all.from(j), column = all.to(i);
    for (int u = 0; u < size; ++u) {
      const auto [k, l] = wfsm::ends_of(wfsm::machine_of(machine), all.graph(), u);
      const wfsm::WalkSum sum = starts[i] * row[k] * finals[l] + starts[k] * column[l] * finals[j];
      block(t, u) = wfsm::as_double("hessian", sum);
    }
  }
  return block;
}

}  // namespace

Matrix hessian_rows(const Wfsm& machine, int first, int count, const Stop& stop) {
  const auto size = static_cast<int>(machine.transitions().size());
  if (first < 0 || count < 0 || first > size - count) {
    base::input_error("hessian_rows", "rows " + std::to_string(first) + " to " + std::to_string(first + count - 1) +
                                          " are not all in 0.." + std::to_string(size - 1));
  }
  if (wfsm::needs_all_states(machine)) return rows_of_weights(machine, first, count, stop);
  Matrix block(count, size);
  HessianRows rows(machine, stop);
  for (int t = 0; t < count; ++t) {
    base::check_stop(stop);
    rows.write(first + t, block.row(t).data(), t > 0);
  }
  return block;
}

Matrix hessian(const Wfsm& machine, double max_bytes, const Stop& stop) {
  wfsm::check_memory("hessian", machine, 2, max_bytes);
  return hessian_rows(machine, 0, static_cast<int>(machine.transitions().size()), stop);
}

}  // namespace kirchhoff
