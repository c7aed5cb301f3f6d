// Trajectories without replacement: a race of prefixes [Kool19], see numeric/prefix_race.hpp. The steps of a prefix are
// the arcs of the node where it ends.
#include "base/check.hpp"
#include "base/stop.hpp"
#include "kirchhoff/wfsm_distinct.hpp"
#include "numeric/prefix_race.hpp"
#include "wfsm/paths/make_path.hpp"

#include <cmath>
#include <span>
#include <string>

namespace kirchhoff {
namespace {

constexpr std::uint64_t kDistinctPaths = 0x7077'66736dULL;  // the purpose of the random streams

std::vector<double> arc_log_probs(const Wfsm& machine) {
  std::vector<double> found(wfsm::chain_of(machine).graph().arcs.size());
  for (std::size_t a = 0; a < found.size(); ++a) found[a] = wfsm::log_p(machine, a);
  return found;
}

}  // namespace

struct DistinctPaths::State {
  State(const Wfsm& of, std::uint64_t seed)
      : machine(of), log_p(arc_log_probs(of)), race(seed, kDistinctPaths, after(graph().source())) {}

  const wfsm::TrimGraph& graph() const { return wfsm::chain_of(machine).graph(); }
  std::span<const double> after(int node) const {
    const std::size_t begin = graph().begin[node];
    return {log_p.data() + begin, graph().begin[node + 1] - begin};
  }
  /// The arcs of a prefix.
  std::vector<std::size_t> arcs_of(int prefix) const {
    std::vector<std::size_t> arcs;
    int node = graph().source();
    for (const int step : race.steps(prefix)) {
      arcs.push_back(graph().begin[node] + static_cast<std::size_t>(step));
      node = graph().arcs[arcs.back()].to;
    }
    return arcs;
  }
  /// The node where a prefix of the race ends; those of longer ones are found from those before.
  int end_of(int prefix) {
    while (static_cast<int>(ends.size()) <= prefix) {
      const numeric::PrefixRace::Prefix& p = race[static_cast<int>(ends.size())];
      const int from = p.before < 0 ? graph().source() : ends[p.before];
      ends.push_back(graph().arcs[graph().begin[from] + static_cast<std::size_t>(p.step)].to);
    }
    return ends[prefix];
  }

  Wfsm machine;
  std::vector<double> log_p;
  numeric::PrefixRace race;
  std::vector<int> ends;
  double perturbed = HUGE_VAL;
};

DistinctPaths::DistinctPaths(const Wfsm& machine, std::uint64_t seed) : state_(new State(machine, seed)) {}
DistinctPaths::~DistinctPaths() = default;
DistinctPaths::DistinctPaths(DistinctPaths&&) noexcept = default;
DistinctPaths& DistinctPaths::operator=(DistinctPaths&&) noexcept = default;

double DistinctPaths::perturbed() const { return state_->perturbed; }

std::optional<Path> DistinctPaths::next() {
  State& s = *state_;
  while (const std::optional<numeric::PrefixRace::Leader> leader = s.race.pop()) {
    const int end = s.end_of(leader->prefix);
    if (end != s.graph().sink()) {
      s.race.extend(*leader, s.after(end));
      continue;
    }
    s.perturbed = leader->key;
    return wfsm::make_path(s.machine, s.arcs_of(leader->prefix));
  }
  return std::nullopt;
}

PerturbedPaths sample_without_replacement(const Wfsm& machine, int k, std::uint64_t seed, const Stop& stop) {
  if (k < 0) base::input_error("sample_without_replacement", "k is " + std::to_string(k) + ", expected 0 or more");
  DistinctPaths all(machine, seed);
  PerturbedPaths out;
  bool stopped = false;
  while (!stopped && out.paths.size() < static_cast<std::size_t>(k)) {
    std::optional<Path> next = all.next();
    if (!next) break;
    out.paths.push_back(std::move(*next));
    out.perturbed.push_back(all.perturbed());
    stopped = base::stops(stop);
  }
  out.threshold = all.next() ? all.perturbed() : -HUGE_VAL;
  return out;
}

}  // namespace kirchhoff
