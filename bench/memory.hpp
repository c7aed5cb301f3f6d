// The memory that a computation needs at its peak.
#pragma once

#include <functional>

namespace kirchhoff::bench {

/// MiB by which a process grows at most while it runs the work, measured in a copy of this process. Below about 0.5 it
/// is noise: memory is counted in pages, and the allocator keeps some.
double peak_mebibytes(const std::function<void()>& work);

}  // namespace kirchhoff::bench
