// Many graphs at once: parallel, in input order, bit-identical for any number of threads and to one-by-one calls.
#pragma once

#include "kirchhoff/parallel.hpp"
#include "kirchhoff/tree.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace kirchhoff {

namespace detail {
/// Allocates numbers without setting them, for vectors that are written over at once.
template <class T>
struct Unset : std::allocator<T> {
  template <class U>
  struct rebind {
    using other = Unset<U>;
  };
  template <class U, class... Value>
  void construct(U* place, Value&&... value) {
    if constexpr (sizeof...(Value) > 0) ::new (static_cast<void*>(place)) U(std::forward<Value>(value)...);
  }
};
}  // namespace detail

/// Square arc matrices of different sizes, one after the other in one block of memory.
class MatrixBatch {
 public:
  void add(const MatrixRef& matrix);  ///< InputError unless square with n >= 1 words
  void reserve(std::size_t matrices, std::size_t doubles);

  std::size_t size() const { return words_.size(); }
  int words(std::size_t i) const { return words_[i]; }
  MatrixView operator[](std::size_t i) const;
  double* data(std::size_t i) { return values_.data() + offset_[i]; }
  /// The same shapes; all zero, or not set, to be written over.
  MatrixBatch zeros_like() const;
  MatrixBatch unset_like() const;

 private:
  std::vector<int> words_;
  std::vector<std::size_t> offset_;
  std::vector<double, detail::Unset<double>> values_;
};

struct BatchOptions {
  int threads = 0;  ///< 0: all cores
  Accuracy accuracy = {};
};

/// Calls visit(i, distribution of graph i) for every feasible graph, in parallel and in no particular order. The
/// distribution is borrowed: its storage is used again for the next graph (no heap allocation per graph once warm), so
/// neither it nor a copy of it may be kept, and its scores() are the batch's, diagonal and all. error(i, message) is
/// called for a graph without a tree. InputError is thrown, naming the graph.
void for_each_tree(const MatrixBatch& scores, Root root, const BatchOptions& options,
                   const std::function<void(std::size_t, const TreeDistribution&)>& visit,
                   const std::function<void(std::size_t, const std::string&)>& error);

struct BatchMarginals {
  std::vector<double> log_partition;  ///< -inf for a graph without a tree
  MatrixBatch marginals;              ///< zeros for a graph without a tree
  std::vector<Report> reports;
};
BatchMarginals batch_marginals(const MatrixBatch& scores, Root root, const BatchOptions& options = {});

struct BatchEntropy {
  std::vector<double> entropy;  ///< -inf for a graph without a tree
  MatrixBatch gradient;         ///< w.r.t. the scores
};
BatchEntropy batch_entropy(const MatrixBatch& scores, Root root, const BatchOptions& options = {});

}  // namespace kirchhoff
