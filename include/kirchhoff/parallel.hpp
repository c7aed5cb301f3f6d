// Parallel loops, and what "number of threads" means wherever the library takes one.
#pragma once

#include <cstddef>
#include <functional>

namespace kirchhoff {

/// The default wherever a number of threads can be given: as many as the machine has cores. Results never depend on the
/// number of threads.
inline constexpr int kAllCores = 0;

/// Runs body(0) ... body(count - 1) on `threads` threads. The first exception is rethrown after all threads have
/// stopped.
void parallel_for(std::size_t count, int threads, const std::function<void(std::size_t)>& body);

}  // namespace kirchhoff
