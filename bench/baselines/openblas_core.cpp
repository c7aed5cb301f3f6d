// Which kernels OpenBLAS uses, and a way out when it has chosen badly.
#include "baselines/openblas_core.hpp"

#include <unistd.h>

#include <cstdlib>

extern "C" char* openblas_get_corename();

namespace kirchhoff::bench {
namespace {

/// The best kernels this processor can run, or null when we do not know better than OpenBLAS.
const char* better_core() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512vl")) return "SkylakeX";
  if (__builtin_cpu_supports("avx2")) return "Haswell";
#endif
  return nullptr;
}

}  // namespace

std::string openblas_core() { return openblas_get_corename(); }

void restart_with_good_openblas_core(char** argv) {
  if (openblas_core() != "Prescott" || std::getenv("OPENBLAS_CORETYPE") != nullptr || better_core() == nullptr) return;
  setenv("OPENBLAS_CORETYPE", better_core(), 1);
  execv("/proc/self/exe", argv);  // returns only when it fails: then we go on with what we have
}

}  // namespace kirchhoff::bench
