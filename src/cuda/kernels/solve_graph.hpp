// Answers what a question asks about one graph.
#pragma once

#include "cuda/kernels/answer.hpp"
#include "cuda/kernels/elimination.hpp"
#include "cuda/kernels/question.hpp"
#include "cuda/kernels/weigh.hpp"

#include <cmath>

namespace kirchhoff::cuda {

/// The sum of all shifts, in twice the precision.
template <class N, class S>
KIRCHHOFF_BOTH WideSum log_scale(const Desk<N, S>& desk) {
  WideSum sum;
  for (int i = 0; i <= desk.n; ++i) sum.add(desk.shifts()[i]);
  return sum;
}

/// Writes that a graph has no answers.
template <class Team>
KIRCHHOFF_BOTH void write_nothing(const Team& team, const Question& q, std::int64_t g, Status status) {
  const GraphArray marginals = graph_array(q, q.marginals, g), derivatives = graph_array(q, q.derivatives, g);
  const int nodes = nodes_of(q, g);
  team.each([&](int thread) {
    for (int arc = thread; arc < nodes * nodes; arc += Team::kThreads) {
      for (int y = 0; y < q.labels; ++y) {
        if (marginals.values != nullptr) marginals.write(arc / nodes, arc % nodes, y, 0.0);
        if (derivatives.values != nullptr) derivatives.write(arc / nodes, arc % nodes, y, 0.0);
      }
    }
    if (thread != 0) return;
    if (q.log_partition != nullptr) q.log_partition[g] = -HUGE_VAL;
    if (q.entropy != nullptr) q.entropy[g] = 0.0;
    if (q.expectation != nullptr) q.expectation[g] = 0.0;
    q.status[g] = status;
  });
}

/// Solves graph g with numbers N on this desk. The status says whether that could be done.
template <class Team, class N, class S>
KIRCHHOFF_BOTH void solve_graph(const Team& team, const Question& q, std::int64_t g, const Desk<N, S>& desk) {
  const Weighing<N, S> graph{
      graph_array(q, q.scores, g), graph_array(q, q.direction, g), q.score_share, q.labels, q.single_root, &desk};
  typename Team::template Local<bool> bad, invalid;
  typename Team::template Local<double> mean_slope, mean_score;
  weigh(team, graph, desk, bad, invalid);
  if (team.any(invalid)) return write_nothing(team, q, g, Status::invalid);
  const Status again = kIsExtended<N> ? Status::infeasible : Status::open;
  if (team.any(bad)) return write_nothing(team, q, g, again);

  Elimination<Team, N, S> elimination(team, desk, q.single_root);
  elimination.run();
  find_slopes(team, desk, q.single_root, elimination);
  team.each([&](int thread) { bad[thread] = elimination.watch(thread).failed(); });
  if (team.any(bad)) return write_nothing(team, q, g, again);

  write_arcs(team, graph, desk, nodes_of(q, g), graph_array(q, q.marginals, g), graph_array(q, q.derivatives, g),
             mean_slope, mean_score);
  team.each([&](int thread) {
    if (thread != 0) return;
    const Extended z = elimination.product(thread);
    const auto e = static_cast<double>(z.e);
    const double log_z = fma(e, kLn2High, fma(e, kLn2Low, log(z.m)));
    if (q.entropy != nullptr) q.entropy[g] = fmax(log_z - mean_score[thread], 0.0);
    if (q.expectation != nullptr) q.expectation[g] = mean_slope[thread];
    if (q.log_partition != nullptr) {
      WideSum sum = log_scale(desk);
      sum.add(log_z);
      q.log_partition[g] = sum.high + sum.low;
    }
    q.status[g] = kIsExtended<N> ? Status::extended : Status::solved;
  });
}

}  // namespace kirchhoff::cuda
