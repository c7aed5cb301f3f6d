// Answers what a question asks about one graph.
#pragma once

#include "cuda/kernels/answer.hpp"
#include "cuda/kernels/elimination.hpp"
#include "cuda/kernels/question.hpp"
#include "cuda/kernels/weigh.hpp"

#include <cmath>

namespace kirchhoff::cuda {

/// Writes that a graph has no answers.
template <class Team>
KIRCHHOFF_BOTH void write_nothing(const Team& team, const Question& q, std::int64_t g, Status status) {
  const ArcAnswers out{graph_array(q, q.marginals, g), graph_array(q, q.derivatives, g), nodes_of(q, g), false};
  write_zeros(team, out, q.labels, 0, true);
  team.each([&](int thread) {
    if (thread != 0) return;
    if (q.log_partition != nullptr) q.log_partition[g] = -HUGE_VAL;
    if (q.entropy != nullptr) q.entropy[g] = 0.0;
    if (q.expectation != nullptr) q.expectation[g] = 0.0;
    q.status[g] = status;
  });
}

/// Solves graph g with numbers N on a desk in this memory. The status says whether that could be done.
template <class Team, class N, class S>
KIRCHHOFF_BOTH void solve_graph(const Team& team, const Question& q, std::int64_t g, char* memory) {
  const int n = words_of(q, g);
  const Desk<N, S> desk(memory, n);
  const Weighing<N, S> graph{scaling_of(q, g, desk.shifts(), desk.best_slopes()), desk};
  const bool means_wanted = q.entropy != nullptr || q.expectation != nullptr;
  const ArcAnswers out{graph_array(q, q.marginals, g), graph_array(q, q.derivatives, g), nodes_of(q, g), means_wanted};
  Means<Team> means;
  find_shifts(team, graph);
  Elimination<Team, N, S> elimination(team, desk);
  double log_z = 0.0, whole = 0.0;  // thread 0 gets them
  team.each([&](int thread) { means.slope[thread] = means.score[thread] = 0.0; });
  const int larger = S::first_kept(n);
  for (int half = 0; half < (n > larger ? 2 : 1); ++half) {
    const Order order{n, half == 0 ? 0 : larger};
    const int kept = half == 0 ? larger : n - larger;
    weigh(team, graph, order, 0, kept, true);
    elimination.load();
    if (kept < n) weigh(team, graph, order, kept, n, false);
    elimination.run(kept, q.single_root);
    find_slopes(team, desk, kept, q.single_root, elimination);
    if (half == 0) {
      find_log_partition(team, n, desk.shifts(), desk.pivots(), desk.scratch(), log_z, whole);
    }
    write_arcs(team, graph, order, kept, out, means);
  }
  if (means_wanted) {
    add_up(team, desk.scratch(), means.slope);
    add_up(team, desk.scratch(), means.score);
  }
  const bool invalid = desk.flags()[kInvalid] != 0, solved = !invalid && desk.flags()[kFailed] == 0;
  write_zeros(team, out, q.labels, n, !solved);
  team.each([&](int thread) {
    if (thread != 0) return;
    if (q.log_partition != nullptr) q.log_partition[g] = solved ? whole : -HUGE_VAL;
    if (q.entropy != nullptr) q.entropy[g] = solved ? fmax(log_z - means.score[thread], 0.0) : 0.0;
    if (q.expectation != nullptr) q.expectation[g] = solved ? means.slope[thread] : 0.0;
    const Status failed = kIsExtended<N> ? Status::infeasible : Status::open;
    q.status[g] = invalid ? Status::invalid : !solved ? failed : kIsExtended<N> ? Status::extended : Status::solved;
  });
}

}  // namespace kirchhoff::cuda
