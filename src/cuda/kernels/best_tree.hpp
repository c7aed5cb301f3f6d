// The best tree of one graph: every word's best head while the scores are read, then contraction of the cycles among
// them [Tarjan77]. O(n^2) for a graph, most of it shared by a team.
#pragma once

#include "cuda/kernels/contraction.hpp"
#include "cuda/kernels/read_columns.hpp"
#include "cuda/kernels/tree_task.hpp"
#include "cuda/kernels/weigh.hpp"

namespace kirchhoff::cuda {

/// Makes the column of the cycle that was closed last: the highest of its members' for each head, -inf for heads
/// inside. Every thread notes the best that it has seen, without the root if that comes last, and its head.
template <class Team>
KIRCHHOFF_BOTH void merge_columns(const Team& team, const ContractionDesk& desk, double* tile) {
  team.each([&](int thread) {
    const Growth& g = desk.growth();
    const int first = desk.first()[g.nodes];
    double* const column = desk.column(g.nodes);
    double best = -HUGE_VAL;
    int head = 0;
    for (int u = thread; u <= desk.n; u += Team::kThreads) {
      double value = -HUGE_VAL;
      for (int m = g.first_member; m < g.members; ++m) {
        const int member = desk.members()[m];
        value = fmax(value, desk.column(member)[u] - desk.weight()[member]);
      }
      if (desk.position()[u] >= first) value = -HUGE_VAL;
      column[u] = value;
      if (!(value > best) || (u == 0 && g.root_last)) continue;
      best = value;
      head = u;
    }
    tile[2 * thread] = best;
    tile[2 * thread + 1] = head;
  });
}

/// The best of what the threads have noted; the root if there is nothing else.
template <class Team>
KIRCHHOFF_BOTH Event leave_merged(const ContractionDesk& desk, const double* tile) {
  double weight = -HUGE_VAL, head = 0.0;
  for (int thread = 0; thread < Team::kThreads; ++thread) {
    const double other = tile[2 * thread], other_head = tile[2 * thread + 1];
    if (other < weight || (other == weight && other_head >= head)) continue;
    weight = other;
    head = other_head;
  }
  if (weight == -HUGE_VAL) return leave_cycle(desk, desk.column(desk.growth().nodes)[0], 0);
  return leave_cycle(desk, weight, static_cast<int>(head));
}

/// Contracts and expands. Returns false when there is no tree; all threads get to know.
template <class Team>
KIRCHHOFF_BOTH bool contract(const Team& team, const ContractionDesk& desk, bool root_last, bool one_child,
                             double* tile) {
  team.each([&](int thread) {
    bool headless = false;
    for (int word = 1 + thread; word <= desk.n; word += Team::kThreads) {
      desk.position()[word] = 0;
      headless = headless || desk.head()[word] < 0;
    }
    tile[thread] = headless ? 1.0 : 0.0;
  });
  team.each([&](int thread) {
    if (thread != 0) return;
    double headless = 0.0;
    for (int other = 0; other < Team::kThreads; ++other) headless += tile[other];
    const Event event = headless > 0.0 ? Event::no_tree : start_growth(desk, root_last, one_child);
    desk.growth().event = event;
  });
  while (desk.growth().event == Event::closed_cycle) {
    merge_columns(team, desk, tile);
    team.each([&](int thread) {
      if (thread == 0) desk.growth().event = leave_merged<Team>(desk, tile);
    });
  }
  const bool found = desk.growth().event == Event::arrived;
  team.each([&](int thread) {
    if (thread == 0 && found) expand_cycles(desk);
  });
  return found;
}

/// Lets words hang from the root that like it better than any word. Returns how many do; all threads get to know.
template <class Team>
KIRCHHOFF_BOTH int prefer_root(const Team& team, const ContractionDesk& desk, double* tile) {
  team.each([&](int thread) {
    int count = 0;
    for (int word = 1 + thread; word <= desk.n; word += Team::kThreads) {
      const double from_root = desk.column(word)[0];
      desk.kept_weight()[word] = desk.weight()[word];
      desk.kept_head()[word] = desk.head()[word];
      if (!(from_root > desk.weight()[word])) continue;
      desk.weight()[word] = from_root;
      desk.head()[word] = 0;
      ++count;
    }
    tile[thread] = count;
  });
  double count = 0.0;
  for (int thread = 0; thread < Team::kThreads; ++thread) count += tile[thread];
  team.each([](int) {});  // nobody writes there before all have read
  return static_cast<int>(count);
}

/// Finds the heads of the best tree; returns false when there is none. For a single root it tries first whether the
/// best tree of all has one root child, as it mostly does when scores come from a parser: that takes fewer
/// contractions.
template <class Team>
KIRCHHOFF_BOTH bool find_best_heads(const Team& team, const ContractionDesk& desk, bool single_root, double* tile) {
  if (!single_root) return contract(team, desk, false, false, tile);
  if (prefer_root(team, desk, tile) <= 1 && contract(team, desk, false, true, tile)) return true;
  team.each([&](int thread) {
    for (int word = 1 + thread; word <= desk.n; word += Team::kThreads) {
      desk.weight()[word] = desk.kept_weight()[word];
      desk.head()[word] = desk.kept_head()[word];
    }
  });
  return contract(team, desk, true, true, tile);
}

/// Writes the tree of the desk's heads, and with `labels` the best labels of its arcs.
template <class Team>
KIRCHHOFF_BOTH void write_best_tree(const Team& team, const TreeTask& task, std::int64_t g, const GraphArray& scores,
                                    const ContractionDesk& desk, double* tile) {
  team.each([&](int thread) {
    const std::int64_t row = task.row(g, 0);
    WideSum sum;
    bool invalid = false;
    for (int word = thread; word <= task.graphs.words; word += Team::kThreads) {
      const bool is_word = word >= 1 && word <= desk.n;
      const int head = is_word ? desk.head()[word] : -1;
      task.heads[row + word] = head;
      BestLabel best(scores, is_word ? task.graphs.labels : 0, head, word, invalid);
      if (is_word) sum.add(best.score);
      if (task.labels != nullptr) task.labels[row + word] = word <= desk.n ? best.label : -1;
    }
    tile[2 * thread] = sum.high;
    tile[2 * thread + 1] = sum.low;
  });
  team.each([&](int thread) {
    if (thread != 0 || task.score == nullptr) return;
    WideSum sum;
    for (int other = 0; other < Team::kThreads; ++other) {
      sum.add(tile[2 * other]);
      sum.low += tile[2 * other + 1];
    }
    task.score[g] = sum.high + sum.low;
  });
}

/// Finds and writes the best tree of graph g, on a desk in this memory and with a tile of kTile<Team> numbers.
template <class Team>
KIRCHHOFF_BOTH void best_tree(const Team& team, const TreeTask& task, std::int64_t g, char* memory, double* tile) {
  const bool possible = possible_words(task, g);
  const GraphArray scores = graph_array(task.graphs, task.graphs.scores, g);
  const ContractionDesk desk(memory, possible ? words_of(task.graphs, g) : 1);
  Status status = Status::invalid;
  if (possible) {
    read_columns(team, scores, task.graphs.labels, task.graphs.single_root, desk, tile);
    if (desk.growth().invalid == 0) {
      team.each([](int) {});  // nobody writes there before all have read
      status = find_best_heads(team, desk, task.graphs.single_root, tile) ? Status::solved : Status::infeasible;
    }
  }
  if (status == Status::solved) {
    write_best_tree(team, task, g, scores, desk, tile);
  } else {
    write_no_trees(team, task, g, 0, 1);
  }
  team.each([&](int thread) {
    if (thread == 0) task.graphs.status[g] = status;
  });
}

}  // namespace kirchhoff::cuda
