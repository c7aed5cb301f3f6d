// The end of a leave-one-out elimination (leave_one_out.hpp): the slopes of words that are left alone.
#pragma once

#include "numeric/sum.hpp"
#include "tree/kernels/certified_marginals.hpp"
#include "tree/kernels/leaves.hpp"
#include "tree/robust/planes.hpp"
#include "tree/robust/range_watch.hpp"
#include "tree/robust/robust.hpp"

#include <algorithm>
#include <cstddef>
#include <type_traits>

namespace kirchhoff::tree {

/// A graph on the root and words [begin, end): row pointers into some buffer.
struct Subgraph {
  const double* root;
  const double* words;  // row of word `begin`
  int begin;
  int end;
  bool root_counts;  // multi-root, or committed
};

template <class T, bool kTangent>
class Leaves {
  using Row = Planes<T, kTangent>;
  static constexpr bool kExtended = kIsExtended<T>;
  static constexpr bool kPlain = std::is_same_v<T, double>;

 public:
  Leaves(const Weights& weights, Slopes& slopes)
      : n_(weights.n),
        ld_(weights.ld),
        stride_(Row::count * weights.ld),
        single_(weights.root == Root::single),
        slopes_(slopes),
        watch_(weights.underflowed) {}

  RangeWatch& watch() { return watch_; }
  /// Z of the scaled weights.
  numeric::LogProduct& product() { return product_; }
  /// Whether what leave_all() did last can be trusted.
  bool in_range() const { return in_range_; }

  /// Finds the totals of the columns over all rows that count, or 1 where there are none: that column's word takes the
  /// root's place. Elimination changes none of them.
  void sum_columns([[maybe_unused]] const double* initial, double* room) {
    inverse_totals_ = room;
    if constexpr (kPlain) {
      const std::size_t rows = n_ + 1, first = single_ ? 1 : 0;
      column_totals({initial + first * ld_, rows - first, ld_, ld_}, room);
      for (std::size_t c = 0; c < ld_; ++c) room[c] = room[c] > 0.0 ? 1.0 / room[c] : 1.0;
    }
  }

  /// The root's weight to a committed word, whose own walk ends in the root for sure: the total of its column.
  T certain([[maybe_unused]] int word) const {
    if constexpr (kPlain) {
      return 1.0 / inverse_totals_[word];
    } else {
      return Row::one();
    }
  }

  /// Writes the rows of slopes of all words that are left, if they are few. False when they are not, or one of them
  /// takes the root's place or cannot be reached: nothing is done then.
  bool leave_all(const Subgraph& graph, bool leftmost) {
    if constexpr (!kPlain) return false;
    const std::size_t first = graph.begin, count = graph.end - graph.begin, n = n_;
    if (count > kLeafWords) return false;
    const LeafPart part{graph.root, {graph.words, count, ld_, ld_}, first, n, graph.root_counts, inverse_totals_};
    const numeric::MatrixSpan rows{slopes_.rows.data() + first * ld_, count, ld_, ld_};
    const LeafOutcome outcome = leave_each(part, rows);
    if (!outcome.good) return false;
    watch_.see_large(outcome.largest);
    in_range_ = watch_.see_small(outcome.smallest);
    for (std::size_t j = 0; j < count; ++j) {
      if (leftmost) product_.multiply(outcome.pivots[j]);
      rows(j, first + j) = 0.0;
      slopes_.root.data()[first + j] = single_ && graph.root_counts ? 0.0 : 1.0 / outcome.z[j];
    }
    if (leftmost) product_.multiply(outcome.z[0]);
    return true;
  }

  /// Only word j is left: this writes its row of slopes. False when doubles are not enough.
  bool leave(const Subgraph& graph, bool leftmost) {
    const int j = graph.begin;
    const T z = at(graph.root, j);
    if (is_zero(z)) return false;
    if (leftmost) multiply(product_, z);
    const T inverse = Row::one() / z;
    const bool committed = single_ && graph.root_counts;  // then j is no root child
    Row::write(slopes_.root.data() + j, ld_, committed ? T() : inverse);
    double* g = slopes_.rows.data() + j * stride_;
    if constexpr (kPlain) {
      const std::size_t n = n_;
      const Range range = absorption_slopes({graph.root, graph.words, n, ld_}, graph.root_counts, inverse, g);
      watch_.see_large(range.largest);
      if (!watch_.see_small(std::min(range.smallest, z))) return false;
    } else {
      for (int i = 0; i < n_; ++i) {
        if (i == j) continue;
        const T a = at(graph.root, i);
        T total = at(graph.words, i);
        if (graph.root_counts) total += a;
        Row::write(g + i, ld_, is_zero(a) ? T() : a / total * inverse);
        if constexpr (!kExtended) watch_.see_large(a.v);
        if (!watch_.see_small(a)) return false;
      }
    }
    Row::write(g + j, ld_, T());
    return true;
  }

 private:
  T at(const double* row, int word) const { return Row::read(row + word, ld_); }

  int n_;
  std::size_t ld_;
  std::size_t stride_;
  bool single_;
  Slopes& slopes_;
  double* inverse_totals_ = nullptr;
  bool in_range_ = true;
  numeric::LogProduct product_;
  RangeWatch watch_;
};

}  // namespace kirchhoff::tree
