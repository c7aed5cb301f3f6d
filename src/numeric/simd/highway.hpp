// Includes Highway for a file that is compiled once per instruction set; define HWY_TARGET_INCLUDE before.
// No include guard: foreach_target.h includes the file again for each target.
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
