// What a stochastic beam search is asked, and the memory in which it searches one graph.
#pragma once

#include "cuda/kernels/question.hpp"

#include <cstddef>
#include <cstdint>

// Loops over numbers that are far away in a device's memory ask for eight of them before they wait for the first.
#ifdef __CUDACC__
#define KIRCHHOFF_EIGHT_AT_A_TIME _Pragma("unroll 8")
#else
#define KIRCHHOFF_EIGHT_AT_A_TIME
#endif

namespace kirchhoff::cuda {

/// The graphs, how many trees are wanted, and where they go. Plain data, which travels to a device.
struct BeamSearch {
  Question graphs;  ///< scores and statuses alone are used
  int trees = 0;
  std::uint64_t seed = 0;
  std::int32_t* heads = nullptr;
  double* log_prob = nullptr;
  double* perturbed = nullptr;
  double* threshold = nullptr;
  std::int32_t* count = nullptr;

  /// Prefixes that are kept: one more than trees, because the next one's perturbed value is the threshold.
  KIRCHHOFF_BOTH int kept() const { return trees + 1; }
};

/// A prefix: the heads of the first words, of which the last is here and the others are the parent's.
struct Prefix {
  double perturbed, log_p;
  std::uint64_t key;  // names the random numbers below
  std::int32_t parent, head;
};

/// What is known of the children of a level.
struct BeamChildren {
  int count;             // of those that may get into the next beam
  int thinned;           // whether they are in the list `fewer`
  int failed;            // whether doubles had not the range
  std::uint64_t lowest;  // the least perturbed value, in ordered bits
};

inline constexpr BeamChildren kNoChildren{0, 0, 0, ~std::uint64_t{0}};

/// What all who search a graph share.
struct BeamControl {
  BeamChildren children[3];  // of this level, of the one before, which teams may still read, and of the next
  unsigned arrived, released;

  KIRCHHOFF_BOTH BeamChildren& of(int level) { return children[level % 3]; }
};

/// Lays out arrays one after the other. Without memory it counts bytes.
class Arrays {
 public:
  KIRCHHOFF_BOTH explicit Arrays(char* memory) : memory_(memory) {}
  template <class T>
  KIRCHHOFF_BOTH T* take(std::size_t count) {
    const std::size_t begin = bytes_;
    bytes_ += (count * sizeof(T) + 15) / 16 * 16;
    return reinterpret_cast<T*>(memory_ + begin);
  }
  KIRCHHOFF_BOTH std::size_t bytes() const { return bytes_; }

 private:
  char* memory_;
  std::size_t bytes_ = 0;
};

/// Where a walk from a word that is still free first meets a word up to `level` or the root, for every level: numbers
/// of word v > level stand for the columns 0 (root), 1 .. level (words) and level + 1 (the root, where it is of first
/// order; see beam_prepare.hpp).
KIRCHHOFF_BOTH std::int64_t meetings_before(std::int64_t n, std::int64_t level) {
  const std::int64_t m = level - 1;  // the sum of (i + 2) (n - i) over the levels i up to m
  return n * m * (m + 1) / 2 - m * (m + 1) * (2 * m + 1) / 6 + 2 * n * m - m * (m + 1);
}

/// The memory of one graph's search, of a device or of the host.
template <class N>
struct BeamRoom {
  BeamControl* control;
  N* weights;                   // of the arcs into each word, (n + 1) x (n + 1)
  N* meetings;                  // level after level, column after column
  Prefix *beam, *children;      // at the first level; they change places when all children get into the next beam
  Prefix* fewer;                // those of a long list of children that may still get into it
  std::uint16_t *heads, *tops;  // two generations of the beam: the words' heads, and what they hang below
  std::size_t bytes;

  KIRCHHOFF_BOTH BeamRoom(char* memory, int n, int kept) {
    const std::size_t nodes = static_cast<std::size_t>(n) + 1, most = kept;
    Arrays arrays(memory);
    control = arrays.take<BeamControl>(1);
    weights = arrays.take<N>(nodes * nodes);
    meetings = arrays.take<N>(static_cast<std::size_t>(meetings_before(n, n)));
    beam = arrays.take<Prefix>(most * nodes);
    children = arrays.take<Prefix>(most * nodes);
    fewer = arrays.take<Prefix>(most * nodes);
    heads = arrays.take<std::uint16_t>(2 * most * nodes);
    tops = arrays.take<std::uint16_t>(2 * most * nodes);
    bytes = arrays.bytes();
  }
};

/// Adds to a counter and returns what it was. nvcc 13.0 takes atomicAdd out of the condition under which it is called,
/// if the result is part of an address, so that the counter also counts what was left out. It does not move assembly.
KIRCHHOFF_BOTH int add_to(int& counter, int x) {
#ifdef __CUDA_ARCH__
  int before;
  asm volatile("atom.add.s32 %0, [%1], %2;" : "=r"(before) : "l"(&counter), "r"(x) : "memory");
  return before;
#else
  return __atomic_fetch_add(&counter, x, __ATOMIC_RELAXED);
#endif
}
/// Makes a number the smaller of itself and x.
KIRCHHOFF_BOTH void lower(std::uint64_t& number, std::uint64_t x) {
#ifdef __CUDA_ARCH__
  atomicMin(reinterpret_cast<unsigned long long*>(&number), static_cast<unsigned long long>(x));
#else
  std::uint64_t before = __atomic_load_n(&number, __ATOMIC_RELAXED);
  while (x < before && !__atomic_compare_exchange_n(&number, &before, x, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
#endif
}
KIRCHHOFF_BOTH void set_bit(std::uint32_t* words, int i) {
  const std::uint32_t bit = std::uint32_t{1} << (i & 31);
#ifdef __CUDA_ARCH__
  atomicOr(&words[i >> 5], bit);
#else
  words[i >> 5] |= bit;
#endif
}
/// The lowest bit that is set.
KIRCHHOFF_BOTH int lowest_bit(std::uint32_t x) {
#ifdef __CUDA_ARCH__
  return __ffs(static_cast<int>(x)) - 1;
#else
  return __builtin_ctz(x);
#endif
}
KIRCHHOFF_BOTH int bits_in(std::uint32_t x) {
#ifdef __CUDA_ARCH__
  return __popc(x);
#else
  return __builtin_popcount(x);
#endif
}

}  // namespace kirchhoff::cuda
