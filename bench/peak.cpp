// The FMA peak of this core: the best of several vector widths, each with enough independent accumulators to hide the
// latency (4 cycles x 2 units). Compiled with -march=native; a width the machine lacks is split by the compiler, and
// then simply does not win.
#include "peak.hpp"

#include "timing.hpp"

#include <algorithm>
#include <array>

namespace kirchhoff::bench {
namespace {

constexpr int kAccumulators = 12;
constexpr long kRounds = 200000;

template <class Vector>
double flops_per_second() {
  volatile double unknown = 0.999;  // not a constant to the compiler
  const Vector factor = Vector{} + unknown;
  const Vector term = Vector{} + (1.0 - unknown);
  std::array<Vector, kAccumulators> sums;
  sums.fill(term);
  const double begin = seconds_now(Clock::cpu);
  for (long round = 0; round < kRounds; ++round) {
    for (Vector& sum : sums) sum = sum * factor + term;
  }
  const double seconds = seconds_now(Clock::cpu) - begin;
  const int lanes = sizeof(Vector) / sizeof(double);
  for (const Vector& sum : sums) {
    for (int lane = 0; lane < lanes; ++lane) unknown = sum[lane];
  }
  return 2.0 * kAccumulators * lanes * kRounds / seconds;
}

}  // namespace

double fma_peak() {
  typedef double V2 __attribute__((vector_size(16)));
  typedef double V4 __attribute__((vector_size(32)));
  typedef double V8 __attribute__((vector_size(64)));
  double best = 0;
  for (int repetition = 0; repetition < 50; ++repetition) {
    best = std::max({best, flops_per_second<V2>(), flops_per_second<V4>()});
#ifdef __AVX512F__
    best = std::max(best, flops_per_second<V8>());
#endif
  }
  return best;
}

}  // namespace kirchhoff::bench
