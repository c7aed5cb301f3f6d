// What runs the kernels that give trees: the host, a device, or, in a library that was built without CUDA, nothing.
#pragma once

#include "cuda/kernels/gold_tree.hpp"
#include "cuda/kernels/sample_task.hpp"
#include "cuda/kernels/tree_task.hpp"

#include <cstddef>

struct CUstream_st;

namespace kirchhoff::cuda {

/// Finds best trees, graph by graph in parallel.
void best_trees_on_host(const TreeTask& task);
/// Finds best trees on a stream, and returns before that is done.
void launch_best_trees(const TreeTask& task, CUstream_st* stream);

/// Solves the graphs and draws samples.
void samples_on_host(const SampleTask& task);
void launch_samples(const SampleTask& task, CUstream_st* stream);

/// Adds up scores of trees, or with factors subtracts marginals. More words would not fit into a device's memory.
inline constexpr int kMostGoldWords = 8192;
void gold_on_host(const GoldTask& task);
void launch_gold(const GoldTask& task, CUstream_st* stream);

/// Copies all scores of a graph of n words to (n + 1) x (n + 1) x labels doubles.
void copy_on_host(const Question& graphs, std::int64_t graph, double* to);
void launch_copy(const Question& graphs, std::int64_t graph, double* to, CUstream_st* stream);

/// Copies between a device's memory and the host's, and waits for it.
void fetch_from_device(void* to, const void* from, std::size_t bytes, CUstream_st* stream);
void send_to_device(void* to, const void* from, std::size_t bytes, CUstream_st* stream);

}  // namespace kirchhoff::cuda
