// What runs the kernels that give trees: the host, a device, or, in a library that was built without CUDA, nothing.
#pragma once

#include "cuda/kernels/tree_task.hpp"

struct CUstream_st;

namespace kirchhoff::cuda {

/// Finds best trees, graph by graph in parallel.
void best_trees_on_host(const TreeTask& task);
/// Finds best trees on a stream, and returns before that is done.
void launch_best_trees(const TreeTask& task, CUstream_st* stream);

}  // namespace kirchhoff::cuda
