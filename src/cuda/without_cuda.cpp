// Stands in for the kernels on a device in a library that was built without CUDA.
#include "cuda/beam_launch.hpp"
#include "cuda/launch.hpp"
#include "cuda/launch_trees.hpp"

#include <stdexcept>

namespace kirchhoff::cuda {
namespace {

constexpr const char* kMissing =
    "[cuda] this library was built without CUDA; build it with nvcc and -DKIRCHHOFF_WITH_CUDA=ON (docs/cuda.md)";

}  // namespace

void launch_solve(const Question&, CUstream_st*) { throw std::runtime_error(kMissing); }
void launch_best_trees(const TreeTask&, CUstream_st*) { throw std::runtime_error(kMissing); }
void launch_samples(const SampleTask&, CUstream_st*) { throw std::runtime_error(kMissing); }
void launch_gold(const GoldTask&, CUstream_st*) { throw std::runtime_error(kMissing); }
void launch_copy(const Question&, std::int64_t, double*, CUstream_st*) { throw std::runtime_error(kMissing); }
void fetch_from_device(void*, const void*, std::size_t, CUstream_st*) { throw std::runtime_error(kMissing); }
void send_to_device(void*, const void*, std::size_t, CUstream_st*) { throw std::runtime_error(kMissing); }
void launch_beam(const BeamSearch&, CUstream_st*) { throw std::runtime_error(kMissing); }

std::string describe_device(bool& found) {
  found = false;
  return kMissing;
}

DeviceMemory::DeviceMemory(std::size_t, CUstream_st* stream) : stream_(stream) { throw std::runtime_error(kMissing); }
DeviceMemory::~DeviceMemory() = default;
void DeviceMemory::copy_from_host(const void*, std::size_t) const {}
void DeviceMemory::copy_to_host(void*, std::size_t) const {}

}  // namespace kirchhoff::cuda
