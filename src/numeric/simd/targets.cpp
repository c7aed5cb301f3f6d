// Reads the variable KIRCHHOFF_SIMD, once, and tells Highway; names what Highway chooses.
#include "numeric/simd/targets.hpp"

#include "kirchhoff/types.hpp"

#include <hwy/targets.h>

#include <array>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace kirchhoff::numeric {
namespace {

void hold_to(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::int64_t>, 4> kSets = {
      {{"scalar", HWY_SCALAR}, {"sse4", HWY_SSE4}, {"avx2", HWY_AVX2}, {"avx3", HWY_AVX3}}};
  for (const auto& [known, bit] : kSets) {
    if (name != known) continue;
    hwy::DisableTargets(bit - 1);  // bits of better sets are lower
    return;
  }
  throw InputError("KIRCHHOFF_SIMD is '" + std::string(name) + "', expected scalar, sse4, avx2 or avx3");
}

}  // namespace

std::int64_t allowed_targets() {
  static const bool held = [] {
    if (const char* name = std::getenv("KIRCHHOFF_SIMD")) hold_to(name);
    return true;
  }();
  static_cast<void>(held);
  return hwy::SupportedTargets();
}

const char* target_name() {
  const std::int64_t usable = allowed_targets() & HWY_TARGETS;
  return hwy::TargetName(usable == 0 ? HWY_STATIC_TARGET : usable & -usable);  // bits of better sets are lower
}

}  // namespace kirchhoff::numeric
