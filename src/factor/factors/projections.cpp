// Projections on simplices and slices of the box: the target less a threshold tau, clipped; tau is found by sorting
// the places where some entry starts or stops moving. O(n log n).
#include "factor/factors/projections.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

namespace kirchhoff::factor {
namespace {

struct Knot {
  double at;
  int slope;  ///< change of the number of moving entries when tau grows beyond `at`
};

std::vector<double>& scratch() {
  thread_local std::vector<double> values;
  return values;
}

}  // namespace

double project_on_box(std::span<const double> target, std::span<double> u) {
  double sum = 0.0;
  for (std::size_t i = 0; i < target.size(); ++i) {
    u[i] = std::clamp(target[i], 0.0, 1.0);
    sum += u[i];
  }
  return sum;
}

void project_on_simplex(std::span<const double> target, std::span<double> u) {
  std::vector<double>& sorted = scratch();
  sorted.assign(target.begin(), target.end());
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  double sum = -1.0;
  double tau = 0.0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    sum += sorted[i];
    const double next = sum / static_cast<double>(i + 1);
    if (i > 0 && next >= sorted[i]) break;
    tau = next;
  }
  for (std::size_t i = 0; i < target.size(); ++i) u[i] = std::max(target[i] - tau, 0.0);
}

// With tau growing, entry i is 1 up to target - 1, then falls with slope 1 until target, then stays 0.
void project_on_box_slice(std::span<const double> target, double total, std::span<double> u) {
  thread_local std::vector<Knot> knots;
  knots.clear();
  for (const double t : target) {
    knots.push_back({t - 1.0, 1});
    knots.push_back({t, -1});
  }
  std::sort(knots.begin(), knots.end(), [](const Knot& a, const Knot& b) { return a.at < b.at; });
  auto sum = static_cast<double>(target.size());
  double tau = knots.front().at;
  int moving = 0;
  for (const Knot& knot : knots) {
    const double next = sum - moving * (knot.at - tau);
    if (next <= total && moving > 0) break;
    sum = next;
    tau = knot.at;
    moving += knot.slope;
  }
  if (moving > 0) tau += (sum - total) / moving;
  for (std::size_t i = 0; i < target.size(); ++i) u[i] = std::clamp(target[i] - tau, 0.0, 1.0);
}

}  // namespace kirchhoff::factor
