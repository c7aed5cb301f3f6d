// Tells what the library was built of, and the instruction set that kernels are dispatched to. CMake defines the commit
// and the libraries for this file alone, so that a new commit compiles nothing else.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "numeric/simd/build_info.cpp"
#include "kirchhoff/version.hpp"
#include "numeric/simd/highway.hpp"

HWY_BEFORE_NAMESPACE();
namespace kirchhoff::numeric::HWY_NAMESPACE {

const char* TargetName() { return hwy::TargetName(HWY_TARGET); }

}  // namespace kirchhoff::numeric::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kirchhoff {
namespace numeric {
HWY_EXPORT(TargetName);

static const char* target_name() { return KIRCHHOFF_KERNEL(TargetName)(); }
}  // namespace numeric

BuildInfo build_info() { return {KIRCHHOFF_COMMIT, numeric::target_name(), KIRCHHOFF_LIBRARIES}; }

}  // namespace kirchhoff
#endif
