// Leave-one-out elimination by divide and conquer, for any scalar; robust.cpp has the mathematics and its cost.
#pragma once

#include "base/buffer.hpp"
#include "numeric/sum.hpp"
#include "tree/kernels/certified_marginals.hpp"
#include "tree/robust/block.hpp"
#include "tree/robust/planes.hpp"
#include "tree/robust/range_watch.hpp"
#include "tree/robust/robust.hpp"

#include <algorithm>
#include <type_traits>
#include <vector>

namespace kirchhoff::tree {

/// A graph on the root and words [begin, end): row pointers into some buffer.
struct Subgraph {
  const double* root;
  const double* words;  // row of word `begin`
  int begin;
  int end;
  bool root_counts;  // multi-root, or committed
};

/// Storage that is used again from call to call, one per thread.
template <class T, bool kTangent>
struct Workspace {
  base::Buffer rows;
  Block<T, kTangent> block;
  std::vector<const double*> in;
  std::vector<double*> out;
};

template <class T, bool kTangent>
class LeaveOneOut {
  using Row = Planes<T, kTangent>;
  static constexpr bool kExtended = kIsExtended<T>;
  static constexpr bool kPlain = std::is_same_v<T, double>;

 public:
  LeaveOneOut(const Weights& weights, Slopes& slopes, Workspace<T, kTangent>& work)
      : n_(weights.n),
        ld_(weights.ld),
        stride_(Row::count * weights.ld),
        single_(weights.root == Root::single),
        slopes_(slopes),
        block_(work.block),
        in_(work.in),
        out_(work.out),
        watch_(weights.underflowed) {
    std::size_t rows = 1;
    for (int m = n_; m > 1; m = (m + 1) / 2) rows += m + 1;
    zero_ = work.rows.take(rows * stride_);
    block_.reserve(n_);
    in_.resize(n_ + 1);
    out_.resize(n_ + 1);
  }

  /// False when doubles are not enough.
  bool run(const double* initial) {
    for (std::size_t c = 0; c < ld_; ++c) Row::write(zero_ + c, ld_, T());
    const Subgraph all{initial, initial + stride_, 0, n_, !single_};
    if (!recurse(all, zero_ + stride_, /*leftmost=*/true)) return false;
    slopes_.log_z = {};
    product_.add_to(slopes_.log_z);
    return kExtended || watch_.trustworthy();
  }

 private:
  bool recurse(const Subgraph& graph, double* free, bool leftmost) {
    if (graph.end - graph.begin == 1) return leaf(graph, leftmost);
    const int mid = (graph.begin + graph.end) / 2;
    for (const bool keep_left : {true, false}) {
      Subgraph child = graph;
      if (!reduce(graph, mid, keep_left, free, leftmost && keep_left, child)) return false;
      const int rows = graph.end - graph.begin + 1;
      if (!recurse(child, free + rows * stride_, leftmost && keep_left)) return false;
    }
    return true;
  }

  // Eliminates one half of `graph`, block by block, into fresh rows at `free`.
  bool reduce(const Subgraph& graph, int mid, bool keep_left, double* free, bool record, Subgraph& child) {
    int left = keep_left ? mid : graph.begin;  // words [left, right) are to go
    int right = keep_left ? graph.end : mid;
    while (left < right) {
      const int size = std::min(Block<T, kTangent>::kWords, right - left);
      const int first = keep_left ? right - size : left;
      const int keep_begin = keep_left ? graph.begin : first + size;
      const int keep_end = keep_left ? first : graph.end;
      double* kept = free + (1 + keep_begin - graph.begin) * stride_;
      if (!eliminate(child, first, size, keep_begin, keep_end, free, kept, record)) return false;
      child = {free, kept, keep_begin, keep_end, child.root_counts};
      (keep_left ? right : left) += keep_left ? -size : size;
    }
    return true;
  }

  T at(const double* row, int word) const { return Row::read(row + word, ld_); }

  // Eliminates words [first, first + size); the rows of the root and of [keep_begin, keep_end) go to root_out,
  // kept_out.
  bool eliminate(Subgraph& graph, int first, int size, int keep_begin, int keep_end, double* root_out, double* kept_out,
                 bool record) {
    const double* block = graph.words + (first - graph.begin) * stride_;
    const int rows = 1 + keep_end - keep_begin;
    list_rows(graph, keep_begin, rows, root_out, kept_out);
    block_.gather(in_, rows, block, stride_, first, size, ld_);
    int committed = -1;
    for (int k = 0; k < size; ++k) {
      const T pivot = block_.pivot(k, graph.root_counts);
      if (is_zero(pivot)) {
        if (!commit(graph, k, record)) return false;
        committed = k;
        continue;
      }
      if (!watch_.see_small(pivot)) return false;
      if (record) multiply(product_, pivot);
      block_.step(k, pivot);
    }
    block_.apply(block, stride_, ld_, in_, out_);
    // The committed word's own walk ends in the root for sure.
    if (committed >= 0) Row::write(root_out + first + committed, ld_, Row::one());
    return true;
  }

  void list_rows(const Subgraph& graph, int keep_begin, int rows, double* root_out, double* kept_out) {
    in_[0] = graph.root;
    out_[0] = root_out;
    const double* kept = graph.words + (keep_begin - graph.begin) * stride_;
    for (int r = 1; r < rows; ++r) {
      in_[r] = kept + (r - 1) * stride_;
      out_[r] = kept_out + (r - 1) * stride_;
    }
  }

  // Block word k takes the root's place, now of leading order (robust.cpp).
  bool commit(Subgraph& graph, int k, bool record) {
    if (graph.root_counts || is_zero(block_.root_weight(k)) || !(kExtended || watch_.zeros_are_structural()))
      return false;
    if (record) multiply(product_, block_.root_weight(k));
    block_.replace_root(k);
    in_[0] = zero_;
    graph.root_counts = true;
    return true;
  }

  // Only word j is left: this writes its row of slopes.
  bool leaf(const Subgraph& graph, bool leftmost) {
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

  int n_;
  std::size_t ld_;
  std::size_t stride_;
  bool single_;
  Slopes& slopes_;
  Block<T, kTangent>& block_;
  std::vector<const double*>& in_;
  std::vector<double*>& out_;
  double* zero_ = nullptr;
  numeric::LogProduct product_;
  RangeWatch watch_;
};

}  // namespace kirchhoff::tree
