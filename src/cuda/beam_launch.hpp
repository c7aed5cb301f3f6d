// What runs a beam search: the host, a device, or, in a library that was built without CUDA, nothing.
#pragma once

#include "cuda/kernels/beam_question.hpp"

struct CUstream_st;

namespace kirchhoff::cuda {

/// Searches graphs of the host's memory in parallel.
void beam_on_host(const BeamSearch& search);
/// Searches graphs of the device's memory on a stream. Returns before that is done.
void launch_beam(const BeamSearch& search, CUstream_st* stream);

}  // namespace kirchhoff::cuda
