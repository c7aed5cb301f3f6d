// Answers what a question asks about one graph.
#pragma once

#include "cuda/kernels/answer.hpp"
#include "cuda/kernels/elimination.hpp"
#include "cuda/kernels/question.hpp"
#include "cuda/kernels/weigh.hpp"

#include <cmath>

namespace kirchhoff::cuda {

/// Log Z of the scaled weights, and of the graph; threads share the work.
template <class Team, class N, class S>
KIRCHHOFF_BOTH void find_log_partition(const Team& team, const Desk<N, S>& desk, double& scaled, double& whole) {
  constexpr int kShares = 8;
  static_assert(4 * kShares <= Team::kThreads);
  double* const highs = desk.scratch();
  double *const lows = highs + kShares, *const mantissas = lows + kShares, *const exponents = mantissas + kShares;
  team.each([&](int thread) {
    if (thread >= kShares) return;
    WideSum sum;
    Extended product{1.0, 0};
    for (int i = thread; i <= desk.n; i += kShares) {
      sum.add(desk.shifts()[i]);
      if (i < desk.n) product = multiply(product, extended_of(desk.pivots()[i]));
    }
    highs[thread] = sum.high;
    lows[thread] = sum.low;
    mantissas[thread] = product.m;
    exponents[thread] = static_cast<double>(product.e);
  });
  team.each([&](int thread) {
    if (thread != 0) return;
    WideSum sum;
    double mantissa = 1.0, exponent = 0.0;
    for (int i = 0; i < kShares; ++i) {
      sum.add(highs[i]);
      sum.low += lows[i];
      mantissa *= mantissas[i];
      exponent += exponents[i];
    }
    scaled = fma(exponent, kLn2High, fma(exponent, kLn2Low, log(mantissa)));
    sum.add(scaled);
    whole = sum.high + sum.low;
  });
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
  find_shifts(team, graph, desk, invalid);
  if (team.any(invalid)) return write_nothing(team, q, g, Status::invalid);
  weigh(team, graph, desk, bad);
  const Status again = kIsExtended<N> ? Status::infeasible : Status::open;
  if (team.any(bad)) return write_nothing(team, q, g, again);

  Elimination<Team, N, S> elimination(team, desk, q.single_root);
  elimination.run();
  find_slopes(team, desk, q.single_root, elimination);
  team.each([&](int thread) { bad[thread] = elimination.watch(thread).failed(); });
  if (team.any(bad)) return write_nothing(team, q, g, again);

  write_arcs(team, graph, desk, nodes_of(q, g), graph_array(q, q.marginals, g), graph_array(q, q.derivatives, g),
             mean_slope, mean_score, q.entropy != nullptr || q.expectation != nullptr);
  double log_z = 0.0, whole = 0.0;  // thread 0 gets them
  find_log_partition(team, desk, log_z, whole);
  team.each([&](int thread) {
    if (thread != 0) return;
    if (q.log_partition != nullptr) q.log_partition[g] = whole;
    if (q.entropy != nullptr) q.entropy[g] = fmax(log_z - mean_score[thread], 0.0);
    if (q.expectation != nullptr) q.expectation[g] = mean_slope[thread];
    q.status[g] = kIsExtended<N> ? Status::extended : Status::solved;
  });
}

}  // namespace kirchhoff::cuda
