// A batch of distributions over a NumPy array of scores, and arrays of results in its shape.
#pragma once

#include "arrays.hpp"

#include <kirchhoff/expectation.hpp>

#include <algorithm>
#include <utility>

namespace kirchhoff::python {

/// The scores of one graph in an array (nodes, nodes[, labels]), or (batch, nodes, nodes[, labels]) if it is batched.
inline GraphView graph_in(const Doubles& array, std::size_t graph, int words, bool batched = true) {
  const std::size_t axis = batched ? 1 : 0;
  const bool labelled = array.ndim() == axis + 3;
  return {.scores = array.data() + (batched ? static_cast<std::ptrdiff_t>(graph) * array.stride(0) : 0),
          .words = words,
          .head_stride = array.stride(axis),
          .dependent_stride = array.stride(axis + 1),
          .label_stride = labelled ? array.stride(axis + 2) : 1,
          .labels = labelled ? static_cast<int>(array.shape(axis + 2)) : 1};
}

/// D is TreeDistribution or LabelledTreeDistribution. The scores are the caller's array, which this keeps alive.
template <class D>
struct Batch {
  static constexpr bool kLabelled = std::is_same_v<D, LabelledTreeDistribution>;

  Doubles scores;
  bool batched;        ///< the first axis of the scores is the batch; else they are one graph
  std::size_t nodes;   ///< the largest n + 1, which padded arrays have room for
  std::size_t labels;  ///< 0 for unlabelled graphs
  BatchOf<D> graphs;

  Batch(Doubles array, Root root, const std::vector<int>& words, int threads)
      : scores(std::move(array)),
        batched(scores.ndim() == (kLabelled ? 4 : 3)),
        nodes(scores.shape(batched ? 1 : 0)),
        labels(kLabelled ? scores.shape(batched ? 3 : 2) : 0),
        graphs(views_of(words), root, {.threads = threads, .padded_words = static_cast<int>(nodes) - 1}) {}

  std::size_t size() const { return graphs.size(); }
  int threads() const { return graphs.options().threads; }
  const D& operator[](std::size_t i) const { return graphs[i]; }
  /// (batch, nodes, nodes[, labels])
  std::vector<std::size_t> arc_shape() const {
    std::vector<std::size_t> shape{size(), nodes, nodes};
    if (labels > 0) shape.push_back(labels);
    return shape;
  }

 private:
  std::vector<GraphView> views_of(const std::vector<int>& words) const {
    std::vector<GraphView> views;
    views.reserve(words.size());
    for (std::size_t i = 0; i < words.size(); ++i) views.push_back(graph_in(scores, i, words[i], batched));
    return views;
  }
};

/// f(stop) without the interpreter's lock; a batch of one graph would leave nothing to interrupt.
template <class D, class F>
auto over_graphs(const Batch<D>& batch, F f) {
  return batch.size() == 1 ? unlocked([&] { return f(Stop()); }) : interruptible(f);
}

/// Writes the rows of one graph's array to its place in an array of zeros, (batch, nodes, nodes[, labels]).
template <class D>
void write_graph(const Batch<D>& batch, const Array<D>& array, std::size_t i, double* out) {
  const std::size_t rows = batch.graphs.words(i) + std::size_t{1};
  const std::size_t length = static_cast<std::size_t>(array.size()) / rows;
  for (std::size_t row = 0; row < rows; ++row) {
    std::copy_n(array.data() + row * length, length, out + batch.graphs.offset(i) + row * batch.graphs.row_length(i));
  }
}

/// One number per graph.
template <class D, class F>
NumpyArray<double> numbers(const Batch<D>& batch, F f) {
  NewArray<double> out({batch.size()}, 0.0);
  run(batch.size(), batch.threads(), [&](std::size_t i) { out.data[i] = f(i); });
  return out.array;
}

/// One array of arcs per graph.
template <class D, class F>
NumpyArray<double> arc_arrays(const Batch<D>& batch, double fill, F f) {
  NewArray<double> out(batch.arc_shape(), fill);
  run(batch.size(), batch.threads(), [&](std::size_t i) { write_graph(batch, f(i), i, out.data); });
  return out.array;
}

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
