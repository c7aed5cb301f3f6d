// Sums and maxima of all but one entry, for every entry, in linear time.
#include "numeric/log_space.hpp"

#include <algorithm>
#include <cstddef>

namespace kirchhoff::numeric {
namespace {

/// e^-600 times any number of doubles neither underflows nor loses digits.
constexpr double kSafeRange = 600.0;

struct TopTwo {
  std::size_t at = 0;  ///< where the first is; x.size() when it is `extra`
  double first = -HUGE_VAL;
  double second = -HUGE_VAL;
};

TopTwo top_two(std::span<const double> x, double extra) {
  TopTwo top{x.size(), extra, -HUGE_VAL};
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x[i] > top.first) {
      top = {i, x[i], top.first};
    } else if (x[i] > top.second) {
      top.second = x[i];
    }
  }
  return top;
}

double log_sum_but(std::span<const double> x, double extra, const TopTwo& top) {
  if (is_infinite(top.second)) return top.second;
  double sum = top.at == x.size() ? 0.0 : std::exp(extra - top.second);
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (i != top.at) sum += std::exp(x[i] - top.second);
  }
  return top.second + std::log(sum);
}

}  // namespace

// The largest entry is left out of its own sum, which is made without it. Every other sum has the largest entry in it,
// so that taking entry i away from the whole sum at most halves it: no cancellation.
double log_sums_without(std::span<const double> x, double extra, std::span<double> out) {
  const TopTwo top = top_two(x, extra);
  if (is_infinite(top.first) || top.first - top.second > kSafeRange) {
    const double rest = log_sum_but(x, extra, top);
    std::fill(out.begin(), out.end(), top.first);
    if (top.at < x.size()) out[top.at] = rest;
    return top.first;
  }
  double rest = top.at == x.size() ? 0.0 : std::exp(extra - top.first);
  for (std::size_t i = 0; i < x.size(); ++i) {
    out[i] = std::exp(x[i] - top.first);
    if (i != top.at) rest += out[i];
  }
  const double sum = 1.0 + rest;
  for (std::size_t i = 0; i < x.size(); ++i) out[i] = top.first + std::log(i == top.at ? rest : sum - out[i]);
  return top.first + std::log(sum);
}

double maxima_without(std::span<const double> x, double extra, std::span<double> out) {
  const TopTwo top = top_two(x, extra);
  std::fill(out.begin(), out.end(), top.first);
  if (top.at < x.size()) out[top.at] = top.second;
  return top.first;
}

int count_required(std::span<const double> q) { return static_cast<int>(std::count(q.begin(), q.end(), HUGE_VAL)); }

}  // namespace kirchhoff::numeric
