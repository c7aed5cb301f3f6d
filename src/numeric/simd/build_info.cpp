// Tells what the library was built of, and the instruction set that kernels are dispatched to. CMake defines the commit
// and the libraries for this file alone, so that a new commit compiles nothing else.
#include "kirchhoff/version.hpp"
#include "numeric/simd/targets.hpp"

namespace kirchhoff {

BuildInfo build_info() { return {KIRCHHOFF_COMMIT, numeric::target_name(), KIRCHHOFF_LIBRARIES}; }

}  // namespace kirchhoff
