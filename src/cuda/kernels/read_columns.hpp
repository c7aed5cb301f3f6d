// Reads the scores of a graph into columns, and finds every word's best head on the way. O(n^2) for a graph.
#pragma once

#include "cuda/kernels/contraction.hpp"
#include "cuda/kernels/question.hpp"

#include <cmath>

namespace kirchhoff::cuda {

/// The largest size of a score, that of the CPU's best_tree.
inline constexpr double kLargestTreeScore = 1e100;

/// Numbers that a team passes on: a square of scores to be transposed, or one number for each thread.
template <class Team>
inline constexpr int kTile = Team::kThreads*(Team::kThreads + 1);

/// The best of an arc's labels, the first of equal ones. `invalid` is set if one of them has no score.
struct BestLabel {
  int label = 0;
  double score = -HUGE_VAL;
  KIRCHHOFF_BOTH BestLabel(const GraphArray& scores, int labels, int head, int dependent, bool& invalid) {
    for (int y = 0; y < labels; ++y) {
      const double x = scores.read(head, dependent, y);
      invalid = invalid || !(fabs(x) <= kLargestTreeScore || x == -HUGE_VAL);
      if (!(x > score)) continue;
      label = y;
      score = x;
    }
  }
};

/// Transposes the scores into columns and finds each word's best arc: the lowest head of the highest score, and with
/// `root_last` the root only if nothing else is possible. Neighbouring threads read and write neighbouring numbers.
template <class Team>
KIRCHHOFF_BOTH void read_columns(const Team& team, const GraphArray& scores, int labels, bool root_last,
                                 const ContractionDesk& desk, double* tile) {
  constexpr int kThreads = Team::kThreads, kRow = kThreads + 1;
  const int n = desk.n;
  typename Team::template Local<double> best;
  typename Team::template Local<int> best_head;
  team.each([&](int thread) {
    if (thread == 0) desk.growth().invalid = 0;
  });
  for (int first = 1; first <= n; first += kThreads) {
    for (int begin = 0; begin <= n; begin += kThreads) {
      team.each([&](int thread) {
        const int dependent = first + thread;
        bool invalid = false;
        if (begin == 0) {
          best[thread] = -HUGE_VAL;
          best_head[thread] = -1;
        }
        for (int head = begin; dependent <= n && head <= n && head < begin + kThreads; ++head) {
          const double score =
              head == dependent ? -HUGE_VAL : BestLabel(scores, labels, head, dependent, invalid).score;
          tile[(head - begin) * kRow + thread] = score;
          if (!(score > best[thread]) || (head == 0 && root_last)) continue;
          best[thread] = score;
          best_head[thread] = head;
        }
        if (invalid) team.raise(desk.growth().invalid);
      });
      team.each([&](int thread) {
        const int head = begin + thread;
        for (int k = 0; head <= n && k < kThreads && first + k <= n; ++k) {
          desk.column(first + k)[head] = tile[thread * kRow + k];
        }
      });
    }
    team.each([&](int thread) {
      const int dependent = first + thread;
      if (dependent > n) return;
      const double from_root = desk.column(dependent)[0];
      const bool only_root = best_head[thread] < 0 && from_root != -HUGE_VAL;
      desk.weight()[dependent] = only_root ? from_root : best[thread];
      desk.head()[dependent] = only_root ? 0 : best_head[thread];
    });
  }
}

}  // namespace kirchhoff::cuda
