// The memory in which a team inverts the matrix of one graph: how large its parts are, and who has what.
#pragma once

#include "cuda/kernels/executor.hpp"

namespace kirchhoff::cuda {

/// Words that are eliminated together, and the rows and columns of a square of the matrix.
inline constexpr int kPanel = 4, kSquare = 8;

/// How a team shares out a matrix that has a row for each word and one for the root: in squares of 8 x 8 numbers, kHigh
/// of them on top of each other. A warp has every kWarps-th column of squares, kWide in all, and each of its threads
/// two neighbours of each square, as instructions that multiply matrices want them.
///
/// Before and after the inversion a thread has a column of the matrix, or every kParts-th number of it.
template <int kWideCount, int kWarpCount, int kHighCount>
struct Tile {
  static constexpr int kWide = kWideCount, kWarps = kWarpCount, kHigh = kHighCount;
  static constexpr int kThreads = 32 * kWarps, kColumns = kSquare * kWide * kWarps, kAllRows = kSquare * kHigh;
  static constexpr int kMostWords = kAllRows - 1 < kColumns ? kAllRows - 1 : kColumns;
  static constexpr int kParts = 4 / kWide, kLanes = kThreads / kParts;
  /// Even, but no multiple of 4, so that threads that read squares or their transposes hardly meet in a bank.
  static constexpr int kStride = (kMostWords + 1) / 4 * 4 + 2;
  static_assert(kLanes >= kColumns && kParts > 0);

  static KIRCHHOFF_BOTH int lane_of(int thread) { return kParts == 1 ? thread : thread % kLanes; }
  static KIRCHHOFF_BOTH int part_of(int thread) { return kParts == 1 ? 0 : thread / kLanes; }

  /// Where in a square a thread's numbers are: in this row, at this place and the next one.
  static KIRCHHOFF_BOTH int row_of(int thread) { return thread % 32 / 4; }
  static KIRCHHOFF_BOTH int column_of(int thread) { return thread % 4 * 2; }
  /// The first column of the thread's k-th column of squares.
  static KIRCHHOFF_BOTH int square_column(int thread, int k) { return (thread / 32 + k * kWarps) * kSquare; }
};

/// Two numbers that are read or written at once.
struct alignas(16) Two {
  double first, second;
};

/// What the marginals of the arcs to a word are made of (fast_graph.hpp).
struct alignas(16) WordTerms {
  double base, from_last, bound, last_bound;
};

/// What threads tell each other of a panel (inversion.hpp).
template <class T>
struct Panels {
  Two columns[2][T::kAllRows][kPanel / 2];  // of a panel, and of the next one
  Two factors[T::kColumns][kPanel / 2];     // its new rows, column by column
  Two sums[kSquare][kPanel / 2];            // of its columns, over every eighth row
  double rows[kPanel][T::kColumns];         // its old rows
};

/// What is needed before the inversion or after it.
template <class T>
struct Terms {
  WordTerms words[T::kAllRows];
  double diagonal[T::kColumns];
  double scratch[T::kThreads];
  int places[T::kThreads];
};

/// A team's memory. The order of words is that of the elimination, but for the shifts.
template <class T>
struct FastDesk {
  union {
    Panels<T> panels;
    Terms<T> terms;
  };
  double weights[(T::kMostWords + 1) * T::kStride];  // by heads, the root after the words; and then marginals
  double from_root[T::kColumns];
  double pivots[T::kColumns], scales[T::kColumns];
  double shifts[T::kColumns + 1];
  int last;  // the word that is eliminated last, or not at all, 0 .. n-1
  int unusual;

  KIRCHHOFF_BOTH double& weight(int row, int c) { return weights[row * T::kStride + c]; }
};

}  // namespace kirchhoff::cuda
