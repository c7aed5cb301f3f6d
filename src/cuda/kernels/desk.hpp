// The memory in which a team solves one graph: how large its parts are, and where they lie.
#pragma once

#include "cuda/kernels/executor.hpp"

#include <cstddef>
#include <cstdint>

namespace kirchhoff::cuda {

/// Words that are eliminated together.
inline constexpr int kBlock = 4;

/// Parts into which n words are halved until none has more than two, at most.
KIRCHHOFF_BOTH constexpr int most_parts(int n) {
  int parts = 1;
  while (2 * parts < n) parts *= 2;
  return parts;
}

/// A set of words that is left of a graph when all others are eliminated, and the words that go next for its sake.
struct Part {
  int begin, end;
  int going, gone;  // those from `going` up to `gone` are to be eliminated
};

/// How a team shares out the rows that it keeps: threads are arranged in kRowGroups groups of kColumnGroups. A thread
/// has kRows neighbouring rows, which mostly take up the same block, and every kColumnGroups-th column, so that threads
/// that run together read neighbouring numbers. With kRows = 0 it has as many as there are, in memory. All words are
/// kept at first (kHalves = 1), or one half after the other, which saves memory and costs time.
template <int kRowGroupCount, int kColumnGroupCount, int kRowCount, int kColumnCount, int kHalfCount = 1>
struct Shape {
  static constexpr int kRowGroups = kRowGroupCount, kColumnGroups = kColumnGroupCount;
  static constexpr int kRows = kRowCount, kColumns = kColumnCount, kHalves = kHalfCount;
  static constexpr int kThreads = kRowGroups * kColumnGroups;
  static constexpr bool kInRegisters = kRows > 0;
  static constexpr int kMostRows = kHalves * kRowGroups * kRows, kMostColumns = kColumnGroups * kColumns;
  static constexpr int kMostWords = !kInRegisters ? 1 << 30 : kMostRows < kMostColumns ? kMostRows : kMostColumns;
  /// How many words are kept first.
  static KIRCHHOFF_BOTH constexpr int first_kept(int n) { return (n + kHalves - 1) / kHalves; }
};

/// Where the arrays of a desk begin, in bytes. Where rows are kept in registers, a desk has room for all
/// that the team's threads have, so that all of this is known to the compiler; else as much as the graph needs.
template <class N, class S>
struct DeskLayout {
  std::size_t words, columns, row, parts;  // words: those that are kept, or eliminated at a time

  KIRCHHOFF_BOTH constexpr explicit DeskLayout(int n)
      : words(S::kInRegisters ? S::kRowGroups * S::kRows : S::first_kept(n)),
        columns(S::kInRegisters ? S::kColumnGroups * S::kColumns : n),
        row(columns | 1),
        parts(most_parts(S::first_kept(S::kInRegisters ? S::kMostWords : n))) {}

  static KIRCHHOFF_BOTH constexpr std::size_t whole(std::size_t bytes) { return (bytes + 15) / 16 * 16; }
  KIRCHHOFF_BOTH constexpr std::size_t roots() const { return whole(words * row * sizeof(N)); }
  KIRCHHOFF_BOTH constexpr std::size_t kept_factors() const { return roots() + whole(parts * row * sizeof(N)); }
  KIRCHHOFF_BOTH constexpr std::size_t going_factors() const { return kept_factors() + words * kBlock * sizeof(N); }
  KIRCHHOFF_BOTH constexpr std::size_t blocks() const { return going_factors() + words * kBlock * sizeof(N); }
  // Parts of more than two words are at most half as many as parts of two.
  KIRCHHOFF_BOTH constexpr std::size_t inverses() const {
    return blocks() + (parts + 1) / 2 * kBlock * kBlock * sizeof(N);
  }
  KIRCHHOFF_BOTH constexpr std::size_t root_factors() const { return inverses() + parts * kBlock * sizeof(N); }
  KIRCHHOFF_BOTH constexpr std::size_t sums() const { return root_factors() + parts * kBlock * sizeof(N); }
  KIRCHHOFF_BOTH constexpr std::size_t shifts() const {
    const std::size_t threads = S::kThreads, most = parts * kBlock;
    return sums() + whole((threads > most ? threads : most) * sizeof(N));
  }
  KIRCHHOFF_BOTH constexpr std::size_t best_slopes() const { return shifts() + whole((columns + 1) * sizeof(double)); }
  KIRCHHOFF_BOTH constexpr std::size_t scratch() const { return best_slopes() + whole((columns + 1) * sizeof(double)); }
  KIRCHHOFF_BOTH constexpr std::size_t pivots() const { return scratch() + whole(S::kThreads * sizeof(double)); }
  KIRCHHOFF_BOTH constexpr std::size_t part_list() const { return pivots() + whole(columns * sizeof(N)); }
  KIRCHHOFF_BOTH constexpr std::size_t part_of() const { return part_list() + parts * sizeof(Part); }
  KIRCHHOFF_BOTH constexpr std::size_t going_of() const { return part_of() + whole(words * sizeof(int)); }
  KIRCHHOFF_BOTH constexpr std::size_t flags() const { return going_of() + whole(words * sizeof(int)); }
  KIRCHHOFF_BOTH constexpr std::size_t root_counts() const { return flags() + 16; }
  KIRCHHOFF_BOTH constexpr std::size_t root_kept() const { return root_counts() + whole(parts); }
  KIRCHHOFF_BOTH constexpr std::size_t committed() const { return root_kept() + whole(parts); }
  /// The rows that are kept, where they are not in registers.
  KIRCHHOFF_BOTH constexpr std::size_t kept_rows() const { return committed() + whole(parts * kBlock); }
  KIRCHHOFF_BOTH constexpr std::size_t bytes() const {
    return kept_rows() + (S::kInRegisters ? 0 : whole(words * row * sizeof(N)));
  }
};

template <class N, class S>
class Desk {
 public:
  /// Memory of DeskLayout<N, S>(n).bytes() bytes at a multiple of 16.
  KIRCHHOFF_BOTH Desk(char* memory, int words) : n(words), memory_(memory) {}

  const int n;  ///< words of the graph

  /// Rows and columns that there is room for. Those beyond the graph are zeros.
  KIRCHHOFF_BOTH int room() const { return static_cast<int>(layout().words); }
  KIRCHHOFF_BOTH int columns() const { return static_cast<int>(layout().columns); }
  KIRCHHOFF_BOTH int row() const { return static_cast<int>(layout().row); }
  /// Rows of words as they are eliminated.
  KIRCHHOFF_BOTH N& row_entry(int r, int c) const { return at<N>(0)[index(r, c)]; }
  /// A row for each part: the root of that part's graph.
  KIRCHHOFF_BOTH N& root(int q, int c) const { return at<N>(layout().roots())[index(q, c)]; }
  /// kBlock numbers for each word: with these a kept row takes up the block's rows.
  KIRCHHOFF_BOTH N* kept_factors(int r) const { return at<N>(layout().kept_factors()) + r * kBlock; }
  /// The same for a row that is still to be eliminated.
  KIRCHHOFF_BOTH N* going_factors(int r) const { return at<N>(layout().going_factors()) + r * kBlock; }
  /// The weights among the words of each part's block, when blocks have W words.
  template <int W>
  KIRCHHOFF_BOTH N* block(int q) const {
    return at<N>(layout().blocks()) + q * W * W;
  }
  /// kBlock numbers for each part: of the pivots.
  KIRCHHOFF_BOTH N* inverses(int q) const { return at<N>(layout().inverses()) + q * kBlock; }
  KIRCHHOFF_BOTH N* root_factors(int q) const { return at<N>(layout().root_factors()) + q * kBlock; }
  /// Partial sums of columns: one for each thread, or for each column of each block.
  KIRCHHOFF_BOTH N* sums() const { return at<N>(layout().sums()); }
  /// What is subtracted from the scores of each word, and of the root at index 0; and from their direction.
  KIRCHHOFF_BOTH double* shifts() const { return at<double>(layout().shifts()); }
  KIRCHHOFF_BOTH double* best_slopes() const { return at<double>(layout().best_slopes()); }
  /// A number for each thread.
  KIRCHHOFF_BOTH double* scratch() const { return at<double>(layout().scratch()); }
  /// The factors of Z, one for each word.
  KIRCHHOFF_BOTH N* pivots() const { return at<N>(layout().pivots()); }
  KIRCHHOFF_BOTH Part* parts() const { return at<Part>(layout().part_list()); }
  /// The part that keeps a word, and the first word that is eliminated for its sake.
  KIRCHHOFF_BOTH int* part_of() const { return at<int>(layout().part_of()); }
  KIRCHHOFF_BOTH int* going_of() const { return at<int>(layout().going_of()); }
  /// What threads have found: see Flag.
  KIRCHHOFF_BOTH int* flags() const { return at<int>(layout().flags()); }
  /// Whether the root's weights are in a part's pivots.
  KIRCHHOFF_BOTH char* root_counts() const { return at<char>(layout().root_counts()); }
  /// Whether a part's root remains itself when the block is eliminated.
  KIRCHHOFF_BOTH char* root_kept() const { return at<char>(layout().root_kept()); }
  /// kBlock flags for each part: the word took the root's place.
  KIRCHHOFF_BOTH char* committed(int q) const { return at<char>(layout().committed()) + q * kBlock; }
  KIRCHHOFF_BOTH N& kept_entry(int r, int c) const { return at<N>(layout().kept_rows())[index(r, c)]; }
  /// Room for a number for each thread and word, before rows are written.
  KIRCHHOFF_BOTH double* before_rows() const { return at<double>(0); }

 private:
  KIRCHHOFF_BOTH auto index(int r, int c) const {
    if constexpr (S::kInRegisters) {
      return r * row() + c;
    } else {
      return std::int64_t{r} * row() + c;
    }
  }
  KIRCHHOFF_BOTH constexpr DeskLayout<N, S> layout() const { return DeskLayout<N, S>(n); }
  template <class T>
  KIRCHHOFF_BOTH T* at(std::size_t offset) const {
    return reinterpret_cast<T*>(memory_ + offset);
  }
  char* memory_;
};

/// What threads may find in a graph.
enum Flag { kInvalid, kFailed };

}  // namespace kirchhoff::cuda
