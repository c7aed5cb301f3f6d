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

/// Multiplies and adds; returns how many flops that were.
template <class Vector>
double multiply_add() {
  volatile double unknown = 0.999;  // not a constant to the compiler
  const Vector factor = Vector{} + unknown;
  const Vector term = Vector{} + (1.0 - unknown);
  std::array<Vector, kAccumulators> sums;
  sums.fill(term);
  for (long round = 0; round < kRounds; ++round) {
    for (Vector& sum : sums) sum = sum * factor + term;
  }
  const int lanes = sizeof(Vector) / sizeof(double);
  for (const Vector& sum : sums) {
    for (int lane = 0; lane < lanes; ++lane) unknown = sum[lane];
  }
  return 2.0 * kAccumulators * lanes * kRounds;
}

typedef double V2 __attribute__((vector_size(16)));
typedef double V4 __attribute__((vector_size(32)));
#ifdef __AVX512F__
typedef double V8 __attribute__((vector_size(64)));
constexpr std::array kKernels = {&multiply_add<V2>, &multiply_add<V4>, &multiply_add<V8>};
#else
constexpr std::array kKernels = {&multiply_add<V2>, &multiply_add<V4>};
#endif
using Kernel = double (*)();

struct Peak {
  Kernel kernel = nullptr;
  double flops_per_second = 0;
};

const Peak& peak() {
  static const Peak best = [] {
    Peak found;
    for (int repetition = 0; repetition < 50; ++repetition) {
      for (const Kernel kernel : kKernels) {
        const double begin = seconds_now(Clock::cpu);
        const double flops = kernel();
        const double speed = flops / (seconds_now(Clock::cpu) - begin);
        if (speed > found.flops_per_second) found = {kernel, speed};
      }
    }
    return found;
  }();
  return best;
}

}  // namespace

double fma_peak() { return peak().flops_per_second; }

Work flops_at_peak(double flops) {
  const Kernel kernel = peak().kernel;
  return {[=](std::size_t) { kernel(); }, kernel() / flops};
}

}  // namespace kirchhoff::bench
