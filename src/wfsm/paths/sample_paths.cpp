// Exact samples: a walk along the chain, one uniform number for each step. O(length log degree).
#include "base/check.hpp"
#include "base/random.hpp"
#include "kirchhoff/wfsm_expectation.hpp"
#include "wfsm/paths/make_path.hpp"

#include <algorithm>

namespace kirchhoff {
namespace {

constexpr double kLongestMean = 1e7;

/// For each arc, the probabilities of its node's arcs up to and with it.
std::vector<double> cumulative(const wfsm::MarkovChain& chain) {
  const wfsm::TrimGraph& g = chain.graph();
  std::vector<double> sums(chain.p());
  for (int v = 0; v < g.nodes(); ++v) {
    for (std::size_t a = g.begin[v] + 1; a < g.begin[v + 1]; ++a) sums[a] += sums[a - 1];
  }
  return sums;
}

Path draw(const Wfsm& machine, const std::vector<double>& sums, std::uint64_t seed, std::uint64_t index) {
  const wfsm::TrimGraph& g = wfsm::chain_of(machine).graph();
  base::Random random(seed, index);
  std::vector<std::size_t> arcs;
  for (int v = g.source(); v != g.sink(); v = g.arcs[arcs.back()].to) {
    const auto first = sums.begin() + static_cast<std::ptrdiff_t>(g.begin[v]);
    const auto last = sums.begin() + static_cast<std::ptrdiff_t>(g.begin[v + 1]);
    // The first sum above the number, which that of an arc of probability 0 never is.
    const auto arc = std::upper_bound(first, last - 1, random.uniform() * *(last - 1));
    arcs.push_back(static_cast<std::size_t>(arc - sums.begin()));
  }
  return wfsm::make_path(machine, arcs);
}

void check(const char* function, const Wfsm& machine) {
  if (expected_length(machine) > kLongestMean) {
    base::input_error(function, "trajectories have more than 1e7 transitions on average");
  }
}

}  // namespace

Path sample_path(const Wfsm& machine, std::uint64_t seed, std::uint64_t index) {
  check("sample_path", machine);
  return draw(machine, cumulative(wfsm::chain_of(machine)), seed, index);
}

std::vector<Path> sample_paths(const Wfsm& machine, int count, std::uint64_t seed, int threads) {
  check("sample_paths", machine);
  if (count < 0) base::input_error("sample_paths", "count is negative");
  std::vector<Path> paths(count);
  const std::vector<double> sums = cumulative(wfsm::chain_of(machine));
  parallel_for(paths.size(), threads, [&](std::size_t i) { paths[i] = draw(machine, sums, seed, i); });
  return paths;
}

}  // namespace kirchhoff
