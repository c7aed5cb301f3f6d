// Timing two things against each other on a noisy machine.
#include "timing.hpp"

#include <time.h>

#include <algorithm>
#include <cmath>

namespace kirchhoff::bench {
namespace {

constexpr double kSliceSeconds = 0.005;
constexpr double kBudgetSeconds = 1.2;  // for both sides of one comparison
constexpr int kFewest = 7, kMost = 81;

/// A work and the number of calls that fill one slice of time.
class Slice {
 public:
  explicit Slice(const Work& work) : work_(work) {
    if (work_.fixed_seconds > 0) return;
    run(1);  // warm up
    double seconds = run(1);
    while (seconds < kSliceSeconds / 4) {
      calls_ *= 2;
      seconds = run(calls_);
    }
    calls_ = std::max<std::size_t>(1, static_cast<std::size_t>(static_cast<double>(calls_) * kSliceSeconds / seconds));
    seconds_ = std::max(seconds, kSliceSeconds);
  }
  /// About how long one measurement takes.
  double seconds() const { return seconds_; }
  /// Seconds per graph.
  double measure() {
    if (work_.fixed_seconds > 0) return work_.fixed_seconds;
    return run(calls_) / (static_cast<double>(calls_) * work_.units);
  }

 private:
  double run(std::size_t calls) {
    const double begin = seconds_now(work_.clock);
    for (std::size_t c = 0; c < calls; ++c) work_.call(next_++);
    return seconds_now(work_.clock) - begin;
  }
  const Work& work_;
  std::size_t calls_ = 1;
  std::size_t next_ = 0;
  double seconds_ = 0;
};

}  // namespace

double seconds_now(Clock clock) {
  timespec now;
  clock_gettime(clock == Clock::cpu ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  const double position = q * static_cast<double>(values.size() - 1);
  const auto low = static_cast<std::size_t>(position);
  const std::size_t high = std::min(low + 1, values.size() - 1);
  return std::lerp(values[low], values[high], position - static_cast<double>(low));
}

Comparison compare(const Work& a, const Work& b) {
  Slice slice_a(a), slice_b(b);
  const int affordable = static_cast<int>(kBudgetSeconds / (slice_a.seconds() + slice_b.seconds()));
  const int repetitions = std::clamp(affordable, kFewest, kMost);
  std::vector<double> times_a, times_b, ratios;
  for (int r = 0; r < repetitions; ++r) {
    times_a.push_back(slice_a.measure());
    times_b.push_back(slice_b.measure());
    ratios.push_back(times_b.back() / times_a.back());
  }
  const double a_seconds = quantile(times_a, 0.0), b_seconds = quantile(times_b, 0.0);
  return {a_seconds, b_seconds, b_seconds / a_seconds, quantile(ratios, 0.25), quantile(ratios, 0.75)};
}

double seconds_per_call(const std::function<void()>& call, double budget) {
  const auto slice = [&](int calls) {
    const double begin = seconds_now(Clock::cpu);
    for (int c = 0; c < calls; ++c) call();
    return seconds_now(Clock::cpu) - begin;
  };
  double best = slice(1), spent = best;
  const int calls = static_cast<int>(std::clamp(50e-6 / std::max(best, 1e-9), 1.0, 1000.0));
  for (int slices = 0; slices < 15 && spent < budget; ++slices) {
    const double seconds = slice(calls);
    best = std::min(best, seconds / calls);
    spent += seconds;
  }
  return best;
}

}  // namespace kirchhoff::bench
