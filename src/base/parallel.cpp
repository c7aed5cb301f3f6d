// Parallel loops on oneTBB: every thread takes the next piece of work when it has finished one.
#include "kirchhoff/parallel.hpp"

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>

namespace kirchhoff {
namespace {

/// One for each number of threads, kept: a new one for each loop would have to find its threads again.
tbb::task_arena& arena_of(int threads) {
  static std::mutex mutex;
  static std::map<int, tbb::task_arena> arenas;
  const std::lock_guard lock(mutex);
  return arenas.try_emplace(threads, threads).first->second;
}

int thread_count(int threads) {
  // More threads than TBB allows (by default, cores) would only make it print a warning.
  const auto most = static_cast<int>(tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism));
  return threads > 0 ? std::min(threads, most) : most;
}

}  // namespace

void parallel_for(std::size_t count, int threads, const std::function<void(std::size_t)>& body) {
  const int most = threads == 1 || count < 2 ? 1 : thread_count(threads);
  if (most == 1) {
    for (std::size_t i = 0; i < count; ++i) body(i);
    return;
  }
  // Every thread takes what comes next: a list with the longest work first ends on all threads at about the same time.
  const std::size_t workers = std::min(count, static_cast<std::size_t>(most));
  const std::size_t piece = std::max<std::size_t>(1, count / (64 * workers));
  std::atomic<std::size_t> next{0};
  const auto work = [&](std::size_t) {
    try {
      for (std::size_t i = next.fetch_add(piece); i < count; i = next.fetch_add(piece)) {
        for (std::size_t k = i; k < std::min(count, i + piece); ++k) body(k);
      }
    } catch (...) {
      next = count;  // the others shall stop too
      throw;
    }
  };
  arena_of(most).execute([&] { tbb::parallel_for(std::size_t{0}, workers, work, tbb::simple_partitioner()); });
}

}  // namespace kirchhoff
