// The memory in which a team inverts the matrix of one graph: how large its parts are, and who has what.
#pragma once

#include "cuda/kernels/executor.hpp"

namespace kirchhoff::cuda {

/// Words that are eliminated together.
inline constexpr int kPanel = 4;

/// How a team shares out a matrix that has a row for each word and one for the root. Part p of the team has row p and
/// every kParts-th one from there, and each of its kLanes threads every kLanes-th column. So threads that run together
/// read the same numbers of the pivots' columns at the same time.
template <int kLaneCount, int kWideCount, int kPartCount, int kRowCount>
struct Tile {
  static constexpr int kLanes = kLaneCount, kWide = kWideCount, kParts = kPartCount, kRows = kRowCount;
  static constexpr int kThreads = kLanes * kParts, kColumns = kLanes * kWide, kAllRows = kParts * kRows;
  static constexpr int kMostWords = kAllRows - 1 < kColumns ? kAllRows - 1 : kColumns;
  /// Odd, so that threads that read down a column do not meet in a bank of the memory.
  static constexpr int kStride = kMostWords | 1;
  /// Of a panel's rows every part has this many, its first ones.
  static constexpr int kPanelRows = kPanel / kParts;
  static_assert(kColumns >= kMostWords && kPanelRows * kParts == kPanel && kLanes % 32 == 0 &&
                (kLanes & (kLanes - 1)) == 0);

  static KIRCHHOFF_BOTH int lane_of(int thread) { return kParts == 1 ? thread : thread % kLanes; }
  static KIRCHHOFF_BOTH int part_of(int thread) { return kParts == 1 ? 0 : thread / kLanes; }
};

/// Two numbers that are read at once.
struct alignas(16) Two {
  double first, second;
};

/// What the marginals of the arcs to a word are made of (fast_graph.hpp).
struct alignas(16) WordTerms {
  double base, from_last, bound, last_bound;
};

/// A team's memory. The order of words is that of the elimination, but for the shifts.
template <class T>
struct FastDesk {
  Two columns[2][T::kParts][(T::kRows + 1) / 2][kPanel];  // of a panel, and of the next one
  Two sums[2][T::kParts][kPanel / 2];
  WordTerms terms[T::kAllRows];
  double rows[2][kPanel][T::kParts == 1 ? 1 : T::kColumns];  // of a panel, where the other parts do not know them
  double weights[T::kAllRows * T::kStride];                  // by heads, the root after the words; and then marginals
  double from_root[T::kColumns], diagonal[T::kColumns];
  double pivots[T::kColumns], scales[T::kColumns];
  double shifts[T::kColumns + 1];
  double scratch[T::kParts * T::kColumns];
  int places[T::kLanes];
  int last;  // the word that is eliminated last, or not at all, 0 .. n-1
  int unusual;

  KIRCHHOFF_BOTH double& weight(int row, int c) { return weights[row * T::kStride + c]; }
};

}  // namespace kirchhoff::cuda
