// Many graphs at once: solved in parallel and answered in the order of the input. The answers for a graph have the same
// bits whatever the number of threads and whatever other graphs there are. A batch of one graph is solved as a
// distribution of its own, whose last bits may differ.
#pragma once

#include "kirchhoff/parallel.hpp"
#include "kirchhoff/tree.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace kirchhoff {

/// The scores of one graph where they lie in memory. The score of (head, dependent, label) is at
/// scores[head * head_stride + dependent * dependent_stride + label * label_stride]; strides count doubles.
struct GraphView {
  const double* scores;
  int words;
  std::ptrdiff_t head_stride;
  std::ptrdiff_t dependent_stride = 1;
  std::ptrdiff_t label_stride = 1;
  int labels = 1;  ///< a TreeBatch wants 1
};
GraphView graph_view(const MatrixRef& scores);
GraphView graph_view(const LabelledMatrix& scores);
/// A copy of the scores.
LabelledMatrix labelled_matrix(const GraphView& graph);

/// Calls f with the scores as the constructor of distribution D takes them: a MatrixRef, which is no copy if rows are
/// contiguous, or a LabelledMatrix.
template <class D, class F>
decltype(auto) with_scores(const GraphView& graph, F f) {
  if constexpr (kHasLabels<D>) {
    return f(labelled_matrix(graph));
  } else {
    using Strided = Eigen::Map<const Matrix, 0, Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>>;
    using Rows = Eigen::Map<const Matrix, 0, Eigen::OuterStride<>>;
    const Eigen::Index size = graph.words + 1;
    if (graph.dependent_stride == 1 && graph.head_stride >= size) {
      return f(MatrixRef(Rows(graph.scores, size, size, Eigen::OuterStride<>(graph.head_stride))));
    }
    const Matrix copy = Strided(graph.scores, size, size, {graph.head_stride, graph.dependent_stride});
    return f(MatrixRef(copy));
  }
}

/// Square arc matrices of different sizes, one after the other in one block of memory.
class MatrixBatch {
 public:
  void add(const MatrixRef& matrix);  ///< InputError unless it is square with n >= 1 words
  void reserve(std::size_t matrices, std::size_t doubles);

  std::size_t size() const { return words_.size(); }
  int words(std::size_t i) const { return words_[i]; }
  MatrixView operator[](std::size_t i) const { return {values_.data() + offset_[i], words_[i] + 1, words_[i] + 1}; }
  std::vector<GraphView> views() const;

 private:
  std::vector<int> words_;
  std::vector<std::size_t> offset_;
  std::vector<double> values_;
};

struct BatchOptions {
  int threads = kAllCores;
  Accuracy accuracy = {};
  /// Arrays of arcs get room for this many words in every graph, the rest filled with zeros, as frameworks want them.
  /// With 0 the arrays lie one after the other without gaps.
  int padded_words = 0;
};

/// A graph without a tree, and why it has none.
struct InfeasibleGraph {
  std::size_t graph;
  std::string message;
};

/// Distributions of type D, one for each graph: see TreeBatch and LabelledTreeBatch below.
///
/// The first question about log Z or marginals solves all graphs and keeps the answers. Small graphs are solved several
/// at once, one in each lane of the vector registers, unless Accuracy names a method; a batch of one graph has the
/// answers of its distribution. Distributions themselves are
/// larger than caches, so they are made when they are asked for. Copies are cheap and share everything, and all members
/// may be called from several threads at once. An InputError names the graph.
template <class D>
class BatchOf {
 public:
  /// Reads the scores where they lie: they must stay there, unchanged, as long as this batch or a copy of it is used.
  BatchOf(std::vector<GraphView> graphs, Root root, const BatchOptions& options = {});
  /// Keeps the scores.
  BatchOf(MatrixBatch scores, Root root, const BatchOptions& options = {});

  std::size_t size() const { return graphs().size(); }
  int words(std::size_t i) const { return graphs()[i].words; }
  std::span<const GraphView> graphs() const;
  Root root() const;
  const BatchOptions& options() const;

  /// Solves all graphs now, unless that has been done. Throws Stopped when `stop` says so; a later question tries
  /// again. All threads call `stop`, here and below, also at the same time.
  void solve(const Stop& stop = {}) const;
  /// -inf for a graph without a tree.
  std::span<const double> log_partition() const;
  std::span<const Report> reports() const;
  /// In the order of the graphs; empty when every graph has a tree.
  std::span<const InfeasibleGraph> infeasible() const;

  /// An array of arcs for every graph has array_size() doubles. Graph i's begin at offset(i): rows of row_length(i)
  /// doubles, which are n + 1 nodes, or padded_words + 1, times the number of labels.
  std::size_t array_size() const { return offset(size()); }
  std::size_t offset(std::size_t i) const;
  std::size_t row_length(std::size_t i) const;
  /// The part of such an array that belongs to graph i.
  template <class Doubles>
  auto part(Doubles&& array, std::size_t i) const {
    return std::span(array).subspan(offset(i), offset(i + 1) - offset(i));
  }
  /// p(head -> dependent) for all arcs of all graphs, and those of one. They are 0 for a graph without a tree.
  std::span<const double> marginals() const;
  std::span<const double> marginals(std::size_t i) const { return part(marginals(), i); }

  /// The derivatives of all marginals when graph i's scores move along directions[i], written in the layout of the
  /// marginals: for each graph what TreeDistribution::marginals_along gives. They are 0 for a graph without a tree.
  void marginals_along(std::span<const GraphView> directions, std::span<double> derivatives,
                       const Stop& stop = {}) const;

  /// The distribution of graph i, made by the first call and kept; throws Infeasible. A copy of it may outlive the
  /// batch.
  const D& operator[](std::size_t i) const;

  using Visitor = std::function<void(std::size_t, const D&)>;
  using InfeasibleVisitor = std::function<void(std::size_t, const Infeasible&)>;
  /// Calls visit(i, distribution of graph i) for every graph, in parallel and in no particular order, and infeasible(i,
  /// why) instead for a graph without a tree. Distributions are not kept for later, but a copy of one may be: storage
  /// is used again for the next graph only when nobody holds it any more. For unlabelled graphs nothing is allocated
  /// once storage is warm.
  void visit(const Visitor& visit, const InfeasibleVisitor& infeasible = {}, const Stop& stop = {}) const;
  /// The same for some of the graphs.
  void visit(std::span<const std::size_t> graphs, const Visitor& visit, const InfeasibleVisitor& infeasible = {},
             const Stop& stop = {}) const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

/// Graphs whose arcs have one score each.
using TreeBatch = BatchOf<TreeDistribution>;
/// Graphs whose arcs have a score for each label; all graphs have the same number of labels.
using LabelledTreeBatch = BatchOf<LabelledTreeDistribution>;

}  // namespace kirchhoff
