// Batches of graphs on a CUDA device: questions about arrays that lie in its memory, on the caller's stream.
//
// Graphs are solved by the fast method where its bound of the error allows, else by the robust one, which subtracts
// nothing and is right for any weights; graphs for which doubles have not the range are solved with numbers that have.
// A graph's answers have the same bits in every batch. The same kernels run on the host (Executor::host), for tests and
// where there is no device; they are correct there, not fast.
#pragma once

#include "kirchhoff/accuracy.hpp"
#include "kirchhoff/tree_batch.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

struct CUstream_st;  // CUDA's cudaStream_t is a pointer to it

namespace kirchhoff::cuda {

/// Where kernels run, and whose memory they read and write. A library throws std::runtime_error for an executor that it
/// was built without.
enum class Executor { device, host };

struct Execution {
  Executor executor = Executor::device;
  CUstream_st* stream = nullptr;  ///< of the current device; null is the default stream
};

/// Whether this library was built with CUDA, and this machine has a device for it.
bool available();
/// The current device with its driver, or why there is none.
std::string description();

/// Where numbers begin, if there are any. They are only read where a question reads them.
using Numbers = std::variant<std::monostate, double*, float*>;

/// A number for every graph, head, dependent and label. Strides count numbers.
struct ArcArray {
  Numbers values;
  std::int64_t graph_stride = 0;
  std::int64_t head_stride = 0;
  std::int64_t dependent_stride = 1;
  std::int64_t label_stride = 1;
};
/// A contiguous array with room for `words` words in every graph.
ArcArray contiguous(Numbers values, int words, int labels = 1);

/// What became of a graph. Answers of a graph that is not solved are 0, and log Z is -inf. (Only the arcs of a ragged
/// graph whose number of words is impossible are not written: it is not known how many there are.)
enum class GraphStatus : std::uint8_t {
  certified,   ///< by the fast method, whose bound of its error meets the accuracy that is asked for
  solved,      ///< by the robust method, in doubles
  extended,    ///< by the robust method with numbers of extended range
  infeasible,  ///< there is no tree
  invalid,     ///< a score is NaN, +inf or beyond +-1e9, a direction not finite, or the number of words impossible
};

/// A batch of graphs, and what is asked about each: pointers that are null are not asked for. Everything is computed in
/// double precision; floats are rounded at the end.
struct BatchQuestion {
  Root root;
  std::int64_t graphs = 0;
  int words = 0;  ///< of the largest graph
  int labels = 1;
  const std::int32_t* lengths = nullptr;  ///< words of each graph; null if all have as many
  /// Ragged arrays: where each graph's (n + 1) x (n + 1) x labels numbers begin, in all arrays; strides are not used.
  const std::int64_t* offsets = nullptr;
  ArcArray scores = {};
  /// Of the marginals, as for a TreeDistribution. Where these are floats, a tolerance of 2^-27 will do.
  Accuracy accuracy = {.tolerance = 1e-11};

  double* log_partition = nullptr;
  double* entropy = nullptr;
  ArcArray marginals = {};

  /// Derivatives of marginals are along the direction: `direction` (or 0, where there is none) plus `score_share` times
  /// the scores. With score_share = -1 they are the gradient of the entropy.
  ArcArray direction = {};
  double score_share = 0.0;
  double* expectation = nullptr;  ///< E[the direction's sum over a tree's arcs]
  ArcArray derivatives = {};

  GraphStatus* status = nullptr;  ///< always asked for
};

/// Computes the answers. On a device this returns at once; they are there when the stream gets to it. Throws InputError
/// for a question that makes no sense, and std::runtime_error when the device fails or this library was built without
/// CUDA.
void answer(const BatchQuestion& question, const Execution& execution = {});

/// Answers about graphs in the memory of the host, in the order of the graphs.
struct BatchAnswers {
  std::vector<double> log_partition;
  std::vector<double> entropy;
  std::vector<GraphStatus> status;
  std::vector<Matrix> marginals;
};
/// Sends graphs to the device, solves them there, and returns with the answers.
BatchAnswers solve(const MatrixBatch& graphs, Root root, Executor executor = Executor::device);

}  // namespace kirchhoff::cuda

namespace kirchhoff {
template <>
inline constexpr std::array<std::string_view, 2> kNames<cuda::Executor> = {"device", "host"};
template <>
inline constexpr std::array<std::string_view, 5> kNames<cuda::GraphStatus> = {"certified", "solved", "extended",
                                                                              "infeasible", "invalid"};
}  // namespace kirchhoff
