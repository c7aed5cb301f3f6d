// The calls of decoding that bench_tree times.
#include "baselines/column_maxima.hpp"
#include "works.hpp"

#include <kirchhoff/decode.hpp>

#include <benchmark/benchmark.h>

namespace kirchhoff::bench {

Work best_tree_work(Graphs graphs, Root root) {
  return {[=, graphs = std::move(graphs)](std::size_t i) {
    benchmark::DoNotOptimize(best_tree(graphs[i % graphs.size()], root));
  }};
}

Work k_best_work(Graphs graphs, int k) {
  return {[=, graphs = std::move(graphs)](std::size_t i) {
    benchmark::DoNotOptimize(k_best_trees(graphs[i % graphs.size()], Root::single, k));
  }};
}

Work column_maxima_work(Graphs graphs) {
  auto best = std::make_shared<std::vector<double>>(graphs.front().rows());
  return {[=, graphs = std::move(graphs)](std::size_t i) {
    const Matrix& scores = graphs[i % graphs.size()];
    column_maxima(scores.data(), static_cast<int>(scores.rows()) - 1, best->data());
    benchmark::ClobberMemory();
  }};
}

}  // namespace kirchhoff::bench
