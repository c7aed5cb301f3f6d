// One solve for each different transition gives the links between the uses of all of them.
#include "wfsm/derivatives/transition_walk.hpp"

#include "base/check.hpp"
#include "wfsm/derivatives/visits.hpp"

#include <algorithm>

namespace kirchhoff::wfsm {
namespace {

constexpr std::size_t kMaxOrder = 64, kMaxContents = std::size_t{1} << 16;

}  // namespace

numeric::Extended factorial(std::size_t n) {
  numeric::Extended result = numeric::Extended::of(1.0, 0);
  for (std::size_t k = 2; k <= n; ++k) result = result * numeric::Extended::of(static_cast<double>(k), 0);
  return result;
}

TransitionWalk::TransitionWalk(const char* function, const Wfsm& machine, const std::vector<int>& transitions) {
  if (transitions.empty() || transitions.size() > kMaxOrder) {
    base::input_error(function, std::to_string(transitions.size()) + " transitions are not 1 to 64");
  }
  std::vector<int> sorted = transitions;
  std::sort(sorted.begin(), sorted.end());
  const int size = static_cast<int>(machine.transitions().size());
  for (const int t : {sorted.front(), sorted.back()}) {
    if (t < 0 || t >= size) base::input_error(function, "there is no transition " + std::to_string(t));
  }
  std::size_t contents = 1;
  for (auto at = sorted.begin(); at != sorted.end();) {
    const auto end = std::upper_bound(at, sorted.end(), *at);
    transitions_.push_back(*at);
    counts_.push_back(static_cast<std::size_t>(end - at));
    contents *= counts_.back() + 1;
    if (contents > kMaxContents) {
      base::input_error(function, "too many different transitions: more than 65536 sums would be needed");
    }
    at = end;
  }
}

void TransitionWalk::follow_chain(const Wfsm& machine, const std::function<numeric::Extended(int transition)>& factor) {
  const MarkovChain& chain = chain_of(machine);
  std::vector<Ends> ends;
  std::vector<numeric::Extended> factors;
  for (const int t : transitions_) {
    ends.push_back(ends_of(machine_of(machine), chain.graph(), t));
    factors.push_back(ends.back().useful() ? factor(t) : numeric::Extended{});
  }
  std::vector<double> row;
  for (std::size_t a = 0; a < ends.size(); ++a) {
    first_.push_back({ends[a].useful() ? scaled(chain.visits()[ends[a].from]) * factors[a] : numeric::Extended{}});
    last_.push_back({numeric::Extended::of(1.0, 0)});
    row.assign(chain.graph().nodes(), 0.0);
    if (ends[a].useful()) {
      row[ends[a].to] = 1.0;
      chain.forward(row.data());
    }
    for (std::size_t b = 0; b < ends.size(); ++b) {
      link_.push_back({ends[b].useful() ? scaled(row[ends[b].from]) * factors[b] : numeric::Extended{}});
    }
  }
}

void TransitionWalk::follow_weights(const Wfsm& machine) {
  const AllStates all(machine_of(machine));
  std::vector<Ends> ends;
  for (const int t : transitions_) ends.push_back(ends_of(machine_of(machine), all.graph(), t));
  for (const Ends& a : ends) {
    first_.push_back(all.starts()[a.from]);
    last_.push_back(all.ends()[a.to]);
    const std::vector<WalkSum> row = all.from(a.to);
    for (const Ends& b : ends) link_.push_back(row[b.from]);
  }
}

OrderSums<TransitionWalk> TransitionWalk::sums() const {
  OrderSums<TransitionWalk> sums(*this, counts_.size());
  for (std::size_t t = 0; t < counts_.size(); ++t) {
    for (std::size_t k = 0; k < counts_[t]; ++k) sums.push(t);
  }
  return sums;
}

}  // namespace kirchhoff::wfsm
