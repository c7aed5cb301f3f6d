// Elimination of one strongly connected component: factors of I - P, where P >= 0 holds the weights inside it.
//
// The states that cost least go first [Markowitz57], on lists while these are short and on a dense matrix for the rest.
// Eliminating k does p_ij += p_ik p_kj / d_k for all other i, j, where d_k is the pivot. Nothing is subtracted but in
// the pivot, and with Pivot::exits nothing at all: then all results have small relative errors [OCinneide93].
// The cost is the sum of (arcs in) * (arcs out) over the states when they are eliminated, at most n^3/3.
#pragma once

#include "base/buffer.hpp"
#include "wfsm/solve/dense_elimination.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace kirchhoff::wfsm {

/// The rows of a dense matrix with one column more than it has rows. Those of doubles are aligned and padded.
template <class T>
class DenseRows {
 public:
  void resize(std::size_t n) {
    ld_ = n + 1;
    values_.assign(n * ld_, T{});
  }
  T* data() { return values_.data(); }
  const T* row(std::size_t i) const { return values_.data() + i * ld_; }
  std::size_t ld() const { return ld_; }

 private:
  std::vector<T> values_;
  std::size_t ld_ = 0;
};
template <>
class DenseRows<double> {
 public:
  void resize(std::size_t n) {
    ld_ = base::padded(n + 1);
    std::fill_n(values_.take(n * ld_), n * ld_, 0.0);
  }
  double* data() { return values_.data(); }
  const double* row(std::size_t i) const { return values_.data() + i * ld_; }
  std::size_t ld() const { return ld_; }

 private:
  base::Buffer values_;
  std::size_t ld_ = 0;
};

/// T is double or numeric::ExtendedWide.
template <class T>
class ComponentElimination {
 public:
  struct Entry {
    int index = 0;
    T value{};
  };
  /// The rows of P without its diagonal, with one entry for each pair of states.
  using Rows = std::vector<std::vector<Entry>>;

  /// `side` is the diagonal for Pivot::closure, and the weights of leaving each state for Pivot::exits.
  ComponentElimination(Rows rows, std::vector<T> side, Pivot rule);

  /// The state whose pivot was not positive, or -1.
  int failed() const { return failed_; }

  /// x := (I - P)^-1 x.
  void solve_column(T* x) const;
  /// x := x (I - P)^-1.
  void solve_row(T* x) const;

 private:
  /// An eliminated state: the coefficients p_ik / pivot of the states that led to it, and its row.
  struct Step {
    int state = 0;
    T pivot{};
    std::size_t in = 0, in_end = 0, out = 0, out_end = 0;
  };

  std::size_t cost(int k) const { return in_[k].size() * rows_[k].size(); }
  void eliminate_sparse();
  T pivot(int k) const;
  void eliminate(int k);
  static std::size_t find(const std::vector<Entry>& row, int index);
  void add(int k, const T& c, int i);
  void eliminate_core();
  template <class Solve>
  void on_core(T* x, Solve solve) const;

  Rows rows_;
  std::vector<T> side_;
  Pivot rule_;
  std::vector<std::vector<int>> in_;
  std::vector<int> position_;
  std::vector<Step> steps_;
  std::vector<Entry> ins_, outs_;
  std::vector<int> core_;  // the states that are left for the dense matrix
  DenseRows<T> dense_;
  std::vector<T> pivots_;
  int failed_ = -1;
};

extern template class ComponentElimination<double>;
extern template class ComponentElimination<numeric::ExtendedWide>;

}  // namespace kirchhoff::wfsm
