// Trees and labelled trees, with one or with several children of the root, as the law suite sees them. A place is a
// (labelled) arc.
#pragma once

#include "kirchhoff/decode.hpp"
#include "kirchhoff/expectation.hpp"
#include "kirchhoff/sample.hpp"
#include "kirchhoff/tree_batch.hpp"
#include "laws/enumeration.hpp"
#include "laws/families/tree_places.hpp"
#include "laws/members.hpp"
#include "support/graphs.hpp"
#include "support/oracle.hpp"

#include <numeric>
#include <utility>

namespace kirchhoff::laws {

template <class D, Root kRoot>
class TreeFamily : public TreePlaces {
 public:
  static constexpr bool kLabelled = kHasLabels<D>;
  using Distribution = D;
  using Scores = Array<D>;

  /// Few enough words that all trees can be listed and counted; a third of the arcs is impossible.
  explicit TreeFamily(graphs::Random& random)
      : TreePlaces(1 + static_cast<int>(random() % (kLabelled ? 3 : 5)), kLabelled ? 2 : 1) {
    if constexpr (kLabelled) {
      keep(graphs::masked_feasible(graphs::normal(words_, labels_, 1.5, random), 0.67, random));
    } else {
      keep(graphs::masked_feasible(graphs::normal(words_, 1.5, random), 0.67, random));
    }
  }

  const Weights& weights() const { return weights_; }
  std::vector<Structure> structures() const {
    std::vector<Structure> all;
    const oracle::Forest forest(oracle::ArcArray(words_, labels_), kRoot);
    for (const oracle::Tree& tree : forest.trees()) all.push_back(structure(tree.heads, tree.labels));
    return all;
  }
  /// Every tree uses exactly one of the arcs into a word, and with a single root one of the root's arcs.
  std::vector<std::vector<std::size_t>> groups() const {
    std::vector<std::vector<std::size_t>> groups(words_ + (kRoot == Root::single ? 1 : 0));
    for (int head = 0; head <= words_; ++head) {
      for (int word = 1; word <= words_; ++word) {
        for (int label = 0; label < labels_ && head != word; ++label) {
          groups[word - 1].push_back(place(head, word, label));
          if (head == 0 && kRoot == Root::single) groups[words_].push_back(place(head, word, label));
        }
      }
    }
    return groups;
  }

  D make(const Weights& weights) const { return D(scores(weights), kRoot); }
  Weights marginals(const D& p) const {
    const Scores m = p.marginals();
    return {m.data(), m.data() + weights_.size()};
  }
  double log_prob(const D& p, const Structure& s) const {
    const auto [heads, labels] = tree(s);
    if constexpr (kLabelled) {
      return p.log_prob(heads, labels);
    } else {
      return p.log_prob(heads);
    }
  }
  double entropy(const D& p) const { return kirchhoff::entropy(p); }
  double renyi(const D& p, double alpha) const { return kirchhoff::renyi(p, alpha); }
  double kl(const D& p, const D& q) const { return kirchhoff::kl(p, q); }
  Weights cumulants(const D& p, const Weights& f, int order) const {
    const Vector kappa = kirchhoff::cumulants(p, scores(f), order);
    return {kappa.begin(), kappa.end()};
  }
  D with_temperature(const D& p, double temperature) const { return p.with_temperature(temperature); }

  static constexpr double kLargest = 1e100;

  Weights along(const D& p, const Weights& direction) const {
    const Scores m = p.marginals_along(scores(direction));
    return {m.data(), m.data() + weights_.size()};
  }
  double covariance(const D& p, const Weights& f, const Weights& g) const {
    return kirchhoff::covariance(p, features(f), features(g))(0, 0);
  }
  std::pair<Structure, double> best(const D& p) const {
    const Tree t = best_tree(p);
    return {structure(t.heads, t.labels), *t.log_prob};
  }
  Distinct distinct(const D& p, int k, std::uint64_t seed) const {
    const PerturbedTrees drawn = sample_without_replacement(p, k, {.seed = seed});
    Distinct found{{}, drawn.perturbed, drawn.threshold};
    for (const Tree& t : drawn.trees) found.structures.push_back(structure(t.heads, t.labels));
    return found;
  }
  /// Between rows, in column 0 and on the diagonal are numbers that are none.
  D padded(const Weights& weights) const {
    const std::ptrdiff_t stride = (words_ + 4) * labels_;
    std::vector<double> memory(static_cast<std::size_t>(stride * (words_ + 1)), NAN);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const Arc at = arc(i);
      if (at.dependent > 0 && at.head != at.dependent)
        memory[at.head * stride + at.dependent * labels_ + label(i)] = weights[i];
    }
    const GraphView view{memory.data(), words_, stride, labels_, 1, labels_};
    return with_scores<D>(view, [](const auto& scores) { return D(scores, kRoot); });
  }

  std::vector<std::pair<Structure, double>> k_best(const D& p, int k) const {
    std::vector<std::pair<Structure, double>> list;
    for (const Tree& t : k_best_trees(p, k)) list.emplace_back(structure(t.heads, t.labels), *t.log_prob);
    return list;
  }
  std::vector<Structure> samples(const D& p, int count, std::uint64_t seed) const {
    std::vector<Structure> list;
    for (const Tree& t : sample_trees(p, count, {.seed = seed})) list.push_back(structure(t.heads, t.labels));
    return list;
  }
  Structure sample(const D& p, std::uint64_t seed, std::uint64_t index) const {
    const Tree t = TreeSampler(p).sample(seed, index);
    return structure(t.heads, t.labels);
  }

  D require(const D& p, std::size_t place) const {
    if constexpr (kLabelled) {
      return p.require(arc(place), label(place));
    } else {
      return p.require(arc(place));
    }
  }
  D forbid(const D& p, std::size_t place) const {
    if constexpr (kLabelled) {
      return p.forbid(arc(place), label(place));
    } else {
      return p.forbid(arc(place));
    }
  }

  /// Renames the words: the log-weight of place i goes to place renamed[i].
  std::vector<std::size_t> renaming(graphs::Random& random) const {
    std::vector<int> to(words_ + 1);
    std::iota(to.begin(), to.end(), 0);
    std::shuffle(to.begin() + 1, to.end(), random);
    std::vector<std::size_t> renamed(weights_.size());
    for (std::size_t i = 0; i < renamed.size(); ++i) {
      renamed[i] = place(to[arc(i).head], to[arc(i).dependent], label(i));
    }
    return renamed;
  }

  /// log Z of several graphs of this size, as one batch.
  std::vector<double> log_partitions(const std::vector<Weights>& graphs) const {
    std::vector<Scores> kept;
    for (const Weights& weights : graphs) kept.push_back(scores(weights));
    std::vector<GraphView> views;
    for (const Scores& one : kept) views.push_back(graph_view(one));
    const BatchOf<Distribution> batch(std::move(views), kRoot);
    return {batch.log_partition().begin(), batch.log_partition().end()};
  }

 private:
  void keep(const Scores& scores) {
    weights_.assign(scores.data(), scores.data() + flat_places());
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      if (arc(i).dependent == 0 || arc(i).head == arc(i).dependent) weights_[i] = -HUGE_VAL;
    }
  }
  Scores scores(const Weights& weights) const {
    Scores scores = empty();
    std::copy(weights.begin(), weights.end(), scores.data());
    return scores;
  }
  Scores empty() const {
    if constexpr (kLabelled) {
      return LabelledMatrix(words_, labels_);
    } else {
      return Matrix(words_ + 1, words_ + 1);
    }
  }

  Weights weights_;
};

}  // namespace kirchhoff::laws
