// Sums over all walks between the states of a machine, component by component. O(arcs) outside components, and the
// robust elimination inside.
#include "wfsm/derivatives/all_states.hpp"

#include "base/check.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace kirchhoff::wfsm {

using numeric::Extended;

double as_double(const char* function, const WalkSum& sum, const char* what) {
  if (sum.infinite) return HUGE_VAL;
  const double x = numeric::power(sum.value.m, sum.value.e);
  if (!std::isfinite(x)) base::input_error(function, std::string(what) + " is beyond the range of doubles");
  return x;
}

AllStates::AllStates(const Machine& machine) {
  Machine open = machine;  // where every state is useful
  open.start.assign(machine.states, 0.0);
  open.final.assign(machine.states, 0.0);
  graph_ = trim(open);
  weight_.reserve(graph_.arcs.size());
  for (const TrimGraph::Arc& arc : graph_.arcs) weight_.push_back(Wide::exp(log_weight_at(machine, arc.place)));
  diverges_.assign(graph_.components(), 0);
  rest_.assign(graph_.components(), Wide::of(1.0));
  eliminations_.resize(graph_.components());
  for (int c = 0; c < graph_.components(); ++c) {
    if (graph_.cyclic[c]) eliminate(c);
  }
  starts_ = from(graph_.source());
  ends_ = to(graph_.sink());
}

void AllStates::eliminate(int c) {
  ComponentElimination<Wide>::Rows rows;
  std::vector<Wide> diagonal;
  component_rows<Wide>(
      graph_, c, [&](std::size_t a) { return weight_[a]; }, rows, diagonal);
  if (rows.size() == 1) {
    rest_[c] = one_minus(diagonal[0]);
    diverges_[c] = rest_[c].is_zero();
    return;
  }
  eliminations_[c] = std::make_unique<ComponentElimination<Wide>>(std::move(rows), std::move(diagonal), Pivot::closure);
  diverges_[c] = eliminations_[c]->failed() >= 0;
}

/// Solves inside a component. What reaches a state of it reaches all of them.
template <class Solve>
void AllStates::solve(int c, Sums& x, Solve solve) const {
  const int first = graph_.first[c], last = graph_.first[c + 1];
  bool infinite = false;
  for (int v = first; v < last; ++v) {
    infinite = infinite || x.infinite[v] || (diverges_[c] && !x.value[v].is_zero());
  }
  if (infinite) {
    std::fill(x.infinite.begin() + first, x.infinite.begin() + last, 1);
  } else if (eliminations_[c] && !diverges_[c]) {
    solve(*eliminations_[c], x.value.data() + first);
  } else if (graph_.cyclic[c] && !diverges_[c]) {
    x.value[first] = x.value[first] / rest_[c];
  }
}

std::vector<WalkSum> AllStates::forward(std::vector<WalkSum> start) const {
  Sums x = widened(start);
  for (int c = 0; c < graph_.components(); ++c) {
    solve(c, x, [](const ComponentElimination<Wide>& e, Wide* y) { e.solve_row(y); });
    for (int v = graph_.first[c]; v < graph_.first[c + 1]; ++v) {
      for (std::size_t a = graph_.begin[v]; a < graph_.begin[v + 1]; ++a) {
        const int to = graph_.arcs[a].to;
        if (graph_.inside(a) || weight_[a].is_zero()) continue;
        x.infinite[to] |= x.infinite[v];
        x.value[to] = x.value[to] + x.value[v] * weight_[a];
      }
    }
  }
  return narrowed(x);
}

std::vector<WalkSum> AllStates::backward(std::vector<WalkSum> end) const {
  Sums x = widened(end);
  for (int c = graph_.components(); c-- > 0;) {
    for (int v = graph_.first[c]; v < graph_.first[c + 1]; ++v) {
      for (std::size_t a = graph_.begin[v]; a < graph_.begin[v + 1]; ++a) {
        const int to = graph_.arcs[a].to;
        if (graph_.inside(a) || weight_[a].is_zero()) continue;
        x.infinite[v] |= x.infinite[to];
        x.value[v] = x.value[v] + weight_[a] * x.value[to];
      }
    }
    solve(c, x, [](const ComponentElimination<Wide>& e, Wide* y) { e.solve_column(y); });
  }
  return narrowed(x);
}

std::vector<WalkSum> AllStates::unit(int node) const {
  std::vector<WalkSum> x(graph_.nodes());
  x[node].value = Extended::of(1.0, 0);
  return x;
}

AllStates::Sums AllStates::widened(const std::vector<WalkSum>& x) {
  Sums sums;
  for (const WalkSum& each : x) {
    sums.value.push_back(Wide::of(each.value.m, 0.0, each.value.e));
    sums.infinite.push_back(each.infinite);
  }
  return sums;
}

std::vector<WalkSum> AllStates::narrowed(const Sums& x) {
  std::vector<WalkSum> sums;
  for (std::size_t v = 0; v < x.value.size(); ++v) sums.push_back({x.value[v].extended(), x.infinite[v] != 0});
  return sums;
}

bool gradient_needs_all_states(const Wfsm& machine) {
  constexpr std::int64_t kWidest = 300;  // bits: products of three ratios are still doubles
  const auto [least, most] = std::minmax_element(chain_of(machine).total().begin(), chain_of(machine).total().end(),
                                                 [](const Extended& a, const Extended& b) { return a.e < b.e; });
  return machine.useless_states() > 0 || most->e - least->e > kWidest;
}

bool needs_all_states(const Wfsm& machine) {
  const std::vector<Transition>& all = machine.transitions();
  return std::any_of(all.begin(), all.end(), [](const Transition& t) { return t.log_weight == -HUGE_VAL; }) &&
         gradient_needs_all_states(machine);
}

}  // namespace kirchhoff::wfsm
