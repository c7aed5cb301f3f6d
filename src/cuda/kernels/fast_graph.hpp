// Answers what a question asks about one graph by inverting its Laplacian, if the error of that is small enough. A
// graph for which its bound is too large, or in which anything is unusual, is left open for the elimination.
#pragma once

#include "cuda/kernels/answer.hpp"
#include "cuda/kernels/fast_marginals.hpp"
#include "cuda/kernels/fast_weights.hpp"

namespace kirchhoff::cuda {

/// f(write), where write(i, x) sets number i of an array of arcs.
template <class F>
KIRCHHOFF_BOTH void with_writer(const GraphArray& array, F f) {
  if (array.single_precision) {
    f([values = static_cast<float*>(array.values)](std::int64_t i, double x) { values[i] = static_cast<float>(x); });
  } else {
    f([values = static_cast<double*>(array.values)](std::int64_t i, double x) { values[i] = x; });
  }
}

/// Writes the marginals of all arcs of words, and adds up expectations. Labels have slopes for weights here.
template <class Graph>
KIRCHHOFF_BOTH void write_marginals(const Graph& graph, const GraphArray& out, bool means_wanted,
                                    Means<typename Graph::Team>& means) {
  using T = typename Graph::T;
  const auto& desk = graph.desk;
  const Scaling& scaling = graph.scaling;
  const int n = graph.n;
  if (graph.plain() && !means_wanted) {
    graph.team.each([&](int thread) {
      with_writer(out, [&](auto write) {
        for (int dependent = 1 + T::lane_of(thread); dependent <= n; dependent += T::kLanes) {
          const double* found = desk.weights + T::part_of(thread) * T::kStride + dependent - 1;
          std::int64_t at = out.at(T::part_of(thread) + 1, dependent, 0);
          for (int row = T::part_of(thread); row < n; row += T::kParts) {
            write(at, *found);
            found += T::kParts * T::kStride;
            at += T::kParts * out.head_stride;
          }
          if (T::part_of(thread) == 0) write(out.at(0, dependent, 0), desk.weights[n * T::kStride + dependent - 1]);
        }
      });
    });
    return;
  }
  graph.team.each([&](int thread) {
    for (int dependent = 1 + T::lane_of(thread); dependent <= n; dependent += T::kLanes) {
      const double* found = desk.weights + T::part_of(thread) * T::kStride + dependent - 1;
      for (int row = T::part_of(thread); row <= n; row += T::kParts, found += T::kParts * T::kStride) {
        const int head = row < n ? row + 1 : 0;
        const std::int64_t at = out.at(head, dependent, 0);
        for (int y = 0; y < graph.q.labels; ++y) {
          double p = head == dependent ? 0.0 : *found;
          if (head != dependent) {
            const double score = scaling.scores.read(head, dependent, y);
            if (!graph.plain()) p = within(p * scaling.weight_of<double>(score, head, dependent, y));
            if (means_wanted && p > 0.0) {
              means.score[thread] += p * scaling.scaled(score, head, dependent).high;
              means.slope[thread] += p * scaling.slope(score, head, dependent, y);
            }
          }
          if (out.values != nullptr) out.write(at + y * out.label_stride, p);
        }
      }
    }
  });
}

template <class Team, class T>
KIRCHHOFF_BOTH void invert_graph(const Team& team, const Question& q, std::int64_t g, FastDesk<T>& desk) {
  const int n = words_of(q, g);
  Inversion<Team, T> inversion(team, desk, n, q.single_root);
  const FastGraph<Team, T> graph{team, q, n, desk, scaling_of(q, g, desk.shifts, nullptr), inversion};
  find_shifts(graph);
  if (q.single_root) find_root_shift(graph);
  weigh(graph);
  exchange_last(graph);
  load(graph);
  inversion.run();
  find_terms(graph);
  const bool means_wanted = q.entropy != nullptr || q.expectation != nullptr;
  const ArcAnswers out{graph_array(q, q.marginals, g), {}, nodes_of(q, g), means_wanted};
  const bool marginals_wanted = out.marginals.values != nullptr || means_wanted;
  if (marginals_wanted) find_marginals(graph);  // log Z is a product of pivots, and always right
  double log_z = 0.0, whole = 0.0;              // thread 0 gets them
  Means<Team> means;
  team.each([&](int thread) { means.slope[thread] = means.score[thread] = 0.0; });
  bool done = desk.unusual == 0;
  if (done) {
    team.each([&](int thread) {
      if (thread == 0 && q.single_root) desk.pivots[n - 1] = desk.from_root[n - 1];
    });
    find_log_partition(team, n, desk.shifts, desk.pivots, desk.terms.scratch, log_z, whole);
    if (marginals_wanted) {
      exchange_last(graph);
      write_marginals(graph, out.marginals, means_wanted, means);
    }
    if (out.marginals.values != nullptr) write_zeros(team, out, q.labels, n, false);
    if (means_wanted) {
      add_up(team, desk.terms.scratch, means.slope);
      add_up(team, desk.terms.scratch, means.score);
    }
  }
  team.each([&](int thread) {
    if (thread != 0) return;
    done = done && fabs(means.slope[thread]) < HUGE_VAL;  // else the direction is not finite
    q.status[g] = done ? Status::certified : Status::open;
    if (!done) return;
    if (q.log_partition != nullptr) q.log_partition[g] = whole;
    if (q.entropy != nullptr) q.entropy[g] = fmax(log_z - means.score[thread], 0.0);
    if (q.expectation != nullptr) q.expectation[g] = means.slope[thread];
  });
}

}  // namespace kirchhoff::cuda
