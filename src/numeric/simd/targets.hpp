// The instruction sets that kernels may use on this machine.
#pragma once

#include <cstdint>

namespace kirchhoff::numeric {

/// Highway's bits of the sets that the processor has, without those that the variable KIRCHHOFF_SIMD forbids:
/// KIRCHHOFF_SIMD=avx2 holds a machine with AVX-512 to AVX2, for measuring and for tests. Throws InputError when it has
/// another value than scalar, sse4, avx2 or avx3.
std::int64_t allowed_targets();

}  // namespace kirchhoff::numeric
