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

/// Writes that there are no trees `first`, first + step, ... of a graph.
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

/// Writes that a graph has no trees.
template <class Team>
KIRCHHOFF_BOTH void write_nothing(const Team& team, const BeamSearch& search, std::int64_t g) {
  write_no_trees(team, search, g, 0, 1);
  team.each([&](int thread) {
    if (thread == 0 && search.count != nullptr) search.count[g] = 0;
    if (thread == 0 && search.threshold != nullptr) search.threshold[g] = -HUGE_VAL;
  });
}

/// Writes tree t, whose heads these are, or the threshold if that is all that it is needed for.
template <class Team>
KIRCHHOFF_BOTH void write_tree(const Team& team, const BeamSearch& search, std::int64_t g, int t, const Prefix& found,
                               const std::uint16_t* heads) {
  const int n = words_of(search.graphs, g);
  const std::int64_t nodes = search.graphs.words + 1, tree = g * search.trees + t;
  team.each([&](int thread) {
    if (t == search.trees) {
      if (thread == 0 && search.threshold != nullptr) search.threshold[g] = found.perturbed;
      return;
    }
    for (int v = thread; search.heads != nullptr && v < nodes; v += Team::kThreads) {
      search.heads[tree * nodes + v] = v == 0 || v > n ? -1 : heads[v];
    }
    if (thread != 0) return;
    if (search.log_prob != nullptr) search.log_prob[tree] = found.log_p;
    if (search.perturbed != nullptr) search.perturbed[tree] = found.perturbed;
  });
}

/// Writes the trees of the last beam that are this team's to write, in the order of their perturbed values.
template <class Team, class N>
KIRCHHOFF_BOTH void write_trees(const Team& team, const BeamSearch& search, std::int64_t g, const BeamRoom<N>& room,
                                const BeamLevel& last, PrefixExpansion<Team, N>& prefix, int index, int teams,
                                int* place) {
  const int n = words_of(search.graphs, g), count = last.count < search.trees ? last.count : search.trees;
  for (int slot = index; slot < last.count; slot += teams) {
    const Prefix found = last.beam[slot];
    prefix.load(n + 1, slot, found);
    team.each([&](int thread) {
      if (thread == 0) *place = 0;
    });
    team.each([&](int thread) { add_to(*place, count_better(last.beam, last.count, slot, thread, Team::kThreads)); });
    const std::int64_t heads = (((n + 1) & 1) * std::int64_t{search.kept()} + slot) * (n + 1);
    write_tree(team, search, g, *place, found, room.heads + heads);
  }
  write_no_trees(team, search, g, count + index, teams);
  if (index != 0) return;
  team.each([&](int thread) {
    if (thread == 0 && search.count != nullptr) search.count[g] = count;
    if (thread == 0 && search.threshold != nullptr && last.count <= search.trees) search.threshold[g] = -HUGE_VAL;
  });
}

/// Goes on to the next level, of which all children of this one are the beam, or the best of them, which the teams find
/// together.
template <class Team, class N, class Crew>
KIRCHHOFF_BOTH void next_level(const Team& team, Crew& crew, const BeamRoom<N>& room, BeamLevel& level, int kept,
                               int* counts) {
  const BeamChildren children = room.control->of(level.number++);
  if (children.count <= kept && children.thinned == 0) {
    Prefix* const before = level.beam;
    level.beam = level.children;
    level.children = before;
    level.count = children.count;
    level.floor = children.count == kept ? from_ordered_bits(children.lowest) : -HUGE_VAL;
    return;
  }
  const Prefix* const list = children.thinned != 0 ? room.fewer : level.children;
  rank_prefixes(team, list, children.count, level.beam, kept, crew.index, crew.teams, counts);
  crew.meet(team, *room.control, [] {});
  level.count = kept;
  level.floor = level.beam[kept - 1].perturbed;
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
  BeamLevel level{1, 1, -HUGE_VAL, room.beam, room.children};
  while (level.number <= n) {
    for (int slot = crew.index; slot < level.count; slot += crew.teams) prefix.expand(level, slot);
    crew.meet(team, control, [&] {
      team.each([&](int thread) {
        if (thread == 0) control.of(level.number + 1) = kNoChildren;
      });
      thin_out(team, control.of(level.number), level.children, room.fewer, kept, desk.counts);
    });
    if (control.of(level.number).failed != 0) {
      team.each([&](int thread) {
        if (thread == 0 && crew.index == 0) search.graphs.status[g] = Status::open;
      });
      return;
    }
    next_level(team, crew, room, level, kept, desk.counts);
  }
  write_trees(team, search, g, room, level, prefix, crew.index, crew.teams, desk.counts);
}

}  // namespace kirchhoff::cuda
