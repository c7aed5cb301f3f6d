// Linear chains: log Z and all marginals of a batch, against the same with Eigen.
#include "baselines/chain.hpp"
#include "timing.hpp"

#include <kirchhoff/chain_batch.hpp>

#include <cmath>
#include <cstdio>
#include <exception>
#include <memory>
#include <random>

namespace kirchhoff::bench {
namespace {

constexpr int kChains = 64, kLength = 25;

volatile double sink = 0;

struct Batch {
  int tags;
  std::vector<double> emissions, transitions;

  explicit Batch(int tag_count) : tags(tag_count), emissions(kChains * kLength * tags), transitions() {
    std::mt19937_64 random(1);
    std::normal_distribution<double> normal;
    transitions.resize(static_cast<std::size_t>(kChains) * (kLength - 1) * tags * tags);
    for (double& x : emissions) x = normal(random);
    for (double& x : transitions) x = normal(random);
  }
  const double* emission(int i) const { return emissions.data() + static_cast<std::ptrdiff_t>(i) * kLength * tags; }
  const double* transition(int i) const {
    return transitions.data() + static_cast<std::ptrdiff_t>(i) * (kLength - 1) * tags * tags;
  }
  std::vector<ChainView> views(bool shared) const {
    std::vector<ChainView> all;
    for (int i = 0; i < kChains; ++i) {
      all.push_back({emission(i), transition(i), kLength, tags, tags, shared ? 0 : std::ptrdiff_t{tags} * tags, tags});
    }
    return all;
  }
};

double eigen(const Batch& batch) {
  const std::size_t tags = batch.tags;
  const std::size_t size = kChains * (kLength - 1) * tags * tags;
  const auto p = std::make_unique_for_overwrite<double[]>(kChains * kLength * tags);
  const auto pairs = std::make_unique_for_overwrite<double[]>(size);
  double sum = 0.0;
  for (int i = 0; i < kChains; ++i) {
    sum += eigen_chain(kLength, batch.tags, batch.emission(i), batch.transition(i), &p[i * kLength * tags],
                       &pairs[i * (kLength - 1) * tags * tags]);
  }
  return sum + pairs[size / 2];
}

double ours(const Batch& batch, int threads, bool shared = false) {
  const ChainBatch solved(batch.views(shared), {.threads = threads});
  double sum = 0.0;
  for (const double x : solved.log_partition()) sum += x;
  return sum + solved.transition_marginals()[solved.transition_marginals().size() / 2];
}

Work work(std::function<double()> call, Clock clock) {
  return {[call = std::move(call)](std::size_t) { sink = call(); }, kChains, clock};
}

void row(int tags, const char* what, const Comparison& c, const char* bar, bool passes) {
  std::printf("%6d  %-44s %10.2f %10.2f %8.2f  %-6s %s\n", tags, what, c.a * 1e6, c.b * 1e6, c.ratio, bar,
              passes ? "ok" : "MISSED");
}

int run() {
  std::printf("%d chains of %d positions: log Z and all marginals; microseconds for each chain\n", kChains, kLength);
  std::printf("%6s  %-44s %10s %10s %8s  %s\n", "tags", "ours : other", "ours", "other", "ratio", "bar");
  for (const int tags : {5, 10, 20, 50, 100}) {
    const Batch batch(tags);
    if (std::abs(ours(batch, 1) - eigen(batch)) > 1e-8) {
      std::fprintf(stderr, "bench_chain: the two disagree, %.17g and %.17g\n", ours(batch, 1), eigen(batch));
      return 1;
    }
    const Work one = work([&] { return ours(batch, 1); }, Clock::cpu);
    const Comparison c = compare(one, work([&] { return eigen(batch); }, Clock::cpu));
    const bool demanded = tags == 20 || tags == 50;
    row(tags, "one thread : Eigen", c, demanded ? ">= 2" : "", !demanded || c.ratio >= 2.0);
    row(tags, "one thread : one matrix for all positions",
        compare(one, work([&] { return ours(batch, 1, true); }, Clock::cpu)), "", true);
    row(tags, "all cores : one thread",
        compare(work([&] { return ours(batch, kAllCores); }, Clock::wall),
                work([&] { return ours(batch, 1); }, Clock::wall)),
        "", true);
  }
  return 0;
}

}  // namespace
}  // namespace kirchhoff::bench

int main() {
  try {
    return kirchhoff::bench::run();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "bench_chain: %s\n", e.what());
    return 1;
  }
}
