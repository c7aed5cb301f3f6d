// Matrices of a batch in one block of memory, and views of graphs.
#include "base/check.hpp"
#include "kirchhoff/tree_batch.hpp"

namespace kirchhoff {

GraphView graph_view(const MatrixRef& scores) {
  return {scores.data(), base::check_square("graph_view", "scores", scores), scores.outerStride()};
}

GraphView graph_view(const LabelledMatrix& scores) {
  const std::ptrdiff_t labels = scores.labels();
  return {scores.data(), scores.words(), (scores.words() + 1) * labels, labels, 1, scores.labels()};
}

LabelledMatrix labelled_matrix(const GraphView& graph) {
  LabelledMatrix copy(graph.words, graph.labels);
  for (int head = 0; head <= graph.words; ++head) {
    for (int dependent = 0; dependent <= graph.words; ++dependent) {
      const double* from = graph.scores + head * graph.head_stride + dependent * graph.dependent_stride;
      for (int label = 0; label < graph.labels; ++label)
        copy(head, dependent, label) = from[label * graph.label_stride];
    }
  }
  return copy;
}

void MatrixBatch::add(const MatrixRef& matrix) {
  const int words = base::check_square("MatrixBatch::add", "matrix", matrix);
  const std::size_t size = words + 1;
  offset_.push_back(values_.size());
  words_.push_back(words);
  for (std::size_t row = 0; row < size; ++row) {
    const double* first = matrix.data() + row * matrix.outerStride();
    values_.insert(values_.end(), first, first + size);
  }
}

void MatrixBatch::reserve(std::size_t matrices, std::size_t doubles) {
  words_.reserve(matrices);
  offset_.reserve(matrices);
  values_.reserve(doubles);
}

std::vector<GraphView> MatrixBatch::views() const {
  std::vector<GraphView> views;
  views.reserve(size());
  for (std::size_t i = 0; i < size(); ++i) views.push_back({values_.data() + offset_[i], words_[i], words_[i] + 1});
  return views;
}

}  // namespace kirchhoff
