// Speed of the tree core.
//
//   bench_tree                 every benchmark, then the table of bars
//   bench_tree --benchmark_…   Google Benchmark with its own options (--benchmark_filter=fast), without the table
//   bench_tree --bars          only the table of bars
//   bench_tree --only TEXT     only its rows with TEXT in their name, e.g. "tree by" or "distinct"
//   bench_tree --json FILE     the table as JSON too
#include "bars.hpp"
#include "baselines/openblas_core.hpp"
#include "check.hpp"
#include "peak.hpp"
#include "treebank.hpp"
#include "works.hpp"

#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <tuple>

namespace kirchhoff::bench {
namespace {

struct Options {
  bool google = true;
  bool bars = true;
  std::string only;
  std::string json;
};

/// Takes our own options out of the command line; the rest is Google Benchmark's.
Options take_options(int& argc, char** argv) {
  Options options;
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--bars") == 0) {
      options.google = false;
    } else if (std::strcmp(argv[i], "--only") == 0 && i + 1 < argc) {
      options.google = false;
      options.only = argv[++i];
    } else if (std::strcmp(argv[i], "--json") == 0 && i + 1 < argc) {
      options.json = argv[++i];
    } else {
      argv[kept++] = argv[i];
    }
  }
  argc = kept;
  options.bars = !options.google || kept == 1;
  return options;
}

using MakeWork = std::function<Work(const Graphs&)>;

/// Registers `make` at several sizes; the work is made when (and if) its benchmark runs.
void add(const std::string& name, std::initializer_list<int> sizes, const MakeWork& make, double scale = 1.0) {
  for (const int n : sizes) {
    benchmark::RegisterBenchmark((name + "/" + std::to_string(n)).c_str(), [=](benchmark::State& state) {
      const Work work = make(random_graphs(n, scale));
      std::size_t i = 0;
      for (auto _ : state) work.call(i++);
      state.SetItemsProcessed(static_cast<std::int64_t>(static_cast<double>(i) * work.units));
    });
  }
}

MakeWork constructed(Accuracy accuracy) {
  return [=](const Graphs& graphs) { return constructor(graphs, accuracy); };
}

MakeWork batched(Accuracy accuracy) {
  return [=](const Graphs& graphs) { return batch_path(graphs, accuracy); };
}

void add_marginals() {
  add("fast", {10, 25, 50, 100, 500, 1000}, constructed(kFast));
  add("fast_batch", {10, 25, 50, 100, 500, 1000}, batched(kFast));
  add("automatic", {10, 25, 50, 100, 500, 1000}, constructed(kAutomatic));
  add("eigen", {10, 25, 50, 100}, eigen_baseline);
  add("openblas", {10, 25, 50, 100, 500, 1000}, lapack_baseline);
  add("openblas_getrf_getri", {500, 1000}, lapack_bare);
  add("robust", {10, 25, 50, 100}, constructed(kRobust));
  add("robust_batch", {10, 25, 50, 100}, batched(kRobust));
  add("robust_extended", {25, 50}, constructed(kAutomatic), 300.0);
  add("robust_extended_batch", {25, 50}, batched(kAutomatic), 300.0);
}

void add_expectations() {
  add("entropy_gradient", {10, 25, 50, 100}, entropy_gradient_work);
  add("kl_gradient", {10, 25, 50, 100}, kl_gradient_work);
  add("risk_gradient", {10, 25, 50, 100}, risk_gradient_work);
  add("ge_gradient", {10, 25, 50, 100}, ge_gradient_work);
  add("ge_gradient_dense", {10, 25, 50, 100}, ge_dense_gradient_work);
  add("batch_entropy", {10, 25, 50, 100}, batch_entropy_work);
  add("covariance_20x20", {10, 25, 50}, covariance_work);
  add("covariance_20x20_jvp", {10, 25, 50}, covariance_jvp_work);
  add("covariance_20x20_hessian", {10, 25}, covariance_hessian_work);
}

void add_decoding() {
  add("best_tree", {25, 100, 500, 1000, 2000}, [](const Graphs& graphs) { return best_tree_work(graphs); });
  add("best_tree_multi", {25, 100, 500, 1000, 2000},
      [](const Graphs& graphs) { return best_tree_work(graphs, Root::multi); });
  add("column_maxima", {25, 100, 500, 1000, 2000}, column_maxima_work);
  for (const int k : {1, 2, 10, 100}) {
    add("k_best/k:" + std::to_string(k), {25, 100}, [=](const Graphs& graphs) { return k_best_work(graphs, k); });
  }
}

void add_sampling() {
  const auto methods = {std::tuple{"wilson", Root::multi, Sampler::wilson},
                        {"wilson_marginal", Root::single, Sampler::wilson_marginal},
                        {"wilson_reject", Root::single, Sampler::wilson_reject},
                        {"colbourn", Root::single, Sampler::colbourn},
                        {"colbourn_multi", Root::multi, Sampler::colbourn},
                        {"automatic", Root::single, Sampler::automatic}};
  for (const auto& [name, root, method] : methods) {
    const auto sample = [root = root, method = method](const Graphs& graphs) {
      return sample_work(graphs, root, method);
    };
    const auto set_up = [root = root, method = method](const Graphs& graphs) {
      return sampler_work(graphs, root, method);
    };
    add(std::string("sample_") + name, {10, 25, 50, 100}, sample);
    add(std::string("sampler_") + name, {10, 25, 50, 100}, set_up);
  }
  for (const int k : {10, 100, 1000}) {
    add("beam/k:" + std::to_string(k), {14, 25, 100},
        [=](const Graphs& graphs) { return beam_work(graphs, Root::single, k); });
    add("one_by_one/k:" + std::to_string(k), {14, 25, 100},
        [=](const Graphs& graphs) { return one_by_one_work(graphs, Root::single, k); });
  }
}

void add_threads() {
  for (const int threads : {1, 2}) {
    benchmark::RegisterBenchmark(("english_batch/threads:" + std::to_string(threads)).c_str(),
                                 [=](benchmark::State& state) {
                                   const Lengths lengths = english_lengths(10000);
                                   const Work work = threaded(random_batch(lengths.values, 1), threads);
                                   for (auto _ : state) work.call(0);
                                 })
        ->UseRealTime();
  }
}

void run_google_benchmarks() {
  add_marginals();
  add_expectations();
  add_decoding();
  add_sampling();
  add_threads();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}

int run(int argc, char** argv) {
  const Options options = take_options(argc, argv);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  check_baselines();
  check_reports();
  if (options.google) run_google_benchmarks();
  if (!options.bars) return 0;
  const double peak = fma_peak();
  const std::vector<Outcome> outcomes = measure_bars(peak, options.only);
  print_table(outcomes, peak);
  if (!options.json.empty()) write_json(outcomes, peak, options.json);
  return 0;
}

}  // namespace
}  // namespace kirchhoff::bench

int main(int argc, char** argv) {
  try {
    kirchhoff::bench::restart_with_good_openblas_core(argv);
    return kirchhoff::bench::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_tree: %s\n", error.what());
    return 1;
  }
}
