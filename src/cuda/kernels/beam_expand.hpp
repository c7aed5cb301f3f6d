// The children of one prefix: the heads that its next word can have, with their perturbed log-probabilities.
//
// Below a prefix of probability P, trees arrive at rate P. The first arrival is that of the prefix itself, at the time
// exp(-perturbed). It has head a with the conditional probability p_a; an arrival below any other head a comes later,
// by an exponential time of rate P p_a, because such times have no memory. So children's perturbed values are those
// of [Kool19, section 3], conditioned on their maximum, but nothing is subtracted to get them.
#pragma once

#include "cuda/kernels/beam_chain.hpp"
#include "cuda/kernels/beam_random.hpp"
#include "cuda/kernels/beam_rank.hpp"
#include "cuda/kernels/weigh.hpp"

namespace kirchhoff::cuda {

KIRCHHOFF_BOTH double log_of(double x) { return log(x); }
KIRCHHOFF_BOTH double log_of(const Extended& x) {
  const double e = static_cast<double>(x.e);
  return fma(e, kLn2High, fma(e, kLn2Low, log(x.m)));
}

/// How early an option of weight p arrives, given an exponential time of mean 1: the higher, the earlier.
KIRCHHOFF_BOTH double arrival_of(double p, double time) { return p / time; }
KIRCHHOFF_BOTH double arrival_of(const Extended& p, double time) { return log_of(p) - log(time); }

template <class N>
KIRCHHOFF_BOTH Choice<N> no_choice() {
  return {constant<N>(0.0), constant<N>(0.0), -HUGE_VAL, 2, -1};
}
/// Both together. Of equal arrivals the smaller option counts, so that the order of joining does not matter.
template <class N>
KIRCHHOFF_BOTH Choice<N> join(const Choice<N>& a, const Choice<N>& b) {
  const bool earlier = a.arrival > b.arrival, tie = a.arrival == b.arrival, smaller = a.option < b.option;
  const bool first = (a.order < b.order) | ((a.order == b.order) & (earlier | (tie & smaller)));  // without branches
  return {add(a.total, b.total), add(a.first_order_total, b.first_order_total), first ? a.arrival : b.arrival,
          first ? a.order : b.order, first ? a.option : b.option};
}

/// A level of the search. All teams know the same of it.
struct BeamLevel {
  int number;
  int count;     // prefixes in the beam
  double floor;  // no child below it can get into the next one
  Prefix* beam;  // in no order
  Prefix* children;
};

template <class Team, class N>
class PrefixExpansion {
 public:
  KIRCHHOFF_BOTH PrefixExpansion(const Team& team, const BeamSearch& search, std::int64_t g, const BeamRoom<N>& room,
                                 const PrefixDesk<N>& desk)
      : team_(team),
        search_(search),
        seed_(search.seed + static_cast<std::uint64_t>(g)),
        n_(words_of(search.graphs, g)),
        room_(room),
        desk_(desk) {}

  /// Brings the heads and tops of a level's prefix `slot` up to date, which is `prefix`.
  KIRCHHOFF_BOTH void load(int level, int slot, const Prefix& prefix) {
    const std::int64_t nodes = n_ + 1, kept = search_.kept();
    const std::int64_t from = (((level - 1) & 1) * kept + prefix.parent) * nodes;
    const std::int64_t to = ((level & 1) * kept + slot) * nodes;
    const int last = level - 1, head = prefix.head;
    const int top = head > 0 && head < last ? room_.tops[from + head] : head;
    team_.each([&](int thread) {
      for (int v = thread; v <= n_; v += Team::kThreads) {
        for (int w = 0; w < desk_.words; ++w) desk_.below[v * desk_.words + w] = 0;
        if (v < desk_.words) desk_.is_row[v] = 0;
        if (v == 0 || v > last) continue;
        const int before = v < last ? room_.tops[from + v] : last, mine = before == last ? top : before;
        desk_.tops[v] = mine;
        room_.tops[to + v] = static_cast<std::uint16_t>(mine);
        room_.heads[to + v] = v < last ? room_.heads[from + v] : static_cast<std::uint16_t>(head);
      }
    });
  }

  /// Adds the children of prefix `slot` to those of the level.
  KIRCHHOFF_BOTH void expand(const BeamLevel& level, int slot) {
    const Prefix prefix = level.beam[slot];
    load(level.number, slot, prefix);
    const N* const meetings = room_.meetings + meetings_before(n_, level.number);
    PrefixChain<Team, N> chain(team_, desk_, meetings, n_, level.number, search_.graphs.single_root);
    chain.run();
    weigh_options(chain, level.number, prefix.key);
    const Choice<N> choice = join_choices();
    const double log_p = prefix.log_p, perturbed = prefix.perturbed, floor = level.floor;
    team_.each([&](int thread) {
      if (chain.watch(thread).failed()) team_.raise(room_.control->of(level.number).failed);
      if (choice.option < 0) return;
      const N total = choice.order == 0 ? choice.total : choice.first_order_total, share = reciprocal(total);
      const double log_total = log_of(total), latest = exp(log_p - floor) * (1.0 + 1e-9);
      for (int a = thread; a <= n_; a += Team::kThreads) {
        if (desk_.orders[a] != choice.order) continue;
        // An exponential time -log u is at least 1 - u: most are seen to be too late without a logarithm.
        const double u = desk_.second[a];
        if (a != choice.option && 1.0 - u > as_double(multiply(desk_.option_p[a], share)) * latest) continue;
        const double child = log_p + (log_of(desk_.option_p[a]) - log_total);
        const double arrival = a == choice.option ? perturbed : sum_of_times(perturbed, child - log(-log(u)));
        if (arrival >= floor) add_child(level, {arrival, child, longer_key(prefix.key, a), slot, a});
      }
    });
  }

 private:
  static constexpr int kSlots = PrefixDesk<N>::kSlots;

  KIRCHHOFF_BOTH void weigh_options(PrefixChain<Team, N>& chain, int level, std::uint64_t key) {
    team_.each([&](int thread) {
      for (int slot = thread; slot < kSlots; slot += Team::kThreads) {
        Choice<N> mine = no_choice<N>();
        for (int a = slot; a <= n_; a += kSlots) {
          Choice<N> one = no_choice<N>();
          const N p = weight_of(chain, level, a, one.order, chain.watch(thread));
          desk_.option_p[a] = p;
          desk_.orders[a] = static_cast<char>(one.order);
          if (one.order == 2) continue;
          const TwoUniforms random = random_numbers(seed_, key, a);
          desk_.second[a] = random.second;
          (one.order == 0 ? one.total : one.first_order_total) = p;
          one.arrival = arrival_of(p, -log(random.first));
          one.option = a;
          mine = join(mine, one);
        }
        desk_.choices[slot] = mine;
      }
    });
  }

  /// The weight of an option, unnormalised, and its order: 2 if it is impossible.
  KIRCHHOFF_BOTH N weight_of(const PrefixChain<Team, N>& chain, int level, int a, int& order, Watch& watch) const {
    const N w = room_.weights[level * (n_ + 1) + a], zero = constant<N>(0.0), one = constant<N>(1.0);
    const bool single = search_.graphs.single_root;
    if (a == level || is_zero(w)) return zero;
    for (int o = 0; o < (chain.has_first_order() ? 2 : 1); ++o) {
      N x = zero;
      if (a == 0) {
        x = !single || o == 1 ? one : zero;
      } else {
        x = a < level ? desk_.reached(o)[a] : chain.reached(o, a);
      }
      if (is_zero(x)) continue;
      see(watch.entries, x);
      const N p = multiply(w, x);
      if (!kIsExtended<N> && value_of(p) < kSmallestWeight) watch.bad = true;
      order = o;
      return p;
    }
    return zero;
  }

  /// What is in all slots.
  KIRCHHOFF_BOTH Choice<N> join_choices() {
    constexpr int kLast = PrefixDesk<N>::kLastSlots, kStep = 4;
    for (int width = kSlots / kStep; width >= kLast; width /= kStep) {
      team_.each([&](int thread) {
        for (int slot = thread; slot < width; slot += Team::kThreads) {
          const Choice<N> one = desk_.choices[slot], two = desk_.choices[slot + width];
          const Choice<N> three = desk_.choices[slot + 2 * width], four = desk_.choices[slot + 3 * width];
          desk_.choices[slot] = join(join(one, two), join(three, four));
        }
      });
    }
    return join(Choice<N>(desk_.choices[0]), Choice<N>(desk_.choices[1]));
  }

  KIRCHHOFF_BOTH void add_child(const BeamLevel& level, const Prefix& child) const {
    BeamChildren& children = room_.control->of(level.number);
    level.children[add_to(children.count, 1)] = child;
    lower(children.lowest, ordered_bits(child.perturbed));
  }

  const Team& team_;
  const BeamSearch& search_;
  const std::uint64_t seed_;
  const int n_;
  const BeamRoom<N>& room_;
  const PrefixDesk<N>& desk_;
};

}  // namespace kirchhoff::cuda
