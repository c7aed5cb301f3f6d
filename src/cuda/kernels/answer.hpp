// Turns what an elimination leaves into slopes d log Z / d w, and these into marginals, their derivatives, expectations
// and entropy.
#pragma once

#include "cuda/kernels/elimination.hpp"
#include "cuda/kernels/weigh.hpp"

#include <cmath>

namespace kirchhoff::cuda {

// What a word needs to be left alone with the root, when the other word of its part, if there is one, is eliminated.
// These lie where the word's factors were; the flags lie where it was noted who took the root's place.
enum LeafNumber { kOwnFactor, kRootFactor, kInverseRoot };  // the two rows take up the other word's; 1 / root's weight
enum LeafFlag { kRootCounts = 1, kRootKept = 2 };

template <class N, class S>
KIRCHHOFF_BOTH void leave_alone(const Desk<N, S>& desk, int kept, Watch& watch) {
  const int q = desk.part_of()[kept];
  const Part part = desk.parts()[q];
  bool root_counts = desk.root_counts()[q] != 0;
  const auto weight = [&](int r, int c) { return desk.row_entry(r, c); };
  const auto root = [&](int c) { return desk.root(q, c); };
  const N zero = constant<N>(0.0);
  N own_factor = zero, root_factor = zero, z = root(kept);
  bool root_kept = true;
  if (part.end - part.begin == 2) {
    const int other = part.begin + part.end - 1 - kept;
    const N pivot = root_counts ? add(weight(kept, other), root(other)) : weight(kept, other);
    const bool commits = is_zero(pivot) && !root_counts && !is_zero(root(other));
    watch.bad = watch.bad || (is_zero(pivot) && !commits);
    if (kept == 0) desk.pivots()[other] = commits ? root(other) : pivot;
    const N inverse = is_zero(pivot) ? zero : reciprocal(pivot);
    own_factor = multiply(weight(kept, other), inverse);
    root_factor = commits ? constant<N>(1.0) : multiply(root(other), inverse);
    root_counts = root_counts || commits;
    root_kept = !commits;
    z = multiply_add(root_factor, weight(other, kept), commits ? zero : z);
    see(watch.entries, pivot);
    see(watch.factors, own_factor);
    see(watch.factors, root_factor);
  }
  see(watch.entries, z);
  see(watch.factors, z);
  watch.bad = watch.bad || is_zero(z);
  const auto numbers = desk.kept_factors(kept);
  numbers[kOwnFactor] = own_factor;
  numbers[kRootFactor] = root_factor;
  numbers[kInverseRoot] = is_zero(z) ? zero : reciprocal(z);
  desk.committed(0)[kept] = static_cast<char>((root_counts ? kRootCounts : 0) | (root_kept ? kRootKept : 0));
  if (kept == 0) desk.pivots()[0] = z;
}

/// Slopes of the arcs to the kept words lie in the desk's rows then, those to one word in its row, and those of the
/// root's arcs where the sums were.
template <class Team, class N, class S>
KIRCHHOFF_BOTH void find_slopes(const Team& team, const Desk<N, S>& desk, int kept, bool single_root,
                                Elimination<Team, N, S>& elimination) {
  const int n = desk.n;
  const N zero = constant<N>(0.0);
  team.each([&](int thread) {
    for (int word = thread; word < kept; word += Team::kThreads) leave_alone(desk, word, elimination.watch(thread));
  });
  team.each([&](int thread) {
    constexpr int kWide = S::kColumnGroups, kGroups = S::kRowGroups;
    Watch& watch = elimination.watch(thread);
    for (int q = thread / kWide; q < elimination.part_count(); q += kGroups) {
      const Part part = desk.parts()[q];
      const int words = part.end - part.begin;
      for (int c = thread % kWide; words > 0 && c < n; c += kWide) {
        const N root = desk.root(q, c);
        const N row[2] = {desk.row_entry(part.begin, c), words == 2 ? desk.row_entry(part.begin + 1, c) : zero};
        KIRCHHOFF_UNROLL
        for (int i = 0; i < 2; ++i) {
          if (i >= words) continue;
          const int word = part.begin + i, flags = desk.committed(0)[word];
          const auto leaf = desk.kept_factors(word);
          const bool root_kept = (flags & kRootKept) != 0, root_counts = (flags & kRootCounts) != 0, own = c == word;
          N from_root = multiply_add(leaf[kRootFactor], row[1 - i], root_kept ? root : zero);
          if (!root_kept && c == part.begin + 1 - i)
            from_root = constant<N>(1.0);  // its walk ends in the root for sure
          N total = multiply_add(leaf[kOwnFactor], row[1 - i], row[i]);
          if (root_counts) total = add(total, from_root);
          see(watch.entries, total);
          watch.bad = watch.bad || (!own && is_zero(total));
          desk.row_entry(word, c) =
              own || is_zero(total) ? zero : multiply(from_root, multiply(reciprocal(total), leaf[kInverseRoot]));
          // A single root that has been taken the place of has no other child.
          if (own) desk.sums()[c] = root_counts && single_root ? zero : leaf[kInverseRoot];
        }
      }
    }
    if (watch.failed()) team.raise(desk.flags()[kFailed]);
  });
}

/// Marginals and derivatives of one graph, and where they go.
struct ArcAnswers {
  GraphArray marginals, derivatives;
  int nodes;   // of the arrays, which may have room for more than the graph
  bool means;  // the expectations below are asked for
};
/// What threads know of E[direction] and E[scaled score].
template <class Team>
struct Means {
  typename Team::template Local<double> slope, score;
};

/// Writes the marginals and derivatives of the arcs to the words at the first `kept` places, and zeros where there is
/// no arc, or everywhere if the graph is not solved.
template <class Team, class N, class S>
KIRCHHOFF_BOTH void write_arcs(const Team& team, const Weighing<N, S>& graph, const Order& order, int kept,
                               const ArcAnswers& out, Means<Team>& means) {
  const Desk<N, S>& desk = graph.desk;
  const int n = desk.n;
  team.each([&](int thread) {
    constexpr int kWide = S::kColumnGroups, kGroups = S::kRowGroups;
    const auto write = [&](int head, int dependent, int y, double p, double along) {
      if (out.marginals.values != nullptr) out.marginals.write(head, dependent, y, p);
      if (out.derivatives.values != nullptr) out.derivatives.write(head, dependent, y, along);
    };
    for (int j = thread % kWide; j < kept; j += kWide) {
      const int dependent = order.node(j);
      for (int place = thread / kWide - 1; place < n; place += kGroups) {  // -1 is the root
        const int head = place < 0 ? 0 : order.node(place);
        const N slope = place < 0 ? desk.sums()[j] : desk.row_entry(j, place);
        const std::int64_t arc = graph.scores.at(head, dependent, 0);
        for (int y = 0; y < graph.labels; ++y) {
          const double score = head != dependent ? graph.scores.read(arc + y * graph.scores.label_stride) : -HUGE_VAL;
          double p = 0.0, along = 0.0;
          if (score != -HUGE_VAL) {
            const N probability = multiply(graph.weight(score, head, dependent, y), slope);
            p = as_double(probability);
            p = p < 1.0 ? p : 1.0;
            if constexpr (kHasTangent<N>) along = tangent_of(probability) + 0.0;
            if (out.means && p > 0.0) {
              means.score[thread] += p * graph.scaled(score, head, dependent).high;
              means.slope[thread] += p * graph.slope(score, head, dependent, y);
            }
          }
          write(head, dependent, y, p, along);
        }
      }
    }
  });
}

/// Writes zeros where there cannot be an arc: to the root, and beyond the words; and everywhere, if nothing is known.
template <class Team>
KIRCHHOFF_BOTH void write_zeros(const Team& team, const ArcAnswers& out, int labels, int n, bool everywhere) {
  team.each([&](int thread) {
    const auto clear = [&](int head, int dependent) {
      for (int y = 0; y < labels; ++y) {
        if (out.marginals.values != nullptr) out.marginals.write(head, dependent, y, 0.0);
        if (out.derivatives.values != nullptr) out.derivatives.write(head, dependent, y, 0.0);
      }
    };
    for (int head = thread; head < out.nodes; head += Team::kThreads) clear(head, 0);
    if (!everywhere && out.nodes == n + 1) return;
    for (int head = 0; head < out.nodes; ++head) {
      const int first = everywhere || head > n ? 1 : n + 1;
      for (int dependent = first + thread; dependent < out.nodes; dependent += Team::kThreads) clear(head, dependent);
    }
  });
}

/// The sum of a number of every thread, which thread 0 gets; the order of the sum does not depend on anything.
template <class Team>
KIRCHHOFF_BOTH void add_up(const Team& team, double* scratch, typename Team::template Local<double>& values) {
  team.each([&](int thread) { scratch[thread] = values[thread]; });
  for (int count = Team::kThreads; count > 1;) {
    const int half = (count + 1) / 2;
    team.each([&](int thread) {
      if (thread + half < count) scratch[thread] += scratch[thread + half];
    });
    count = half;
  }
  team.each([&](int thread) { values[thread] = scratch[0]; });
}

}  // namespace kirchhoff::cuda
