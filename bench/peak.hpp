// The fastest this core can multiply and add, measured.
#pragma once

#include "timing.hpp"

namespace kirchhoff::bench {

/// Double-precision flops per second of one core, with fused multiply-adds on independent registers.
double fma_peak();

/// So many flops at that peak, as something to time beside other work: a shared core changes its pace.
Work flops_at_peak(double flops);

/// How many times longer than 2n^3 flops at that peak.
inline double distance_to_flop_limit(double seconds, int n, double peak) { return seconds * peak / (2.0 * n * n * n); }

}  // namespace kirchhoff::bench
