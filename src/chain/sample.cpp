// Samples of tag sequences: independent ones tag by tag, and ones without replacement in the order of Gumbel keys.
//
// Without replacement: every sequence has a key, its log-probability plus Gumbel noise, and the largest keys are a
// sample without replacement. The largest key below a prefix is a Gumbel number too; given it, those of the longer
// prefixes are drawn so that their largest equals it [Kool19]. Prefixes are taken in the order of their keys, as far as
// they are needed.
#include "base/check.hpp"
#include "base/random.hpp"
#include "chain/state.hpp"
#include "kirchhoff/chain_paths.hpp"

#include <algorithm>
#include <cmath>
#include <queue>
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

/// log(1 - e^x) for x <= 0.
double log1mexp(double x) { return x > -0.6931 ? std::log(-std::expm1(x)) : std::log1p(-std::exp(x)); }

/// The key of a part whose own key is `own`, given that the largest of all parts, `largest`, shall be `whole`.
double moved_key(double own, double largest, double whole) {
  if (own == largest) return whole;
  const double v = whole - own + log1mexp(own - largest);
  return whole - std::max(0.0, v) - std::log1p(std::exp(-std::abs(v)));
}

std::uint64_t mixed(std::uint64_t x) {  // so that prefixes have streams of their own [Salmon11]
  return base::Random(x, 0, kDistinct).bits();
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
  struct Node {
    int tag, before, position;
    std::uint64_t stream;
    double log_p;
  };
  struct Waiting {
    double key;
    std::size_t node;
    bool operator<(const Waiting& other) const { return key < other.key; }
  };

  State(const ChainDistribution& distribution, std::uint64_t random_seed)
      : p(distribution), log_conditional(chain::log_conditionals(p)), seed(random_seed), own(p.tags()) {
    extend(-1, mixed(seed), 0.0, -std::log(base::Random(seed, 0, kDistinct).exponential()));
  }

  /// Gives the prefixes that go on from a node their keys, the largest of which is the node's.
  void extend(int before, std::uint64_t stream, double log_p, double key) {
    base::Random random(seed, stream, kDistinct);
    const int position = before < 0 ? 0 : nodes[before].position + 1;
    double largest = -HUGE_VAL;
    const auto step = [&](int j) {
      return before < 0 ? log_conditional.emission(0, j) : log_conditional.transition(position, nodes[before].tag, j);
    };
    for (int j = 0; j < p.tags(); ++j) {
      own[j] = log_p + step(j) - std::log(random.exponential());
      largest = std::max(largest, own[j]);
    }
    for (int j = 0; j < p.tags(); ++j) {
      if (own[j] == -HUGE_VAL) continue;
      waiting.push({moved_key(own[j], largest, key), nodes.size()});
      nodes.push_back({j, before, position, mixed(stream + static_cast<std::uint64_t>(j) + 1), log_p + step(j)});
    }
  }

  ChainDistribution p;
  ChainArrays log_conditional;
  std::uint64_t seed;
  std::vector<double> own;
  std::vector<Node> nodes;
  std::priority_queue<Waiting> waiting;
  double perturbed = HUGE_VAL;
};

DistinctTags::DistinctTags(const ChainDistribution& p, std::uint64_t seed) : state_(new State(p, seed)) {}
DistinctTags::~DistinctTags() = default;
DistinctTags::DistinctTags(DistinctTags&&) noexcept = default;
DistinctTags& DistinctTags::operator=(DistinctTags&&) noexcept = default;

double DistinctTags::perturbed() const { return state_->perturbed; }

std::optional<TagSequence> DistinctTags::next() {
  State& s = *state_;
  while (!s.waiting.empty()) {
    const State::Waiting best = s.waiting.top();
    s.waiting.pop();
    const State::Node node = s.nodes[best.node];
    if (node.position + 1 < s.p.length()) {
      s.extend(static_cast<int>(best.node), node.stream, node.log_p, best.key);
      continue;
    }
    Tags tags(s.p.length());
    for (int at = static_cast<int>(best.node); at >= 0; at = s.nodes[at].before) {
      tags[s.nodes[at].position] = s.nodes[at].tag;
    }
    s.perturbed = best.key;
    const double score = chain::score_of(s.p.scores(), tags).value();
    return TagSequence{std::move(tags), score, std::min(node.log_p, 0.0)};
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
    stopped = stop && stop();
  }
  out.threshold = all.next() ? all.perturbed() : -HUGE_VAL;
  return out;
}

}  // namespace kirchhoff
