// What a kernel is asked: where a batch of graphs lies, and where the answers go. Plain data, which travels to a
// device.
#pragma once

#include "cuda/kernels/executor.hpp"

#include <cstdint>

namespace kirchhoff::cuda {

/// Doubles or floats, a number for every graph, head, dependent and label.
struct Array {
  void* values = nullptr;
  bool single_precision = false;
  std::int64_t graph_stride = 0;
  std::int64_t head_stride = 0;
  std::int64_t dependent_stride = 0;
  std::int64_t label_stride = 0;
};

/// What became of a graph.
enum class Status : std::uint8_t {
  certified,   ///< by an inverse, whose bound of the error is small enough
  solved,      ///< by elimination, in doubles
  extended,    ///< with numbers of extended range
  infeasible,  ///< there is no tree
  invalid,     ///< a score is NaN, +inf or too large
  open,        ///< not solved yet
};

/// Whether inverses are tried first, and the errors that their marginals may have: tolerance * max(p, floor).
struct FastAccuracy {
  bool invert = true;
  double tolerance = 1e-11, floor = 0.0;
};

/// A batch of graphs, and what is asked about each. Answers that are null are not asked for.
struct Question {
  std::int64_t graphs = 0;
  int words = 0;  ///< of the largest graph
  int labels = 1;
  bool single_root = false;
  const std::int32_t* lengths = nullptr;  ///< words of each graph, or null if all have as many
  const std::int64_t* offsets = nullptr;  ///< where each graph's numbers begin in every array, when they are ragged

  Array scores;
  /// Derivatives are along direction + score_share * scores, where a missing direction is 0.
  Array direction;
  double score_share = 0.0;

  FastAccuracy accuracy;

  double* log_partition = nullptr;
  double* entropy = nullptr;
  double* expectation = nullptr;  ///< of the direction
  Array marginals;
  Array derivatives;         ///< of the marginals along the direction
  Status* status = nullptr;  ///< always asked for
};

/// The numbers of one graph in an array.
struct GraphArray {
  void* values;
  bool single_precision;
  std::int64_t head_stride, dependent_stride, label_stride;

  KIRCHHOFF_BOTH double read(std::int64_t i) const {
    return single_precision ? static_cast<const float*>(values)[i] : static_cast<const double*>(values)[i];
  }
  KIRCHHOFF_BOTH void write(std::int64_t i, double x) const {
    if (single_precision) {
      static_cast<float*>(values)[i] = static_cast<float>(x);
    } else {
      static_cast<double*>(values)[i] = x;
    }
  }
  KIRCHHOFF_BOTH std::int64_t at(int head, int dependent, int label) const {
    return head * head_stride + dependent * dependent_stride + label * label_stride;
  }
  KIRCHHOFF_BOTH double read(int head, int dependent, int label) const { return read(at(head, dependent, label)); }
  KIRCHHOFF_BOTH void write(int head, int dependent, int label, double x) const {
    write(at(head, dependent, label), x);
  }
};

KIRCHHOFF_BOTH int words_of(const Question& q, std::int64_t graph) {
  return q.lengths != nullptr ? q.lengths[graph] : q.words;
}

/// Nodes of a graph's block in an array: a padded one has room for the largest graph. A ragged one of impossible length
/// has none that we know of.
KIRCHHOFF_BOTH int nodes_of(const Question& q, std::int64_t graph) {
  const int n = q.offsets != nullptr ? words_of(q, graph) : q.words;
  return n < 1 || n > q.words ? 0 : n + 1;
}

KIRCHHOFF_BOTH GraphArray graph_array(const Question& q, const Array& array, std::int64_t graph) {
  if (array.values == nullptr) return {nullptr, false, 0, 0, 0};
  const bool ragged = q.offsets != nullptr;
  const std::int64_t begin = ragged ? q.offsets[graph] : graph * array.graph_stride;
  void* const values = array.single_precision ? static_cast<void*>(static_cast<float*>(array.values) + begin)
                                              : static_cast<void*>(static_cast<double*>(array.values) + begin);
  if (!ragged) return {values, array.single_precision, array.head_stride, array.dependent_stride, array.label_stride};
  const std::int64_t row = std::int64_t{nodes_of(q, graph)} * q.labels;
  return {values, array.single_precision, row, q.labels, 1};
}

}  // namespace kirchhoff::cuda
