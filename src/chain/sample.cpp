// Samples of tag sequences: independent ones tag by tag, and ones without replacement in the order of Gumbel keys.
//
// Those without replacement come from a race of prefixes [Kool19], see numeric/prefix_race.hpp.
#include "base/check.hpp"
#include "base/random.hpp"
#include "base/stop.hpp"
#include "chain/state.hpp"
#include "kirchhoff/chain_paths.hpp"
#include "numeric/prefix_race.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>

namespace kirchhoff {
namespace {

constexpr std::uint64_t kIndependent = 0x6368'61696eULL, kDistinct = kIndependent + 1;  // purposes of random streams

/// An index drawn in proportion to the weights, which are not all 0.
int draw(const double* weights, int count, double uniform) {
  double total = 0.0;
  for (int i = 0; i < count; ++i) total += weights[i];
  double left = uniform * total;
  int last = 0;
  for (int i = 0; i < count; ++i) {
    if (!(weights[i] > 0.0)) continue;
    last = i;
    left -= weights[i];
    if (left < 0.0) break;
  }
  return last;
}

}  // namespace

TagSequence sample_tags(const ChainDistribution& p, std::uint64_t seed, std::uint64_t index) {
  base::Random random(seed, index, kIndependent);
  const ChainArrays& marginals = p.marginals();
  Tags tags(p.length());
  for (int t = 0; t < p.length(); ++t) {
    const double* const weights =
        t == 0 ? &marginals.emissions(0, 0)
               : &marginals.transitions(static_cast<Eigen::Index>(t - 1) * p.tags() + tags[t - 1], 0);
    tags[t] = draw(weights, p.tags(), random.uniform());
  }
  const double score = chain::score_of(p.scores(), tags).value(), log_prob = p.log_prob(tags);
  return {std::move(tags), score, log_prob};
}

std::vector<TagSequence> sample_tag_sequences(const ChainDistribution& p, int count, std::uint64_t seed, int threads) {
  if (count < 0)
    base::input_error("sample_tag_sequences", "count is " + std::to_string(count) + ", expected 0 or more");
  std::vector<TagSequence> out(static_cast<std::size_t>(count));
  constexpr std::size_t kBlock = 64;
  parallel_for((out.size() + kBlock - 1) / kBlock, threads, [&](std::size_t block) {
    for (std::size_t i = block * kBlock; i < std::min(out.size(), (block + 1) * kBlock); ++i) {
      out[i] = sample_tags(p, seed, i);
    }
  });
  return out;
}

struct DistinctTags::State {
  State(const ChainDistribution& distribution, std::uint64_t seed)
      : p(distribution),
        log_conditional(chain::log_conditionals(p)),
        race(seed, kDistinct, std::span(&log_conditional.emissions(0, 0), static_cast<std::size_t>(p.tags()))) {}

  /// The log-probabilities of the tags after a prefix.
  std::span<const double> after(const numeric::PrefixRace::Prefix& prefix) const {
    const auto row = static_cast<Eigen::Index>(prefix.length - 1) * p.tags() + prefix.step;
    return {&log_conditional.transitions(row, 0), static_cast<std::size_t>(p.tags())};
  }

  ChainDistribution p;
  ChainArrays log_conditional;
  numeric::PrefixRace race;
  double perturbed = HUGE_VAL;
};

DistinctTags::DistinctTags(const ChainDistribution& p, std::uint64_t seed) : state_(new State(p, seed)) {}
DistinctTags::~DistinctTags() = default;
DistinctTags::DistinctTags(DistinctTags&&) noexcept = default;
DistinctTags& DistinctTags::operator=(DistinctTags&&) noexcept = default;

double DistinctTags::perturbed() const { return state_->perturbed; }

std::optional<TagSequence> DistinctTags::next() {
  State& s = *state_;
  while (const std::optional<numeric::PrefixRace::Leader> leader = s.race.pop()) {
    const numeric::PrefixRace::Prefix& prefix = s.race[leader->prefix];
    if (prefix.length < s.p.length()) {
      s.race.extend(*leader, s.after(prefix));
      continue;
    }
    Tags tags = s.race.steps(leader->prefix);
    s.perturbed = leader->key;
    const double score = chain::score_of(s.p.scores(), tags).value();
    return TagSequence{std::move(tags), score, std::min(prefix.log_p, 0.0)};
  }
  return std::nullopt;
}

PerturbedTags sample_without_replacement(const ChainDistribution& p, int k, std::uint64_t seed, const Stop& stop) {
  if (k < 0) base::input_error("sample_without_replacement", "k is " + std::to_string(k) + ", expected 0 or more");
  DistinctTags all(p, seed);
  PerturbedTags out;
  bool stopped = false;
  while (!stopped && out.sequences.size() < static_cast<std::size_t>(k)) {
    std::optional<TagSequence> next = all.next();
    if (!next) break;
    out.sequences.push_back(std::move(*next));
    out.perturbed.push_back(all.perturbed());
    stopped = base::stops(stop);
  }
  out.threshold = all.next() ? all.perturbed() : -HUGE_VAL;
  return out;
}

}  // namespace kirchhoff
