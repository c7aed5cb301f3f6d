// Asks about graphs on the executor under test: puts their scores where it can read them, in a layout that the test
// chooses, and brings the answers back as matrices.
#pragma once

#include "kirchhoff/cuda.hpp"
#include "support/oracle.hpp"

#include <vector>

namespace kirchhoff::cuda {

/// How the arrays of a batch lie in memory.
enum class Layout {
  ragged,   ///< graph after graph, with gaps, found by offsets
  padded,   ///< contiguous, with room for the largest graph, and lengths
  strided,  ///< as padded, but dependents before heads, labels before both, and other numbers between all of these
};
inline constexpr Layout kLayouts[] = {Layout::ragged, Layout::padded, Layout::strided};

/// All graphs have the same number of labels. What is no arc (column 0, the diagonal, numbers between graphs) is NaN
/// for the kernels, which must not look there.
struct Asked {
  std::vector<LabelledMatrix> scores;
  std::vector<LabelledMatrix> directions = {};  ///< one for each graph, or none
  double score_share = 0.0;
  Layout layout = Layout::ragged;
  bool single_precision = false;  ///< arrays of arcs are floats
  bool derivatives = true;        ///< else the kernels without derivatives run
  Accuracy accuracy = BatchQuestion{}.accuracy;
};
struct Answered {
  std::vector<double> log_partition, entropy, expectation;
  std::vector<GraphStatus> status;
  std::vector<LabelledMatrix> marginals, derivatives;
};
/// Everything that can be asked. Fails the test unless the rest of each graph's room is 0 and all else is untouched.
Answered ask(const Asked& asked, Root root);

/// Whether a graph is answered, in whatever way.
bool is_answered(GraphStatus status);

/// A graph with one label.
LabelledMatrix labelled(const Matrix& scores);
std::vector<LabelledMatrix> labelled(const std::vector<Matrix>& scores);
/// The matrix of a graph with one label.
Matrix unlabelled(const LabelledMatrix& scores);

/// What derivatives are along, as a judge wants it: direction + score_share * scores, and 0 for impossible arcs.
oracle::ArcArray direction_of(const Asked& asked, std::size_t graph);

}  // namespace kirchhoff::cuda
