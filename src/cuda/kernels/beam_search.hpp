// Stochastic beam search of one graph, level by level, by one or more teams.
#pragma once

#include "cuda/kernels/beam_expand.hpp"
#include "cuda/kernels/beam_prepare.hpp"
#include "cuda/kernels/beam_rank.hpp"

namespace kirchhoff::cuda {

/// A team that searches alone.
struct LoneCrew {
  static constexpr int index = 0, teams = 1;
  template <class Team, class F>
  KIRCHHOFF_BOTH void meet(const Team&, BeamControl&, F f) {
    f();
  }
};

/// Writes the trees `first`, first + step, ... of a graph; from tree `count` on there are none. Heads are those that
/// the room has, unless there is none.
template <class Team>
KIRCHHOFF_BOTH void write_no_trees(const Team& team, const BeamSearch& search, std::int64_t g, int first, int step) {
  const std::int64_t nodes = search.graphs.words + 1;
  for (int t = first; t < search.trees; t += step) {
    const std::int64_t tree = g * search.trees + t;
    team.each([&](int thread) {
      for (int v = thread; search.heads != nullptr && v < nodes; v += Team::kThreads) {
        search.heads[tree * nodes + v] = -1;
      }
      if (thread != 0) return;
      if (search.log_prob != nullptr) search.log_prob[tree] = -HUGE_VAL;
      if (search.perturbed != nullptr) search.perturbed[tree] = -HUGE_VAL;
    });
  }
}

template <class Team>
KIRCHHOFF_BOTH void write_count(const Team& team, const BeamSearch& search, std::int64_t g, int count,
                                double threshold) {
  team.each([&](int thread) {
    if (thread != 0) return;
    if (search.count != nullptr) search.count[g] = count;
    if (search.threshold != nullptr) search.threshold[g] = threshold;
  });
}

/// Writes that a graph has no trees.
template <class Team>
KIRCHHOFF_BOTH void write_nothing(const Team& team, const BeamSearch& search, std::int64_t g) {
  write_no_trees(team, search, g, 0, 1);
  write_count(team, search, g, 0, -HUGE_VAL);
}

/// Writes the trees of the last beam that are this team's to write.
template <class Team, class N>
KIRCHHOFF_BOTH void write_trees(const Team& team, const BeamSearch& search, std::int64_t g, const BeamRoom<N>& room,
                                PrefixExpansion<Team, N>& prefix, int index, int teams) {
  const int n = words_of(search.graphs, g), found = room.control->count;
  const int count = found < search.trees ? found : search.trees;
  const std::int64_t nodes = search.graphs.words + 1;
  for (int t = index; t < count; t += teams) {
    prefix.load(n + 1, t);
    const std::uint16_t* const heads = room.heads + (((n + 1) & 1) * std::int64_t{search.kept()} + t) * (n + 1);
    const std::int64_t tree = g * search.trees + t;
    team.each([&](int thread) {
      for (int v = thread; search.heads != nullptr && v < nodes; v += Team::kThreads) {
        search.heads[tree * nodes + v] = v == 0 || v > n ? -1 : heads[v];
      }
      if (thread != 0) return;
      if (search.log_prob != nullptr) search.log_prob[tree] = room.beam.log_p[t];
      if (search.perturbed != nullptr) search.perturbed[tree] = room.beam.perturbed[t];
    });
  }
  write_no_trees(team, search, g, count + index, teams);
  const double threshold = found > search.trees ? room.beam.perturbed[search.trees] : -HUGE_VAL;
  if (index == 0) write_count(team, search, g, count, threshold);
}

/// Searches graph g, which has been prepared, in memory for a room that all teams share, at a desk of each. The
/// graph stays open if doubles have not the range.
template <class Team, class N, class Crew>
KIRCHHOFF_BOTH void search_graph(const Team& team, Crew crew, const BeamSearch& search, std::int64_t g,
                                 char* room_memory, const PrefixDesk<N>& desk) {
  const int n = words_of(search.graphs, g), kept = search.kept();
  const BeamRoom<N> room(room_memory, n, kept);
  BeamControl& control = *room.control;
  PrefixExpansion<Team, N> prefix(team, search, g, room, desk);
  for (int level = 1; level <= n; ++level) {
    for (int slot = crew.index; slot < control.count; slot += crew.teams) prefix.expand(level, slot);
    crew.meet(team, control, [&] { thin_out(team, room, kept, desk.counts); });
    if (control.failed != 0) {
      team.each([&](int thread) {
        if (thread == 0 && crew.index == 0) search.graphs.status[g] = Status::open;
      });
      return;
    }
    rank_candidates(team, room, kept, crew.index, crew.teams, desk.counts);
    crew.meet(team, control, [&] {
      team.each([&](int thread) {
        if (thread == 0) begin_level(room, kept);
      });
    });
  }
  write_trees(team, search, g, room, prefix, crew.index, crew.teams);
}

}  // namespace kirchhoff::cuda
