#include "kirchhoff/batch.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

namespace kirchhoff {

void parallel_for(std::size_t count, int threads, const std::function<void(std::size_t)>& body) {
  if (threads == 1 || count < 2) {
    for (std::size_t i = 0; i < count; ++i) body(i);
    return;
  }
  tbb::task_arena arena(threads > 0 ? threads : tbb::task_arena::automatic);
  arena.execute([&] {
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count), [&](const tbb::blocked_range<std::size_t>& range) {
      for (std::size_t i = range.begin(); i < range.end(); ++i) body(i);
    });
  });
}

}  // namespace kirchhoff
