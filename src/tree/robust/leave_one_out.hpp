// Leave-one-out elimination by divide and conquer, for any scalar; robust.cpp has the mathematics and its cost.
#pragma once

#include "base/buffer.hpp"
#include "base/stop.hpp"
#include "tree/robust/block.hpp"
#include "tree/robust/leaves.hpp"
#include "tree/robust/planes.hpp"
#include "tree/robust/robust.hpp"

#include <algorithm>
#include <type_traits>
#include <vector>

namespace kirchhoff::tree {

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
        leaves_(weights, slopes) {
    std::size_t rows = 2;
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
    leaves_.sum_columns(initial, zero_ + stride_);
    if (!recurse(all, zero_ + 2 * stride_, /*leftmost=*/true)) return false;
    slopes_.log_z = {};
    leaves_.product().add_to(slopes_.log_z);
    return kExtended || leaves_.watch().trustworthy();
  }

 private:
  bool recurse(const Subgraph& graph, double* free, bool leftmost) {
    if (leaves_.leave_all(graph, leftmost)) return leaves_.in_range();
    if (graph.end - graph.begin == 1) return leaves_.leave(graph, leftmost);
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
      StopScope::check();
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

  // Eliminates words [first, first + size); the rows of the root and of [keep_begin, keep_end) go to root_out,
  // kept_out.
  bool eliminate(Subgraph& graph, int first, int size, int keep_begin, int keep_end, double* root_out, double* kept_out,
                 bool record) {
    const double* block = graph.words + (first - graph.begin) * stride_;
    const int rows = 1 + keep_end - keep_begin;
    list_rows(graph, keep_begin, rows, root_out, kept_out);
    block_.gather(in_, rows, block, stride_, first, size, ld_);
    int committed = -1;
    if (block_.eliminate_together(graph.root_counts)) {
      for (int k = 0; k < size; ++k) {
        if (!leaves_.watch().see_small(block_.pivot_of(k))) return false;
        if (record) leaves_.product().multiply(block_.pivot_of(k));
      }
    } else if (!eliminate_one_by_one(graph, size, record, committed)) {
      return false;
    }
    block_.apply(block, stride_, ld_, in_, out_);
    if (committed >= 0) Row::write(root_out + first + committed, ld_, leaves_.certain(first + committed));
    return true;
  }

  bool eliminate_one_by_one(Subgraph& graph, int size, bool record, int& committed) {
    for (int k = 0; k < size; ++k) {
      const T pivot = block_.pivot(k, graph.root_counts);
      if (is_zero(pivot)) {
        if (!commit(graph, k, record)) return false;
        committed = k;
        continue;
      }
      if (!leaves_.watch().see_small(pivot)) return false;
      if (record) multiply(leaves_.product(), pivot);
      block_.step(k, pivot);
    }
    block_.fold();
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
    if (graph.root_counts || is_zero(block_.root_weight(k)) || !(kExtended || leaves_.watch().zeros_are_structural()))
      return false;
    if (record) multiply(leaves_.product(), block_.root_weight(k));
    block_.replace_root(k);
    in_[0] = zero_;
    graph.root_counts = true;
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
  Leaves<T, kTangent> leaves_;
};

}  // namespace kirchhoff::tree
