// A question about trees as kernels take it.
#pragma once

#include "cuda/kernels/tree_task.hpp"
#include "kirchhoff/cuda_trees.hpp"

namespace kirchhoff::cuda {

/// Throws InputError, in the name of a function, for a question about some trees of each graph that makes no sense.
void check_question(const char* function, const TreeQuestion& question, std::int64_t trees);
/// The same question for kernels.
TreeTask tree_task_of(const TreeQuestion& question, std::int64_t trees);

}  // namespace kirchhoff::cuda
