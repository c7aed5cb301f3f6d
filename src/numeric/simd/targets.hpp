// The instruction sets that kernels are compiled for, and those that they may use on this machine.
#pragma once

#ifndef HWY_DISABLED_TARGETS
// Vectors of unknown size cannot be kept in arrays, which the register-blocked kernels do; NEON serves those machines.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV | HWY_SSSE3)
#endif
// On arm64 that leaves nothing to choose at run time. Told so, by the name of a header that a choice would need,
// Highway compiles kernels without options of their own, which GCC does not give to implicit constructors of structs of
// vectors.
#if defined(__aarch64__) && !defined(TOOLCHAIN_MISS_SYS_AUXV_H)
#define TOOLCHAIN_MISS_SYS_AUXV_H
#endif

#include <cstdint>

namespace kirchhoff::numeric {

/// Highway's bits of the sets that the processor has, without those that the variable KIRCHHOFF_SIMD forbids:
/// KIRCHHOFF_SIMD=avx2 holds a machine with AVX-512 to AVX2, for measuring and for tests. Throws InputError when it has
/// another value than scalar, sse4, avx2 or avx3.
std::int64_t allowed_targets();

/// Highway's name of the set that kernels use.
const char* target_name();

}  // namespace kirchhoff::numeric
