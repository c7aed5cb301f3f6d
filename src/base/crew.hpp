// Threads for loops within loops: training is two long sequences of short loops side by side, a millisecond each.
//
// A thread that must wait for the end of its loop does tasks of other loops meanwhile, and threads do not sleep between
// the loops of a sequence: to be woken costs as much as a task. Tasks that are not needed yet can be left to those who
// wait: a loop is open to all from its construction on, and comes last until its finish() is called. oneTBB, which all
// other loops use, knows no such order among the tasks of an arena and lets its threads sleep: 1.3 to 1.7 times the
// speed with two threads, where this is 1.7 to 2.
//
// Loops in the background are for threads that nobody waits for: a sequence of short loops would stand still while the
// thread that drives it does one of their long tasks.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace kirchhoff::base {

class Crew {
 public:
  /// A crew of `threads`, one of which is the thread that asks, but of no more than there are cores.
  explicit Crew(int threads);
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  int threads() const { return static_cast<int>(helpers_.size()) + 1; }

  using Body = std::function<void(std::size_t)>;
  enum class Kind {
    ahead,      ///< Tasks for everybody who has nothing urgent to do.
    background  ///< Threads that wait for other loops leave the tasks alone, and all loops within them.
  };
  /// A loop that is open to all threads from its construction on.
  class Loop {
   public:
    Loop(Crew& crew, std::size_t count, Body body, Kind kind = Kind::ahead)
        : Loop(crew, count, std::move(body), 0, kind) {}
    /// Ends the loop: what nobody has begun, nobody will do.
    ~Loop();
    Loop(const Loop&) = delete;
    Loop& operator=(const Loop&) = delete;
    /// Does what nobody has begun and returns when all is done. The first exception is rethrown.
    void finish();

   private:
    friend Crew;
    Loop(Crew& crew, std::size_t count, Body body, std::size_t taken, Kind kind);
    static constexpr int kHighest = 3;
    int rank() const { return (background_ ? 0 : 2) + (urgent_ ? 1 : 0); }
    bool do_one();  ///< Returns false when there was nothing to take.
    void run(std::size_t task);
    void drop();  ///< Takes back what nobody has begun. The crew's mutex must be held.

    Crew& crew_;
    std::size_t count_;
    Body body_;
    std::atomic<std::size_t> next_;  ///< The first task that nobody has; more than count_ means none, too.
    std::atomic<bool> urgent_;
    const bool background_;
    std::exception_ptr error_;  ///< The crew's mutex guards it.
    std::atomic<std::size_t> done_{0};
    std::atomic<int> guests_{0};  ///< The number of threads that came by help(). The mutex is held while it rises.
  };

  /// Does body(0) ... body(count - 1); the calling thread does the first. Bodies may have loops of their own.
  void loop(std::size_t count, Body body);
  /// Does body(first, last) for pieces of 0 .. count - 1, which do not depend on the number of threads: for bodies with
  /// storage of their own, and for short ones.
  void chunks(std::size_t count, const std::function<void(std::size_t, std::size_t)>& body, std::size_t size = kChunk);
  static constexpr std::size_t kChunk = 64;
  static std::size_t chunk_count(std::size_t count) { return (count + kChunk - 1) / kChunk; }

 private:
  /// Does one task of the loop with the highest rank. Returns false when there is none.
  bool help(bool background_too);
  /// What a thread does that nobody waits for: it stays with a loop of the highest rank to its end.
  bool help_on();
  Loop* enter(bool background_too);  ///< One of the open loops, which is not destroyed before --guests_; or nullptr.
  /// What a helper thread does: it helps until the crew is destroyed.
  void help_until_the_end();

  std::mutex mutex_;
  std::vector<Loop*> open_;                 ///< The loops with tasks that nobody has, in the order of construction.
  std::atomic<std::size_t> open_count_{0};  ///< The number of those loops.
  std::atomic<int> loops_{0};               ///< The number of loops. While it is 0, helpers sleep.
  std::atomic<bool> ends_{false};
  std::vector<std::thread> helpers_;
};

}  // namespace kirchhoff::base
