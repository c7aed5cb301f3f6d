// What all prefixes of a beam search share: weights, and where walks meet the words whose heads are known.
//
// Words get their heads in order. At level j, words above j are free: from each of them a walk goes from dependent to
// head, by weight, until it meets a word up to j, or the root. The probabilities of where do not depend on the heads
// of the words up to j, so that they are computed once for all prefixes. Level n has no free words; each level before
// it frees one more: word q's walk goes to a head, and if that is free to where that one's walk meets; what comes back
// to q is left out of the sum that the rest is divided by [GTH]. Nothing is subtracted. Cost: O(n^3), for all levels.
//
// Single root: root arcs have an infinitely small weight, so that trees with two of them vanish beside those with one.
// The root has two columns. Column 0 is its probability (of order 0), and the last column has what is of first order.
// Only where a walk can go nowhere else does the root get all (the word "commits" to it, as in elimination.hpp).
#pragma once

#include "cuda/kernels/beam_desk.hpp"
#include "cuda/kernels/beam_random.hpp"
#include "cuda/kernels/beam_weights.hpp"
#include "cuda/kernels/numbers.hpp"
#include "cuda/kernels/watch.hpp"

namespace kirchhoff::cuda {

template <class Team, class N>
class Preparation {
 public:
  KIRCHHOFF_BOTH Preparation(const Team& team, const BeamSearch& search, std::int64_t g, char* room, char* desk)
      : team_(team),
        n_(words_of(search.graphs, g)),
        single_(search.graphs.single_root),
        room_(room, n_, search.kept()),
        desk_(desk, n_) {}

  /// Returns what becomes of the graph: Status::open, if doubles have not the range.
  KIRCHHOFF_BOTH Status run(const GraphArray& scores) {
    find_best(team_, desk_, scores, n_, single_);
    if (desk_.flags[kInvalid] != 0) return Status::invalid;
    find_weights(team_, desk_, scores, n_, room_.weights);
    int commits = 0;
    bool stuck = false;
    for (int q = n_; q >= 1 && !stuck; --q) {
      find_from(q);
      free_word(q, commits, stuck);
    }
    team_.each([&](int thread) {
      if (watch_[thread].failed()) team_.raise(desk_.flags[kFailed]);
    });
    if (desk_.flags[kFailed] != 0) return Status::open;
    if (stuck || commits > 1) return Status::infeasible;
    return kIsExtended<N> ? Status::extended : Status::solved;
  }

  /// The beam of level 1: the empty prefix.
  KIRCHHOFF_BOTH void begin(std::uint64_t seed) {
    team_.each([&](int thread) {
      if (thread != 0) return;
      for (BeamChildren& children : room_.control->children) children = kNoChildren;
      room_.control->arrived = room_.control->released = 0;
      room_.beam[0] = {-log(-log(random_numbers(seed, 0, kFirstOfAll).first)), 0.0, 0, 0, 0};
    });
  }

 private:
  static constexpr int kParts = PrepareDesk<N>::kParts, kSums = PrepareDesk<N>::kSums;

  KIRCHHOFF_BOTH N& meeting(int column, int word) { return desk_.meetings[column * desk_.ld + word - 1]; }

  /// Where a walk of word q meets a smaller word or the root, unnormalised. There are q + 1 columns: place q is that of
  /// the root in first order, whose numbers are in column n + 1.
  KIRCHHOFF_BOTH void find_from(int q) {
    const int columns = q + 1, nodes = n_ + 1;
    const N zero = constant<N>(0.0);
    team_.each([&](int thread) {
      const N* const next = room_.weights + (q - 1) * nodes;
      const N mine = thread < nodes ? next[thread] : zero;  // it comes from afar, while sums are made
      for (int task = thread; task < columns * kParts; task += Team::kThreads) {
        desk_.parts[task % kParts * nodes + task / kParts] = part_of_from(q, task / kParts, task % kParts);
      }
      for (int head = thread; head < nodes; head += Team::kThreads) {
        desk_.into(q - 1)[head] = head == thread ? mine : next[head];
      }
    });
    team_.each([&](int thread) {
      for (int place = thread; place < columns; place += Team::kThreads) {
        N sum = desk_.parts[place];
        KIRCHHOFF_UNROLL
        for (int part = 1; part < kParts; ++part) sum = add(sum, desk_.parts[part * nodes + place]);
        see(watch_[thread].entries, sum);
        desk_.from[place] = sum;
      }
    });
    team_.each([&](int thread) {
      for (int slice = thread; slice < kSums; slice += Team::kThreads) {
        N sum = zero;
        for (int place = slice; place < q; place += kSums) sum = add(sum, desk_.from[place]);
        desk_.sums[slice] = sum;
      }
    });
  }
  KIRCHHOFF_BOTH N part_of_from(int q, int place, int part) {
    const int column = place < q ? place : n_ + 1;
    const N* const into = desk_.into(q);
    const bool arc = part == 0 && (place == 0 ? !single_ : place < q || single_);
    N sum = arc ? into[place < q ? place : 0] : constant<N>(0.0);
    for (int v = q + 1 + part; v <= n_; v += kParts) sum = multiply_add(into[v], meeting(column, v), sum);
    return sum;
  }

  // Threads form a grid over words and columns.
  static constexpr int kRowLanes = Team::kThreads < 16 ? Team::kThreads : 16, kPlaceLanes = Team::kThreads / kRowLanes;
  static constexpr int kRowsAtOnce = 4;

  /// Word q becomes free: walks that met it go on from there. Writes the meetings of level q - 1.
  KIRCHHOFF_BOTH void free_word(int q, int& commits, bool& stuck) {
    bool dead = false, commit = false;
    team_.each([&](int thread) {
      N sums[4];
      KIRCHHOFF_UNROLL
      for (int i = 0; i < 4; ++i) {
        sums[i] = add(add(desk_.sums[i], desk_.sums[i + 4]), add(desk_.sums[i + 8], desk_.sums[i + 12]));
      }
      const N pivot = add(add(sums[0], sums[1]), add(sums[2], sums[3]));
      commit = is_zero(pivot) && !is_zero(desk_.from[q]);
      dead = is_zero(pivot) && !commit;
      const N inverse = is_zero(pivot) ? constant<N>(1.0) : reciprocal(pivot);
      see(watch_[thread].factors, inverse);
      for (int row = thread % kRowLanes; row <= n_ - q; row += kRowsAtOnce * kRowLanes) {
        move_on(q, row, inverse, commit, thread);
      }
    });
    commits += commit ? 1 : 0;
    stuck = dead;
  }
  /// Some of the walks that met word q, the first of which is its own.
  KIRCHHOFF_BOTH void move_on(int q, int first, const N& inverse, bool commit, int thread) {
    const int rows = n_ - q + 1;
    const N zero = constant<N>(0.0), one = constant<N>(1.0);
    N* const out = q > 1 ? room_.meetings + meetings_before(n_, q - 1) : nullptr;
    N met[kRowsAtOnce];
    KIRCHHOFF_UNROLL
    for (int i = 0; i < kRowsAtOnce; ++i) {
      const int row = first + i * kRowLanes;
      const N x = meeting(q, row < rows ? q + row : q);
      met[i] = row == 0 ? one : x;
    }
    for (int place = thread / kRowLanes; place <= q; place += kPlaceLanes) {
      const int column = place < q ? place : n_ + 1;
      const N x = multiply(!commit ? desk_.from[place] : place == 0 ? one : zero, inverse);
      N sum[kRowsAtOnce];
      KIRCHHOFF_UNROLL
      for (int i = 0; i < kRowsAtOnce; ++i) {
        const int row = first + i * kRowLanes;
        const N before = meeting(column, row < rows ? q + row : q);  // without a branch
        sum[i] = row == 0 ? zero : before;
      }
      KIRCHHOFF_UNROLL
      for (int i = 0; i < kRowsAtOnce; ++i) {
        const int row = first + i * kRowLanes;
        if (row >= rows) continue;
        const N y = multiply_add(met[i], x, sum[i]);
        see(watch_[thread].entries, y);
        meeting(column, q + row) = y;
        if (out != nullptr) out[place * rows + row] = y;
      }
    }
  }

  const Team& team_;
  const int n_;
  const bool single_;
  const BeamRoom<N> room_;
  const PrepareDesk<N> desk_;
  typename Team::template Local<Watch> watch_;
};

/// Prepares the search of graph g, in memory for a room and for a desk. The status says whether it can begin.
template <class Team, class N>
KIRCHHOFF_BOTH void prepare_beam(const Team& team, const BeamSearch& search, std::int64_t g, char* room, char* desk) {
  Preparation<Team, N> preparation(team, search, g, room, desk);
  const Status status = preparation.run(graph_array(search.graphs, search.graphs.scores, g));
  preparation.begin(search.seed + static_cast<std::uint64_t>(g));
  team.each([&](int thread) {
    if (thread == 0) search.graphs.status[g] = status;
  });
}

}  // namespace kirchhoff::cuda
