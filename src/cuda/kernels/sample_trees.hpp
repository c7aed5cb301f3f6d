// Independent trees of one graph by Wilson's algorithm [Wilson96]: tables that a team makes, a thread for each word,
// and loop-erased random walks, a thread for each tree.
//
// The draws are those of sample/sampler.cpp: the same seed and index give the same tree.
#pragma once

#include "cuda/kernels/alias_tables.hpp"
#include "cuda/kernels/arc_weights.hpp"
#include "cuda/kernels/random_bits.hpp"
#include "cuda/kernels/sample_task.hpp"

#include <cmath>

namespace kirchhoff::cuda {

/// Makes a table of the weights of each word's heads, relative to the best, and with Walker::marginal one of the root's
/// children instead of the root's arcs.
template <class Team>
KIRCHHOFF_BOTH void make_tables(const Team& team, const SampleTask& task, std::int64_t g, int n,
                                const AliasTables& tables) {
  const GraphArray scores = graph_array(task.arcs, task.arcs.scores, g);
  const GraphArray marginals = graph_array(task.arcs, task.arcs.marginals, g);
  const bool by_child = task.walker == Walker::marginal;
  team.each([&](int thread) {
    for (int word = thread; word <= n; word += Team::kThreads) {
      if (word == 0 && !by_child) continue;
      double best = word == 0 ? 0.0 : -HUGE_VAL;
      for (int head = 0; head <= n && word > 0; ++head) {
        const bool is_arc = head != word && !(head == 0 && by_child);
        const double score = is_arc ? scores.read(head, word, 0) : -HUGE_VAL;
        best = fmax(best, score);
        tables.set_number(word, head, score);
      }
      if (best == -HUGE_VAL) continue;  // only the root can be its head: it is the root's child in every tree
      for (int head = 0; head <= n; ++head) {
        const double weight = word > 0    ? exp(tables.number(word, head) - best)
                              : head == 0 ? 0.0
                                          : marginals.read(0, head, 0);
        tables.set_number(word, head, weight);
      }
      tables.make(word);
    }
  });
}

/// Walks from each word to its head, drawn by weight, until the tree is met; a later visit to a word replaces its head,
/// which erases the loop. `top` (0, or the root's only child) is the tree at the beginning. A word that is not in the
/// tree has a head below 0: -2 less its head on the walk. Returns false when the draws that are left are not enough.
KIRCHHOFF_BOTH bool walk(const AliasTables& tables, int n, int top, RandomBits& random, std::int64_t& left,
                         std::int32_t* heads) {
  for (int word = 1; word <= n; ++word) heads[word] = -1;
  heads[0] = heads[top] = 0;
  for (int start = 1; start <= n; ++start) {
    for (int word = start; heads[word] < 0;) {
      if (left-- <= 0) return false;
      const int head = tables.draw(word, random.bits());
      heads[word] = -2 - head;
      word = head;
    }
    for (int word = start; heads[word] < 0;) {
      const int head = -2 - heads[word];
      heads[word] = head;
      word = head;
    }
  }
  heads[0] = -1;
  return true;
}

KIRCHHOFF_BOTH bool has_one_child(int n, const std::int32_t* heads) {
  int children = 0;
  for (int word = 1; word <= n; ++word) children += heads[word] == 0 ? 1 : 0;
  return children == 1;
}

/// Draws sample number `index` of a graph's stream. If the budget is spent, only the root's child is known then.
KIRCHHOFF_BOTH bool draw_heads(const SampleTask& task, const AliasTables& tables, int n, std::uint64_t seed,
                               std::uint64_t index, std::int32_t* heads) {
  RandomBits random(seed, index, Purpose::walk);
  const int top = task.walker == Walker::marginal ? tables.draw(0, random.bits()) : 0;
  std::int64_t left = task.budget;
  for (;;) {
    if (!walk(tables, n, top, random, left, heads)) break;
    if (task.walker != Walker::reject || has_one_child(n, heads)) return true;
  }
  for (int word = 0; word <= n; ++word) heads[word] = word == top && top > 0 ? 0 : -1;
  return false;
}

/// Draws the label of an arc by a uniform number: p(label | arc) is proportional to the exponential of its score.
KIRCHHOFF_BOTH int draw_label(const GraphArray& scores, int labels, int head, int dependent, double uniform) {
  double best = -HUGE_VAL, total = 0.0;
  for (int y = 0; y < labels; ++y) best = fmax(best, scores.read(head, dependent, y));
  for (int y = 0; y < labels; ++y) total += exp(scores.read(head, dependent, y) - best);
  const double log_total = log(total);
  int label = 0;
  for (int y = 0; y < labels && uniform >= 0.0; ++y) {
    const double score = scores.read(head, dependent, y);
    if (score == -HUGE_VAL) continue;
    label = y;
    uniform -= exp(score - best - log_total);
  }
  return label;
}

/// A graph, and some of its samples.
struct Slice {
  std::int64_t graph, first, end;
  int n;
};

/// Draws labels for the arcs of trees, if they are asked for or count in the score.
template <class Team>
KIRCHHOFF_BOTH void draw_labels(const Team& team, const SampleTask& task, const Slice& slice, std::uint64_t seed) {
  const TreeTask& trees = task.trees;
  if (trees.labels == nullptr) return;
  const GraphArray scores = graph_array(trees.graphs, trees.graphs.scores, slice.graph);
  const int room = trees.graphs.words + 1;
  team.each([&](int thread) {
    for (std::int64_t i = thread; i < (slice.end - slice.first) * room; i += Team::kThreads) {
      const std::int64_t sample = slice.first + i / room;
      const int word = static_cast<int>(i % room);
      const std::int64_t at = trees.row(slice.graph, sample) + word;
      const int head = trees.heads[at];
      trees.labels[at] = word <= slice.n ? 0 : -1;
      if (head < 0 || trees.graphs.labels == 1 || task.spent[slice.graph * trees.trees + sample] != 0) continue;
      RandomBits random(seed, static_cast<std::uint64_t>(sample), Purpose::labels);
      random.seek(static_cast<std::uint64_t>(word - 1));
      trees.labels[at] = draw_label(scores, trees.graphs.labels, head, word, random.uniform());
    }
  });
}

/// Writes the scores of trees, whose labels are known.
template <class Team>
KIRCHHOFF_BOTH void add_scores(const Team& team, const TreeTask& trees, const Slice& slice) {
  if (trees.score == nullptr) return;
  const GraphArray scores = graph_array(trees.graphs, trees.graphs.scores, slice.graph);
  team.each([&](int thread) {
    for (std::int64_t sample = slice.first + thread; sample < slice.end; sample += Team::kThreads) {
      const std::int64_t row = trees.row(slice.graph, sample);
      WideSum sum;
      for (int word = 1; word <= slice.n; ++word) {
        const int head = trees.heads[row + word], label = trees.graphs.labels > 1 ? trees.labels[row + word] : 0;
        if (head >= 0) sum.add(scores.read(head, word, label));
      }
      trees.score[slice.graph * trees.trees + sample] = sum.high + sum.low;
    }
  });
}

/// Draws a slice of a graph's samples, with tables in this memory.
template <class Team>
KIRCHHOFF_BOTH void sample_slice(const Team& team, const SampleTask& task, std::int64_t g, std::int64_t number,
                                 char* memory) {
  const TreeTask& trees = task.trees;
  const std::int64_t first = number * kSlice, most = first + kSlice, end = most < trees.trees ? most : trees.trees;
  if (task.arcs.status[g] > Status::extended) return write_no_trees(team, trees, g, first, end);
  const Slice slice{g, first, end, words_of(trees.graphs, g)};
  const AliasTables tables(memory, slice.n + 1);
  const std::uint64_t seed = task.seed + static_cast<std::uint64_t>(g);
  if (task.walker != Walker::nobody) make_tables(team, task, g, slice.n, tables);
  team.each([&](int thread) {
    for (std::int64_t sample = first + thread; sample < end; sample += Team::kThreads) {
      std::int32_t* const heads = trees.heads + trees.row(g, sample);
      const bool drawn = task.walker != Walker::nobody &&
                         draw_heads(task, tables, slice.n, seed, static_cast<std::uint64_t>(sample), heads);
      for (int word = slice.n + 1; word <= trees.graphs.words; ++word) heads[word] = -1;
      task.spent[g * trees.trees + sample] = drawn ? 0 : 1;
      if (!drawn) team.raise(task.graph_spent[g]);
    }
  });
  if (task.walker == Walker::nobody) return;
  draw_labels(team, task, slice, seed);
  add_scores(team, trees, slice);
}

}  // namespace kirchhoff::cuda
