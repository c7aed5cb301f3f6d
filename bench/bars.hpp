// The speed we promise, as a list of comparisons, and the table that says whether it holds.
#pragma once

#include "timing.hpp"

#include <string>
#include <vector>

namespace kirchhoff::bench {

enum class Demand {
  at_least,  ///< speed: time of `other` / time of `ours` >= limit
  at_most,   ///< cost: time of `ours` / time of `other` <= limit
  none,      ///< cost, for information
};

struct Bar {
  std::string what;
  int words = 0;
  Demand demand = Demand::none;
  double limit = 0;
  double stretch = 0;  ///< 0: none
  Work ours;
  Work other;
  std::string peers;        ///< microseconds elsewhere, for `ours`
  bool flop_limit = false;  ///< the result is n^3-bound: print the distance to 2n^3 flops at the FMA peak
};

struct Outcome {
  std::string what;
  int words = 0;
  Demand demand = Demand::none;
  double limit = 0;
  double stretch = 0;
  double ours_seconds = 0;  ///< 0: a row without times
  double other_seconds = 0;
  double ratio = 0;
  double lowest_ratio = 0;
  double highest_ratio = 0;
  double flop_distance = 0;  ///< 0: does not apply
  std::string peers;

  bool passes() const;
  bool reaches_stretch() const;
};

/// All bars in the order of the table, or those with `only` in their name; each group is built, measured and freed
/// before the next.
std::vector<Outcome> measure_bars(double peak, const std::string& only);

/// The bars of sampling: with replacement at n words, and distinct trees (sample_bars.cpp).
std::vector<Bar> sample_bars(int n);
std::vector<Bar> distinct_bars();

void print_table(const std::vector<Outcome>& outcomes, double peak);
void write_json(const std::vector<Outcome>& outcomes, double peak, const std::string& path);

}  // namespace kirchhoff::bench
