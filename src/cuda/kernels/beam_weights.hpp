// Reads the scores of a graph for a beam search, scales each word's by its best, and exponentiates them.
#pragma once

#include "cuda/kernels/beam_desk.hpp"
#include "cuda/kernels/numbers.hpp"
#include "cuda/kernels/weigh.hpp"

namespace kirchhoff::cuda {

/// The best score of a word among some of its heads, not counting a single root's.
template <class Team, class N>
KIRCHHOFF_BOTH double best_of_part(const Team& team, const PrepareDesk<N>& desk, const GraphArray& scores, int n,
                                   bool single, int word, int part) {
  double best = -HUGE_VAL;
  for (int head = part; head <= n; head += PrepareDesk<N>::kParts) {
    if (head == word) continue;
    const double score = scores.read(head, word, 0);
    const bool fine = (score <= kLargestScore && score >= -kLargestScore) || score == -HUGE_VAL;
    if (!fine) team.raise(desk.flags[kInvalid]);
    if (head > 0 || !single) best = fmax(best, score);
  }
  return best;
}

/// Each word's best score, and the best of a single root beyond these.
template <class Team, class N>
KIRCHHOFF_BOTH void find_best(const Team& team, const PrepareDesk<N>& desk, const GraphArray& scores, int n,
                              bool single) {
  constexpr int kParts = PrepareDesk<N>::kParts;
  const int nodes = n + 1;
  team.each([&](int thread) {
    if (thread < 2) desk.flags[thread] = 0;
  });
  team.each([&](int thread) {
    for (int task = thread; task < kParts * n; task += Team::kThreads) {
      const int word = 1 + task % n, part = task / n;
      desk.best[(part + 1) * nodes + word] = best_of_part(team, desk, scores, n, single, word, part);
    }
  });
  team.each([&](int thread) {
    for (int word = 1 + thread; word <= n; word += Team::kThreads) {
      double best = -HUGE_VAL;
      for (int part = 1; part <= kParts; ++part) best = fmax(best, desk.best[part * nodes + word]);
      desk.best[word] = best = best == -HUGE_VAL ? 0.0 : best;
      desk.best[nodes + word] = scores.read(0, word, 0) - best;
    }
  });
  team.each([&](int thread) {
    if (thread != 0) return;
    double best = -HUGE_VAL;
    for (int word = 1; word <= n; ++word) best = fmax(best, desk.best[nodes + word]);
    desk.best[0] = single && best > -HUGE_VAL ? best : 0.0;
  });
}

/// The weights of the arcs into each word, in rows; those into the last word are put on the desk, too.
template <class Team, class N>
KIRCHHOFF_BOTH void find_weights(const Team& team, const PrepareDesk<N>& desk, const GraphArray& scores, int n,
                                 N* weights) {
  const int nodes = n + 1;
  team.each([&](int thread) {
    for (int task = thread; task < nodes * nodes; task += Team::kThreads) {
      const int head = task / nodes, word = task % nodes;
      N weight = constant<N>(0.0);
      const double score = word == 0 || head == word ? -HUGE_VAL : scores.read(head, word, 0);
      if (score != -HUGE_VAL) {
        WideSum x;
        x.add(score);
        x.add(-desk.best[word]);
        if (head == 0) x.add(-desk.best[0]);
        weight = exponential<N>(x.high, x.low, 0.0);
        if (!kIsExtended<N> && value_of(weight) < kSmallestWeight) team.raise(desk.flags[kFailed]);
      }
      weights[word * nodes + head] = weight;
      if (word == n) desk.into(n)[head] = weight;
    }
  });
}

}  // namespace kirchhoff::cuda
