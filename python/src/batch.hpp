// A batch of distributions over NumPy arrays of scores, and arrays of results for its graphs.
#pragma once

#include "graph_arrays.hpp"
#include "trees.hpp"

#include <nanobind/stl/variant.h>
#include <kirchhoff/projective.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace kirchhoff::python {

/// The scores of a graph that has this many words of an array (nodes, nodes[, labels]).
inline GraphView graph_in(const Strided& array, int words) {
  const bool labelled = array.axes == 3;
  return {.scores = array.data,
          .words = words,
          .head_stride = array.stride[0],
          .dependent_stride = array.stride[1],
          .label_stride = labelled ? array.stride[2] : 1,
          .labels = labelled ? static_cast<int>(array.shape[2]) : 1};
}

/// The number of nodes of the largest graph, which heads have room for. An InputError names a graph of the wrong shape.
inline std::size_t largest(const GraphArrays& scores) {
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const Strided& graph = scores[i];
    const auto wrong = [&](const std::string& why) {
      throw InputError("scores[" + std::to_string(i) + "]: shape " + shape_text(graph.shape.data(), graph.axes) + why);
    };
    const bool labelled = graph.axes == 3;
    if (graph.shape[0] != graph.shape[1]) wrong(labelled ? " is not (n+1, n+1, labels)" : " is not (n+1, n+1)");
    if (graph.shape[0] < 2) wrong(" has no word");
    if (labelled && graph.shape[2] != scores[0].shape[2]) {
      wrong(", where the first graph has " + std::to_string(scores[0].shape[2]) + " labels");
    }
  }
  return scores.extent(0);
}

/// D is TreeDistribution, ProjectiveTreeDistribution, or one of these with labels. Arrays of arcs of a list of graphs
/// lie one after the other without gaps; those of an array of graphs have its shape.
template <class D>
struct Batch {
  static constexpr std::size_t kAxes = kHasLabels<D> ? 3 : 2;  ///< of one graph

  GraphArrays scores;
  std::size_t nodes;   ///< the largest n + 1
  std::size_t labels;  ///< 0 for unlabelled graphs
  BatchOf<D> graphs;

  Batch(ArraysArgument arrays, Root root, const std::optional<Ints>& lengths, int threads, const Accuracy& accuracy)
      : scores(std::move(arrays), kAxes),
        nodes(largest(scores)),
        labels(kAxes == 3 ? scores.extent(2) : 0),
        graphs(views(lengths), root,
               {.threads = threads,
                .accuracy = accuracy,
                .padded_words = scores.is_list() ? 0 : static_cast<int>(nodes) - 1}) {}

  std::size_t size() const { return graphs.size(); }
  int threads() const { return graphs.options().threads; }
  const D& operator[](std::size_t i) const { return graphs[i]; }
  /// (batch, nodes, nodes[, labels]), or one axis for a list of graphs.
  std::vector<std::size_t> arc_shape() const {
    if (scores.is_list()) return {graphs.array_size()};
    std::vector<std::size_t> shape{size(), nodes, nodes};
    if (labels > 0) shape.push_back(labels);
    return shape;
  }
  /// f(scores), as D takes them, of graph i of other arrays of arcs.
  template <class F>
  decltype(auto) with_arcs(const GraphArrays& arrays, std::size_t i, F f) const {
    return with_scores<D>(graph_in(arrays[i], graphs.words(i)), f);
  }

 private:
  std::vector<GraphView> views(const std::optional<Ints>& lengths) const {
    std::vector<GraphView> views;
    views.reserve(scores.size());
    for (std::size_t i = 0; i < scores.size(); ++i) {
      views.push_back(graph_in(scores[i], words_of(lengths, i, scores[i].shape[0])));
    }
    return views;
  }
};

/// f(stop) without the interpreter's lock; a batch of one graph would leave nothing to interrupt.
template <class D, class F>
auto over_graphs(const Batch<D>& batch, F f) {
  return batch.size() == 1 ? unlocked([&] { return f(Stop()); }) : interruptible(f);
}

/// Writes the rows of one graph's array to its place in an array of arcs.
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

/// One number for each row of heads, of which every graph has as many: those of graph i come before those of i + 1.
template <class D, class F>
NumpyArray<double> row_numbers(const Batch<D>& batch, const Ints& heads, F f) {
  const std::size_t rows = heads.shape(0);
  if (rows % std::max<std::size_t>(batch.size(), 1) != 0) throw InputError("heads: graphs have not as many rows each");
  NewArray<double> out({rows}, 0.0);
  const std::size_t each = std::max<std::size_t>(rows / std::max<std::size_t>(batch.size(), 1), 1);
  run(rows, batch.threads(), [&](std::size_t row) { out.data[row] = f(row / each, row); });
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
inline constexpr bool kProjective =
    std::is_same_v<D, ProjectiveTreeDistribution> || std::is_same_v<D, LabelledProjectiveTreeDistribution>;

template <class D>
void bind_expectation(BatchClass<D>& c);
template <class D>
void bind_decode(BatchClass<D>& c);
template <class D>
void bind_objectives(BatchClass<D>& c);
template <class D>
void bind_sample(BatchClass<D>& c);
template <class D>
void bind_lists(BatchClass<D>& c);
void bind_decoding(nb::module_& m);
void bind_estimates(nb::module_& m);
void bind_features(nb::module_& m);
void bind_tree_lists(nb::module_& m);
void bind_tree(nb::module_& m);

}  // namespace kirchhoff::python
