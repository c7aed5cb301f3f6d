// Stands in for the kernels on the host in a library that was built without them.
#include "cuda/beam_launch.hpp"
#include "cuda/launch.hpp"
#include "cuda/launch_trees.hpp"

#include <stdexcept>

namespace kirchhoff::cuda {
namespace {

[[noreturn]] void kernels_are_missing() {
  throw std::runtime_error(
      "[cuda] this library was built without kernels for the host; build it with -DKIRCHHOFF_CUDA_ON_HOST=ON, "
      "or use the methods of the CPU, which are faster there");
}

}  // namespace

void solve_on_host(const Question&) { kernels_are_missing(); }
void best_trees_on_host(const TreeTask&) { kernels_are_missing(); }
void samples_on_host(const SampleTask&) { kernels_are_missing(); }
void gold_on_host(const GoldTask&) { kernels_are_missing(); }
void copy_on_host(const Question&, std::int64_t, double*) { kernels_are_missing(); }
void beam_on_host(const BeamSearch&) { kernels_are_missing(); }

}  // namespace kirchhoff::cuda
