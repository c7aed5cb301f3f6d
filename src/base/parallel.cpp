// Shares the iterations of a loop among the threads of oneTBB, which take them as they come.
#include "kirchhoff/parallel.hpp"

#include "base/crew.hpp"
#include "base/stop.hpp"

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <latch>
#include <limits>
#include <map>
#include <mutex>

namespace kirchhoff {
namespace {

using Body = std::function<void(std::size_t)>;

int thread_count(int threads) {
  // More threads than TBB allows (by default, cores) would only make it print a warning.
  const auto allowed =
      static_cast<int>(tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism));
  return threads > 0 ? std::min(threads, allowed) : allowed;
}

/// What the body threw in the lowest iteration that threw. Threads leave out what comes after it and do what comes
/// before it, so that it is the same one for any number of threads.
class LowestError {
 public:
  /// The first iteration that need not be run.
  std::size_t limit() const { return limit_; }
  void run(const Body& body, std::size_t i) {
    try {
      StopScope::check();
      body(i);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (i >= limit_) return;
      limit_ = i;
      error_ = std::current_exception();
    }
  }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::mutex mutex_;
  std::atomic<std::size_t> limit_{std::numeric_limits<std::size_t>::max()};
  std::exception_ptr error_;
};

#ifdef __SANITIZE_THREAD__
/// The thread sanitizer cannot see how the threads of a prebuilt oneTBB wait for each other, and would call every loop
/// a race; to suppress what it says about oneTBB would hide all that happens below it. So threads of our own share the
/// loop. They wait until all are there and then take turns: were one of them to do a short loop alone, no race in it
/// would be found.
void share(std::size_t count, int threads, const Body& body) {
  const std::size_t workers = std::min(count, static_cast<std::size_t>(threads));
  const StopScope* const scope = base::current_scope();
  std::latch all_here(static_cast<std::ptrdiff_t>(workers));
  LowestError error;
  base::Crew(static_cast<int>(workers)).loop(workers, [&](std::size_t worker) {
    all_here.arrive_and_wait();
    const base::JoinScope join(scope);
    for (std::size_t i = worker; i < std::min(count, error.limit()); i += workers) error.run(body, i);
  });
  error.rethrow();
}
#else
/// An arena is kept for each number of threads, because a new one for each loop would have to find its threads again.
tbb::task_arena& arena_of(int threads) {
  static std::mutex mutex;
  static std::map<int, tbb::task_arena> arenas;
  const std::lock_guard lock(mutex);
  return arenas.try_emplace(threads, threads).first->second;
}

thread_local bool inside_loop = false;

/// Says, while it lives, that this thread runs the body of a loop.
class InsideLoop {
 public:
  InsideLoop() : before_(inside_loop) { inside_loop = true; }
  ~InsideLoop() { inside_loop = before_; }
  InsideLoop(const InsideLoop&) = delete;
  InsideLoop& operator=(const InsideLoop&) = delete;

 private:
  bool before_;
};

/// Every thread takes what comes next: a list with the longest work first ends on all threads at about the same time.
void share(std::size_t count, int threads, const Body& body) {
  const std::size_t workers = std::min(count, static_cast<std::size_t>(threads));
  const std::size_t piece = std::max<std::size_t>(1, count / (64 * workers));
  std::atomic<std::size_t> next{0};
  LowestError error;
  const StopScope* const scope = base::current_scope();
  const auto work = [&](std::size_t) {
    const InsideLoop inside;
    const base::JoinScope join(scope);
    for (std::size_t i = next.fetch_add(piece); i < std::min(count, error.limit()); i = next.fetch_add(piece)) {
      for (std::size_t k = i; k < std::min({count, i + piece, error.limit()}); ++k) error.run(body, k);
    }
  };
  const auto run = [&] { tbb::parallel_for(std::size_t{0}, workers, work, tbb::simple_partitioner()); };
  // A loop inside a loop stays in the arena it is in. To wait for another one from there could wait forever: for
  // threads that wait for ours.
  if (inside_loop) {
    run();
  } else {
    arena_of(threads).execute(run);
  }
  error.rethrow();
}
#endif

}  // namespace

void parallel_for(std::size_t count, int threads, const std::function<void(std::size_t)>& body) {
  const int workers = threads == 1 || count < 2 ? 1 : thread_count(threads);
  if (workers == 1) {
    for (std::size_t i = 0; i < count; ++i) {
      StopScope::check();
      body(i);
    }
    return;
  }
  share(count, workers, body);
}

}  // namespace kirchhoff
