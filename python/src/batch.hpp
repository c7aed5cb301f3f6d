// A batch of distributions of one root mode, and the padded arrays that belong to it.
#pragma once

#include "arrays.hpp"
#include "tree/state.hpp"

#include <kirchhoff/decode.hpp>
#include <kirchhoff/expectation.hpp>

#include <mutex>
#include <optional>
#include <string>

namespace kirchhoff::python {

/// One graph's part of a padded array: where it begins, the strides of its axes and how many labels it has.
struct Part {
  const double* first;
  const std::int64_t* strides;
  int labels;
};

/// batched: the first axis is the batch; else the array is one graph.
inline Part part_of(const Doubles& array, std::size_t graph, bool batched = true) {
  const std::size_t axis = batched ? 1 : 0;
  const double* first = array.data() + (batched ? static_cast<std::ptrdiff_t>(graph) * array.stride(0) : 0);
  return {first, array.stride_ptr() + axis, array.ndim() == axis + 3 ? static_cast<int>(array.shape(axis + 2)) : 0};
}

/// Its (n+1) x (n+1) corner.
inline Matrix corner(const Part& part, int words, const TreeDistribution*) {
  using Strided = Eigen::Map<const Matrix, 0, Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>>;
  return Strided(part.first, words + 1, words + 1, {part.strides[0], part.strides[1]});
}

inline LabelledMatrix corner(const Part& part, int words, const LabelledTreeDistribution*) {
  LabelledMatrix result(words, part.labels);
  for (int head = 0; head <= words; ++head) {
    for (int dependent = 0; dependent <= words; ++dependent) {
      for (int label = 0; label < result.labels(); ++label) {
        result(head, dependent, label) =
            part.first[head * part.strides[0] + dependent * part.strides[1] + label * part.strides[2]];
      }
    }
  }
  return result;
}

/// f of the corner, which is read where it lies if its rows are contiguous.
template <class F>
auto with_corner(const Part& part, int words, const TreeDistribution* kind, F f) {
  if (part.strides[1] != 1 || part.strides[0] < words + 1) return f(corner(part, words, kind));
  using Rows = Eigen::Map<const Matrix, 0, Eigen::OuterStride<>>;
  return f(Rows(part.first, words + 1, words + 1, Eigen::OuterStride<>(part.strides[0])));
}

template <class F>
auto with_corner(const Part& part, int words, const LabelledTreeDistribution* kind, F f) {
  return f(corner(part, words, kind));
}

/// D: TreeDistribution or LabelledTreeDistribution. `nodes` is the padded n + 1; `labels` is 0 for unlabelled graphs.
///
/// Distributions of several graphs together do not fit into the caches, so a batch keeps what most callers ask for, log
/// Z and marginals, and makes a distribution again when something else is asked. The scores are the caller's array.
template <class D>
class Batch {
 public:
  /// is_batch: the first axis of the scores is the batch; else they are one graph.
  Batch(Doubles scores, bool is_batch, Root root, std::vector<int> words, int most_threads)
      : nodes(scores.shape(is_batch ? 1 : 0)),
        labels(part_of(scores, 0, is_batch).labels),
        threads(most_threads),
        batched(is_batch),
        log_partition(words.size()),
        scores_(std::move(scores)),
        root_(root),
        words_(std::move(words)),
        items_(words_.size()),
        made_(std::make_unique<std::once_flag[]>(words_.size())) {}

  const std::size_t nodes;
  const std::size_t labels;
  const int threads;
  const bool batched;
  std::vector<double> log_partition;
  mutable std::optional<NumpyArray<double>> marginals;  ///< given away when first asked for

  std::size_t size() const { return words_.size(); }
  const std::vector<int>& words() const { return words_; }
  std::size_t arcs() const { return nodes * nodes * (labels > 0 ? labels : 1); }
  std::vector<std::size_t> arc_shape() const {
    std::vector<std::size_t> shape{size(), nodes, nodes};
    if (labels > 0) shape.push_back(labels);
    return shape;
  }

  D make(std::size_t i) const {
    return with_corner(part_of(scores_, i, batched), words_[i], static_cast<const D*>(nullptr),
                       [&](const auto& graph) { return D(graph, root_); });
  }
  /// Log Z, without making a distribution.
  double marginals_into(std::size_t i, double* out) const {
    return with_corner(part_of(scores_, i, batched), words_[i], static_cast<const D*>(nullptr), [&](const auto& graph) {
      return detail::marginals_into(graph, root_, {}, out, static_cast<std::ptrdiff_t>(nodes)).log_partition;
    });
  }
  const D& operator[](std::size_t i) const {
    std::call_once(made_[i], [&] { items_[i].emplace(make(i)); });
    return *items_[i];
  }

 private:
  Doubles scores_;
  Root root_;
  std::vector<int> words_;
  mutable std::vector<std::optional<D>> items_;
  std::unique_ptr<std::once_flag[]> made_;
};

/// Puts one graph's array into its place in a padded one.
inline void put(const MatrixRef& matrix, std::size_t nodes, std::size_t, double* out) {
  const auto whole = static_cast<Eigen::Index>(nodes);
  if (matrix.cols() == whole && matrix.outerStride() == whole) {
    std::copy_n(matrix.data(), matrix.size(), out);
    return;
  }
  for (Eigen::Index head = 0; head < matrix.rows(); ++head) {
    std::copy_n(matrix.data() + head * matrix.outerStride(), matrix.cols(), out + head * nodes);
  }
}

inline void put(const LabelledMatrix& matrix, std::size_t nodes, std::size_t labels, double* out) {
  const std::size_t row = (matrix.words() + 1) * labels;
  for (int head = 0; head <= matrix.words(); ++head) {
    std::copy_n(matrix.data() + head * row, row, out + head * nodes * labels);
  }
}

/// One number per graph.
template <class D, class F>
NumpyArray<double> numbers(const Batch<D>& batch, F f) {
  NewArray<double> out({batch.size()}, 0.0);
  run(batch.size(), batch.threads, [&](std::size_t i) { out.data[i] = f(i); });
  return out.array;
}

/// One arc array per graph.
template <class D, class F>
NumpyArray<double> arc_arrays(const Batch<D>& batch, double fill, F f) {
  NewArray<double> out(batch.arc_shape(), fill);
  run(batch.size(), batch.threads,
      [&](std::size_t i) { put(f(i), batch.nodes, batch.labels, out.data + i * batch.arcs()); });
  return out.array;
}

/// heads and labels of graph i: rows of (batch, nodes) integers.
inline Heads heads_of(const Ints& heads, std::size_t i, int words) {
  const std::int64_t* row = heads.data() + i * heads.shape(1);
  if (heads.shape(1) < static_cast<std::size_t>(words) + 1) {
    throw InputError("[log_prob] heads: fewer than n + 1 columns");
  }
  Heads result(words + 1, -1);
  for (int d = 1; d <= words; ++d) result[d] = static_cast<int>(row[d]);
  return result;
}

inline Gold gold_of(const Ints& heads, const std::optional<Ints>& labels, std::size_t i, int words) {
  Gold gold{heads_of(heads, i, words), {}};
  if (labels) {
    gold.labels = heads_of(*labels, i, words);
    gold.labels[0] = 0;
  }
  return gold;
}

using ArcList = std::vector<std::pair<int, int>>;  // head, dependent
using ArcLists = std::vector<ArcList>;             // of each graph

/// `lists` holds one list for each of `count` graphs.
inline Constraints constraints_of(const ArcLists& require, const ArcLists& forbid, std::size_t i) {
  Constraints out;
  for (const auto& [head, dependent] : require[i]) out.require.push_back({head, dependent});
  for (const auto& [head, dependent] : forbid[i]) out.forbid.push_back({head, dependent});
  return out;
}

/// Number of words of graph i: lengths[i], or all.
inline int words_of(const std::optional<Ints>& lengths, std::size_t i, std::size_t nodes) {
  const std::int64_t words = lengths ? lengths->data()[i] : static_cast<std::int64_t>(nodes) - 1;
  if (words < 1 || words >= static_cast<std::int64_t>(nodes)) {
    throw InputError("lengths[" + std::to_string(i) + "] is " + std::to_string(words) + ", expected 1 to " +
                     std::to_string(nodes - 1) + " words");
  }
  return static_cast<int>(words);
}

/// Adds the graph's number to a message, when there are several.
template <class F>
void naming(std::size_t i, std::size_t count, F f) {
  try {
    f();
  } catch (const InputError& e) {
    throw InputError(count == 1 ? e.what() : "graph " + std::to_string(i) + ": " + e.what());
  } catch (const Infeasible& e) {
    throw Infeasible(count == 1 ? e.what() : "graph " + std::to_string(i) + ": " + e.what());
  }
}

/// Sampled or decoded trees: the same number of rows for every graph, missing ones -1 and -inf.
struct TreeArrays {
  NewArray<std::int64_t> heads, labels;
  NewArray<double> log_prob;  ///< of trees decoded from scores alone: the score
  std::size_t count, nodes;

  TreeArrays(std::size_t graphs, std::size_t trees, std::size_t padded_nodes)
      : heads({graphs, trees, padded_nodes}, -1),
        labels({graphs, trees, padded_nodes}, -1),
        log_prob({graphs, trees}, -HUGE_VAL),
        count(trees),
        nodes(padded_nodes) {}

  template <class Tree>
  void set(std::size_t graph, std::size_t k, const Tree& tree) {
    const std::size_t at = graph * count + k;
    std::copy(tree.heads.begin(), tree.heads.end(), heads.data + at * nodes);
    std::copy(tree.labels.begin(), tree.labels.end(), labels.data + at * nodes);
    log_prob.data[at] = tree.log_prob ? *tree.log_prob : tree.score;
  }
};

template <class D>
using BatchClass = nb::class_<Batch<D>>;

template <class D>
void bind_expectation(BatchClass<D>& c);
template <class D>
void bind_decode(BatchClass<D>& c);
template <class D>
void bind_sample(BatchClass<D>& c);
void bind_decoding(nb::module_& m);
void bind_estimates(nb::module_& m);
void bind_tree(nb::module_& m);

}  // namespace kirchhoff::python
