// Parallel loops, and what "number of threads" means wherever the library takes one.
#pragma once

#include <cstddef>
#include <functional>

namespace kirchhoff {

/// The default wherever a number of threads can be given: as many as the machine has cores. Results never depend on the
/// number of threads.
inline constexpr int kAllCores = 0;

/// Runs body(0) ... body(count - 1) on `threads` threads. After an exception no iterations are begun beyond it; what is
/// rethrown, when all threads have stopped, is that of the lowest iteration, whatever the number of threads.
void parallel_for(std::size_t count, int threads, const std::function<void(std::size_t)>& body);

}  // namespace kirchhoff
