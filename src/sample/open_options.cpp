// Loads, chooses and takes options.
#include "sample/open_options.hpp"

#include <algorithm>
#include <cmath>

namespace kirchhoff::sample {

void OpenOptions::load(const ConditionalRow& row, int options, const std::vector<int>& taken) {
  p.assign(row.p, row.p + options);
  for (const int option : taken) p[option] = 0.0;
  sums = taken.empty() ? row.sums : lane_sums(p.data(), p.size());
  scale = 0.0;
  uncertain = row.uncertain;
}

void OpenOptions::load_exact(const std::vector<double>& logs, const std::vector<int>& taken) {
  p = logs;
  for (const int option : taken) p[option] = -HUGE_VAL;
  scale = *std::max_element(p.begin(), p.end());
  for (double& x : p) x = x == -HUGE_VAL ? 0.0 : std::exp(x - scale);
  sums = lane_sums(p.data(), p.size());
  uncertain = 0.0;
}

int OpenOptions::choose(double u) const { return choose_option(p.data(), static_cast<int>(p.size()), sums, u); }

void OpenOptions::take(int option) {
  p[option] = 0.0;
  sums = lane_sums(p.data(), p.size());
}

bool any_possible(const ConditionalWalk& walk, const std::vector<int>& taken) {
  for (int option = 0; option < walk.options(); ++option) {
    if (std::find(taken.begin(), taken.end(), option) == taken.end() && walk.possible(option)) return true;
  }
  return false;
}

// By splitmix64's finaliser.
std::uint64_t child_key(std::uint64_t key, int option) {
  std::uint64_t x = key + 0x9e3779b97f4a7c15ULL * (static_cast<std::uint64_t>(option) + 1);
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

double later(double a, double b) {
  const double low = std::min(a, b), high = std::max(a, b);
  return low - std::log1p(std::exp(low - high));
}

}  // namespace kirchhoff::sample
