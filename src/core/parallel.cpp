#include "kirchhoff/batch.hpp"

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>

namespace kirchhoff {

void parallel_for(std::size_t count, int threads, const std::function<void(std::size_t)>& body) {
  if (threads == 1 || count < 2) {
    for (std::size_t i = 0; i < count; ++i) body(i);
    return;
  }
  // More threads than TBB allows (by default, cores) would only make it print a warning.
  const auto most = static_cast<int>(tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism));
  tbb::task_arena arena(threads > 0 ? std::min(threads, most) : most);
  arena.execute([&] {
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count), [&](const tbb::blocked_range<std::size_t>& range) {
      for (std::size_t i = range.begin(); i < range.end(); ++i) body(i);
    });
  });
}

}  // namespace kirchhoff
