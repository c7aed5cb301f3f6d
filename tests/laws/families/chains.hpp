// Linear chains as the law suite sees them. A place is a tag at a position, or a pair of tags at neighbouring ones.
#pragma once

#include "kirchhoff/chain_batch.hpp"
#include "kirchhoff/chain_expectation.hpp"
#include "kirchhoff/chain_paths.hpp"
#include "laws/enumeration.hpp"
#include "laws/members.hpp"
#include "support/graphs.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace kirchhoff::laws {

class Chains {
 public:
  using Distribution = ChainDistribution;

  /// Few enough sequences to list them; a third of the places is impossible, but for those of one sequence.
  explicit Chains(graphs::Random& random)
      : length_(1 + static_cast<int>(random() % 4)), tags_(1 + static_cast<int>(random() % 3)) {
    std::normal_distribution<double> normal(0.0, 1.5);
    Tags kept(length_);
    for (int& tag : kept) tag = static_cast<int>(random() % static_cast<unsigned>(tags_));
    const Structure always = structure(kept);
    for (const int use : always) {
      const double x = normal(random);
      weights_.push_back(use > 0 || random() % 3 != 0 ? x : -HUGE_VAL);
    }
  }

  const Weights& weights() const { return weights_; }
  std::vector<Structure> structures() const {
    std::vector<Structure> all;
    Tags tags(length_, 0);
    for (int at = 0; at >= 0;) {
      all.push_back(structure(tags));
      for (at = length_ - 1; at >= 0 && ++tags[at] == tags_; --at) tags[at] = 0;
    }
    return all;
  }
  /// Each position has one tag, and each two neighbours one pair.
  std::vector<std::vector<std::size_t>> groups() const {
    std::vector<std::vector<std::size_t>> groups(2 * length_ - 1);
    for (std::size_t k = 0; k < places(); ++k) {
      const std::size_t tags = tags_, pairs = k - length_ * tags;
      groups[k < length_ * tags ? k / tags : length_ + pairs / (tags * tags)].push_back(k);
    }
    return groups;
  }

  ChainDistribution make(const Weights& weights) const { return ChainDistribution(scores(weights)); }
  Weights marginals(const ChainDistribution& p) const { return flat(p.marginals()); }
  static Weights flat(const ChainArrays& m) {
    Weights all(m.emissions.data(), m.emissions.data() + m.emissions.size());
    all.insert(all.end(), m.transitions.data(), m.transitions.data() + m.transitions.size());
    return all;
  }
  double log_prob(const ChainDistribution& p, const Structure& s) const { return p.log_prob(sequence(s)); }
  double entropy(const ChainDistribution& p) const { return kirchhoff::entropy(p); }
  double renyi(const ChainDistribution& p, double alpha) const { return kirchhoff::renyi(p, alpha); }
  double kl(const ChainDistribution& p, const ChainDistribution& q) const { return kirchhoff::kl(p, q); }
  Weights cumulants(const ChainDistribution& p, const Weights& f, int order) const {
    const Vector kappa = kirchhoff::cumulants(p, scores(f), order);
    return {kappa.begin(), kappa.end()};
  }
  ChainDistribution with_temperature(const ChainDistribution& p, double temperature) const {
    return p.with_temperature(temperature);
  }

  static constexpr double kLargest = 1e100;

  Weights along(const ChainDistribution& p, const Weights& direction) const {
    return flat(p.marginals_along(scores(direction)));
  }
  double covariance(const ChainDistribution& p, const Weights& f, const Weights& g) const {
    return kirchhoff::covariance(p, {scores(f)}, {scores(g)})(0, 0);
  }
  std::pair<Structure, double> best(const ChainDistribution& p) const {
    const TagSequence s = best_tags(p);
    return {structure(s.tags), s.log_prob};
  }
  Distinct distinct(const ChainDistribution& p, int k, std::uint64_t seed) const {
    const PerturbedTags drawn = sample_without_replacement(p, k, seed);
    Distinct found{{}, drawn.perturbed, drawn.threshold};
    for (const TagSequence& s : drawn.sequences) found.structures.push_back(structure(s.tags));
    return found;
  }
  /// Between the rows are numbers that are none.
  ChainDistribution padded(const Weights& weights) const {
    const std::ptrdiff_t row = tags_ + 2, block = (tags_ + 1) * row;
    std::vector<double> emissions(static_cast<std::size_t>(length_ * row), NAN);
    std::vector<double> transitions(static_cast<std::size_t>(length_ * block), NAN);
    for (int t = 0; t < length_; ++t) {
      for (int j = 0; j < tags_; ++j) {
        emissions[t * row + j] = weights[place(t, j)];
        for (int i = 0; t > 0 && i < tags_; ++i) {
          transitions[(t - 1) * block + i * row + j] = weights[place(t, i, j)];
        }
      }
    }
    return ChainDistribution(ChainView{emissions.data(), transitions.data(), length_, tags_, row, block, row});
  }

  std::vector<std::pair<Structure, double>> k_best(const ChainDistribution& p, int k) const {
    std::vector<std::pair<Structure, double>> list;
    for (const TagSequence& s : k_best_tags(p, k)) list.emplace_back(structure(s.tags), s.log_prob);
    return list;
  }
  std::vector<Structure> samples(const ChainDistribution& p, int count, std::uint64_t seed) const {
    std::vector<Structure> list;
    for (const TagSequence& s : sample_tag_sequences(p, count, seed)) list.push_back(structure(s.tags));
    return list;
  }
  Structure sample(const ChainDistribution& p, std::uint64_t seed, std::uint64_t index) const {
    return structure(sample_tags(p, seed, index).tags);
  }

  /// A pair of tags is required as both of its tags are, and forbidden by its score.
  ChainDistribution require(const ChainDistribution& p, std::size_t place) const {
    const std::size_t tags = tags_, first = length_ * tags;
    if (place < first) return p.require(static_cast<int>(place / tags), static_cast<int>(place % tags));
    const std::size_t pair = place - first;
    const int t = static_cast<int>(pair / (tags * tags)) + 1;
    ChainArrays left = p.scores();
    for (std::size_t k = 0; k < tags * tags; ++k) {
      if (k != pair % (tags * tags))
        left.transition(t, static_cast<int>(k / tags), static_cast<int>(k % tags)) = -HUGE_VAL;
    }
    return ChainDistribution(left);
  }
  ChainDistribution forbid(const ChainDistribution& p, std::size_t place) const {
    const std::size_t tags = tags_, first = length_ * tags;
    if (place < first) return p.forbid(static_cast<int>(place / tags), static_cast<int>(place % tags));
    ChainArrays left = p.scores();
    left.transitions.data()[place - first] = -HUGE_VAL;
    return ChainDistribution(left);
  }

  /// Tags have other names at every position.
  std::vector<std::size_t> renaming(graphs::Random& random) const {
    std::vector<Tags> to(length_, Tags(tags_));
    for (Tags& names : to) {
      std::iota(names.begin(), names.end(), 0);
      std::shuffle(names.begin(), names.end(), random);
    }
    std::vector<std::size_t> renamed(places());
    for (int t = 0; t < length_; ++t) {
      for (int j = 0; j < tags_; ++j) {
        renamed[place(t, j)] = place(t, to[t][j]);
        for (int i = 0; t > 0 && i < tags_; ++i) renamed[place(t, i, j)] = place(t, to[t - 1][i], to[t][j]);
      }
    }
    return renamed;
  }

  std::vector<double> log_partitions(const std::vector<Weights>& chains) const {
    std::vector<ChainArrays> kept;
    for (const Weights& weights : chains) kept.push_back(scores(weights));
    std::vector<ChainView> views;
    for (const ChainArrays& one : kept) views.push_back(chain_view(one));
    const ChainBatch batch(std::move(views));
    return {batch.log_partition().begin(), batch.log_partition().end()};
  }

 private:
  std::size_t places() const { return place(length_, 0, 0); }
  std::size_t place(int t, int j) const { return static_cast<std::size_t>(t) * tags_ + j; }
  std::size_t place(int t, int i, int j) const { return place(length_, 0) + (place(t - 1, i)) * tags_ + j; }

  ChainArrays scores(const Weights& weights) const {
    ChainArrays scores(length_, tags_);
    const auto tags = static_cast<std::ptrdiff_t>(place(length_, 0));
    std::copy(weights.begin(), weights.begin() + tags, scores.emissions.data());
    std::copy(weights.begin() + tags, weights.end(), scores.transitions.data());
    return scores;
  }
  Structure structure(const Tags& tags) const {
    Structure s(places(), 0);
    for (int t = 0; t < length_; ++t) {
      s[place(t, tags[t])] = 1;
      if (t > 0) s[place(t, tags[t - 1], tags[t])] = 1;
    }
    return s;
  }
  Tags sequence(const Structure& s) const {
    Tags tags(length_);
    for (std::size_t k = 0; k < place(length_, 0); ++k) {
      if (s[k] > 0) tags[k / tags_] = static_cast<int>(k % tags_);
    }
    return tags;
  }

  int length_, tags_;
  Weights weights_;
};

}  // namespace kirchhoff::laws
