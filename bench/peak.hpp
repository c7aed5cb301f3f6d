// The fastest this core can multiply and add, measured.
#pragma once

namespace kirchhoff::bench {

/// Double-precision flops per second of one core, with fused multiply-adds on independent registers.
double fma_peak();

/// How many times longer than 2n^3 flops at that peak.
inline double distance_to_flop_limit(double seconds, int n, double peak) { return seconds * peak / (2.0 * n * n * n); }

}  // namespace kirchhoff::bench
