// The times that two methods take for each sentence, measured in turn.
#pragma once

#include "experiments/plot.hpp"
#include "timing.hpp"

#include <algorithm>

namespace kirchhoff::bench {

/// CPU seconds of the fastest of `repetitions` calls: single calls are short, and other programs only ever add time.
template <class Function>
double fastest(int repetitions, const Function& function) {
  double best = 1e300;
  for (int r = 0; r < repetitions; ++r) {
    const double begin = seconds_now(Clock::cpu);
    function();
    best = std::min(best, seconds_now(Clock::cpu) - begin);
  }
  return best;
}

/// What two methods needed for the same sentences: (words, milliseconds) for each sentence.
struct Race {
  std::vector<Point> ours;
  std::vector<Point> old;

  void add(int words, double our_seconds, double old_seconds) {
    ours.push_back({static_cast<double>(words), 1e3 * our_seconds});
    old.push_back({static_cast<double>(words), 1e3 * old_seconds});
  }
};

inline double mean_x(const std::vector<Point>& points) {
  double sum = 0;
  for (const Point& point : points) sum += point.x;
  return sum / static_cast<double>(points.size());
}

inline double mean_y(const std::vector<Point>& points) {
  double sum = 0;
  for (const Point& point : points) sum += point.y;
  return sum / static_cast<double>(points.size());
}

}  // namespace kirchhoff::bench
