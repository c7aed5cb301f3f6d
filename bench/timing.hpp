// Timing two things against each other on a noisy machine: short slices of both, taken in turn, and the
// fastest slice of each: what else runs on the machine and in its caches only ever adds time.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace kirchhoff::bench {

enum class Clock {
  cpu,   ///< time this process had a core: what other programs take away does not count
  wall,  ///< for work on several threads
};

/// Something to time. call(i) is the i-th call; it handles `units` graphs.
struct Work {
  std::function<void(std::size_t)> call;
  double units = 1;
  Clock clock = Clock::cpu;
  double fixed_seconds = 0;  ///< > 0: not measured, but this long for each unit; call is empty
};

/// For a bar in seconds: ratios to fixed_time(1e-9) are nanoseconds.
inline Work fixed_time(double seconds) { return {{}, 1, Clock::cpu, seconds}; }

/// The fastest repetition of each; seconds are per graph, ratio = b / a.
struct Comparison {
  double a = 0;
  double b = 0;
  double ratio = 0;
  double lowest_ratio = 0;  ///< quartiles of the ratios of slices next to each other
  double highest_ratio = 0;
};

/// Seconds since some fixed moment.
double seconds_now(Clock clock = Clock::wall);

/// The q-quantile of the values, 0 <= q <= 1.
double quantile(std::vector<double> values, double q);
inline double median(std::vector<double> values) { return quantile(std::move(values), 0.5); }

Comparison compare(const Work& a, const Work& b);

/// CPU seconds of a call: the fastest of up to 15 slices of at least 50 microseconds, until `budget` seconds are spent.
double seconds_per_call(const std::function<void()>& call, double budget);

}  // namespace kirchhoff::bench
