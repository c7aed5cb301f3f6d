// Machines without cycles, as the law suite sees them: cycles would make more paths than can be listed. A place is a
// transition, a start weight or a final weight.
#pragma once

#include "kirchhoff/wfsm_batch.hpp"
#include "kirchhoff/wfsm_distinct.hpp"
#include "kirchhoff/wfsm_expectation.hpp"
#include "laws/enumeration.hpp"
#include "laws/members.hpp"
#include "support/graphs.hpp"

#include <numeric>
#include <utility>

namespace kirchhoff::laws {

class Machines {
 public:
  using Distribution = Wfsm;
  /// The transitions of a path from state 0 to the last state are always possible; some others are not.
  explicit Machines(graphs::Random& random) : states_(2 + static_cast<int>(random() % 4)) {
    std::normal_distribution<double> normal(0.0, 1.5);
    for (int from = 0; from < states_; ++from) {
      for (int to = from + 1; to < states_; ++to) {
        for (int copies = random() % 2 == 0 ? 2 : 1; copies > 0; --copies) {
          transitions_.push_back({from, to, 1 + static_cast<int>(random() % 2), 0.0});
          const bool possible = to == from + 1 || random() % 3 != 0;
          weights_.push_back(possible ? normal(random) : -HUGE_VAL);
        }
      }
    }
    for (int state = 0; state < 2 * states_; ++state) {
      const bool possible = state == 0 || state == 2 * states_ - 1 || random() % 2 == 0;
      weights_.push_back(possible ? normal(random) : -HUGE_VAL);
    }
  }

  const Weights& weights() const { return weights_; }
  std::vector<Structure> structures() const {
    std::vector<Structure> all;
    for (int state = 0; state < states_; ++state) {
      Structure path(weights_.size(), 0);
      path[start_place(state)] = 1;
      follow(state, path, all);
    }
    return all;
  }
  /// Every path starts once and ends once.
  std::vector<std::vector<std::size_t>> groups() const {
    std::vector<std::vector<std::size_t>> groups(2);
    for (int state = 0; state < states_; ++state) {
      groups[0].push_back(start_place(state));
      groups[1].push_back(final_place(state));
    }
    return groups;
  }

  Wfsm make(const Weights& weights) const {
    WfsmBuilder builder;
    builder.add_states(states_);
    for (std::size_t t = 0; t < transitions_.size(); ++t) {
      Transition transition = transitions_[t];
      transition.log_weight = weights[t];
      builder.add_transition(transition);
    }
    for (int state = 0; state < states_; ++state) {
      builder.set_start(state, weights[start_place(state)]).set_final(state, weights[final_place(state)]);
    }
    return builder.build();
  }
  Weights marginals(const Wfsm& p) const { return flat(p.counts()); }
  /// A padded machine has more places than there are here.
  Weights flat(const WfsmWeights& w) const {
    Weights all(w.transitions.data(), w.transitions.data() + transitions_.size());
    for (const Vector* part : {&w.start, &w.final}) all.insert(all.end(), part->data(), part->data() + states_);
    return all;
  }
  WfsmWeights parts(const Weights& all) const {
    const auto arcs = static_cast<Eigen::Index>(transitions_.size());
    const Eigen::Map<const Vector> flat(all.data(), static_cast<Eigen::Index>(all.size()));
    return {flat.head(arcs), flat.segment(arcs, states_), flat.tail(states_)};
  }
  double entropy(const Wfsm& p) const { return kirchhoff::entropy(p); }
  double renyi(const Wfsm& p, double alpha) const { return kirchhoff::renyi(p, alpha); }
  double kl(const Wfsm& p, const Wfsm& q) const { return kirchhoff::kl(p, q); }
  static constexpr double kLargest = 1e9;

  Weights cumulants(const Wfsm& p, const Weights& f, int order) const {
    const Vector kappa = moments(p, parts(f), order).cumulants;
    return {kappa.begin(), kappa.end()};
  }
  Weights along(const Wfsm& p, const Weights& direction) const { return flat(counts_along(p, parts(direction))); }
  double covariance(const Wfsm& p, const Weights& f, const Weights& g) const {
    return kirchhoff::covariance(p, features(p, f), features(p, g))(0, 0);
  }
  Wfsm with_temperature(const Wfsm& p, double temperature) const {
    WfsmWeights w = p.log_weights();
    for (Vector* part : {&w.transitions, &w.start, &w.final}) *part /= temperature;
    return p.with_log_weights(w);
  }
  std::pair<Structure, double> best(const Wfsm& p) const {
    const Path path = best_paths(p, 1).front();
    return {structure(path), path.log_prob};
  }
  Distinct distinct(const Wfsm& p, int k, std::uint64_t seed) const {
    const PerturbedPaths drawn = sample_without_replacement(p, k, seed);
    Distinct found{{}, drawn.perturbed, drawn.threshold};
    for (const Path& path : drawn.paths) found.structures.push_back(structure(path));
    return found;
  }
  /// Two states more, one that nothing leaves and one that nothing enters.
  Wfsm padded(const Weights& weights) const {
    WfsmBuilder builder(make(weights));
    builder.add_states(2).add_transition({0, states_, 1, 3.0}).add_transition({states_ + 1, 0, 2, 5.0});
    return builder.add_transition({states_, states_, 1, 7.0}).build();
  }
  /// Transitions between the same states may change places.
  std::vector<std::size_t> renaming(graphs::Random& random) const {
    std::vector<std::size_t> to(weights_.size());
    std::iota(to.begin(), to.end(), std::size_t{0});
    for (std::size_t t = 0; t + 1 < transitions_.size(); ++t) {
      const Transition &a = transitions_[t], &b = transitions_[t + 1];
      if (a.from == b.from && a.to == b.to && random() % 2 == 0) std::swap(to[t], to[t + 1]);
    }
    return to;
  }
  std::vector<double> log_partitions(const std::vector<Weights>& all) const {
    Matrix rows(static_cast<Eigen::Index>(all.size()), static_cast<Eigen::Index>(weights_.size()));
    for (std::size_t i = 0; i < all.size(); ++i) {
      std::copy(all[i].begin(), all[i].end(), rows.row(static_cast<Eigen::Index>(i)).data());
    }
    const Vector log_z = WfsmBatch(make(Weights(weights_.size(), 0.0)), rows).log_partition();
    return {log_z.data(), log_z.data() + log_z.size()};
  }

  std::vector<std::pair<Structure, double>> k_best(const Wfsm& p, int k) const {
    std::vector<std::pair<Structure, double>> list;
    for (const Path& path : best_paths(p, k)) list.emplace_back(structure(path), path.log_prob);
    return list;
  }
  std::vector<Structure> samples(const Wfsm& p, int count, std::uint64_t seed) const {
    std::vector<Structure> list;
    for (const Path& path : sample_paths(p, count, seed)) list.push_back(structure(path));
    return list;
  }
  Structure sample(const Wfsm& p, std::uint64_t seed, std::uint64_t index) const {
    return structure(sample_path(p, seed, index));
  }

  Wfsm forbid(const Wfsm& p, std::size_t place) const {
    WfsmWeights weights = p.log_weights();
    const auto transitions = transitions_.size(), states = static_cast<std::size_t>(states_);
    Vector& part =
        place < transitions ? weights.transitions : (place < transitions + states ? weights.start : weights.final);
    part(static_cast<Eigen::Index>(place < transitions ? place : (place - transitions) % states)) = -HUGE_VAL;
    return p.with_log_weights(weights);
  }

 private:
  WfsmFeatures features(const Wfsm& p, const Weights& f) const {
    std::vector<WfsmFeature> entries;
    const std::size_t arcs = transitions_.size(), states = static_cast<std::size_t>(states_);
    for (std::size_t i = 0; i < f.size(); ++i) {
      const WfsmPart part = i < arcs ? WfsmPart::transition : (i < arcs + states ? WfsmPart::start : WfsmPart::final);
      entries.push_back({static_cast<int>(i < arcs ? i : (i - arcs) % states), 0, f[i], part});
    }
    return WfsmFeatures(p, 1, entries);
  }
  std::size_t start_place(int state) const { return transitions_.size() + state; }
  std::size_t final_place(int state) const { return transitions_.size() + states_ + state; }

  void follow(int state, Structure& path, std::vector<Structure>& all) const {
    path[final_place(state)] = 1;
    all.push_back(path);
    path[final_place(state)] = 0;
    for (std::size_t t = 0; t < transitions_.size(); ++t) {
      if (transitions_[t].from != state) continue;
      path[t] = 1;
      follow(transitions_[t].to, path, all);
      path[t] = 0;
    }
  }
  Structure structure(const Path& path) const {
    Structure s(weights_.size(), 0);
    int state = path.start;
    s[start_place(state)] = 1;
    for (const int t : path.transitions) {
      ++s[t];
      state = transitions_[t].to;
    }
    s[final_place(state)] = 1;
    return s;
  }

  int states_;
  std::vector<Transition> transitions_;
  Weights weights_;
};

}  // namespace kirchhoff::laws
