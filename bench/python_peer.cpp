// The C++ side of bench/python.py: microseconds per graph for log Z and marginals, on the graphs that it makes too.
//   python_peer N COUNT       -> "one batch"
//   python_peer N N N ... 0   -> "one batch", of a batch of these sizes
// On one thread, in CPU time, so that a busy machine gives the same ratios.
#include <kirchhoff/tree_batch.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

namespace {

using namespace kirchhoff;

/// The same numbers as in bench/python.py.
Matrix graph(int n, int number) {
  Matrix scores(n + 1, n + 1);
  for (int h = 0; h <= n; ++h) {
    for (int d = 0; d <= n; ++d) scores(h, d) = 2.0 * std::sin(1.0 + 7.0 * h + 13.0 * d + 29.0 * number);
  }
  return scores;
}

/// Best of several, in microseconds; each a few milliseconds of repetitions, the step of the clock.
template <class F>
double best_time(F f) {
  constexpr double kSecond = CLOCKS_PER_SEC;
  const auto time_of = [&](int repeats) {
    const std::clock_t began = std::clock();
    for (int i = 0; i < repeats; ++i) f();
    return static_cast<double>(std::clock() - began) / kSecond;
  };
  int repeats = 1;
  while (time_of(repeats) < 2e-3) repeats *= 2;
  double best = HUGE_VAL;
  for (int run = 0; run < 25; ++run) best = std::min(best, time_of(repeats));
  return 1e6 * best / repeats;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  std::vector<int> sizes;
  for (int i = 1; i + 1 < argc; ++i) sizes.push_back(std::atoi(argv[i]));
  const int n = sizes[0];
  if (const int count = std::atoi(argv[argc - 1]); count > 0) sizes.assign(count, n);
  MatrixBatch scores;
  for (std::size_t i = 0; i < sizes.size(); ++i) scores.add(graph(sizes[i], static_cast<int>(i)));
  const std::vector<GraphView> views = scores.views();
  const Matrix first = graph(n, 0);
  double sum = 0.0;
  const double one = best_time([&] {
    const TreeDistribution p(first, Root::single);
    sum += p.log_partition() + p.marginals()(0, 1);
  });
  const double all = best_time([&] { sum += TreeBatch(views, Root::single, {.threads = 1}).log_partition()[0]; });
  std::printf("%.9g %.9g\n", one, all / static_cast<double>(sizes.size()));
  return std::isfinite(sum) ? 0 : 1;
}
