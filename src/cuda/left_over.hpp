// Samples that kernels leave to the CPU: those whose walk has spent its budget, and Colbourn's.
#pragma once

#include "cuda/kernels/sample_task.hpp"
#include "kirchhoff/cuda_trees.hpp"

namespace kirchhoff::cuda {

/// Draws what a task has left over, and writes it where the rest is. It waits for the stream.
void draw_left_over(const SampleTask& task, Sampler method, const Execution& execution);

}  // namespace kirchhoff::cuda
