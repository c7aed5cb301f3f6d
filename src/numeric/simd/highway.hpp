// Includes Highway for a file that is compiled once per instruction set; define HWY_TARGET_INCLUDE before.
// No include guard: foreach_target.h includes the file again for each target.
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
#include "numeric/simd/targets.hpp"

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// KIRCHHOFF_KERNEL(Name): pointer to the best Name for this machine; keep it in a static. HWY_DYNAMIC_DISPATCH would
// ask the shared library at every call, which costs as much as a small kernel.
#ifndef KIRCHHOFF_KERNEL
#if (HWY_TARGETS & (HWY_TARGETS - 1)) == 0
#define KIRCHHOFF_KERNEL(NAME) (&HWY_STATIC_DISPATCH(NAME))
#else
#define KIRCHHOFF_KERNEL(NAME)                                          \
  ([] {                                                                 \
    hwy::GetChosenTarget().Update(numeric::allowed_targets());          \
    return HWY_DISPATCH_TABLE(NAME)[hwy::GetChosenTarget().GetIndex()]; \
  }())
#endif
#endif
