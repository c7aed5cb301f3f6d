// Threads for loops within loops: training is two long sequences of short loops side by side, a millisecond each.
//
// A thread that must wait for the end of its loop does tasks of other loops meanwhile, and threads do not sleep between
// the loops of a sequence: to be woken costs as much as a task. Tasks that are not needed yet can be left to those who
// wait: a loop is open to all from its construction on, and comes last until its finish() is called. oneTBB, which all
// other loops use, knows no such order among the tasks of an arena and lets its threads sleep: 1.3 to 1.7 times the
// speed with two threads, where this is 1.7 to 2.
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
  /// The number of threads for each of two sequences of loops that run side by side.
  int threads_per_sequence() const { return (threads() + 1) / 2; }

  using Body = std::function<void(std::size_t)>;
  /// A loop that is open to all threads from its construction on.
  class Loop {
   public:
    Loop(Crew& crew, std::size_t count, Body body) : Loop(crew, count, std::move(body), 0) {}
    /// Ends the loop: what nobody has begun, nobody will do.
    ~Loop();
    Loop(const Loop&) = delete;
    Loop& operator=(const Loop&) = delete;
    /// Does what nobody has begun and returns when all is done. The first exception is rethrown.
    void finish();

   private:
    friend Crew;
    Loop(Crew& crew, std::size_t count, Body body, std::size_t taken);
    void run(std::size_t task);
    void drop();  ///< Takes back what nobody has begun.

    Crew& crew_;
    std::size_t count_;
    Body body_;
    std::size_t next_;  ///< The first task that nobody has. The crew's mutex guards it and the next two.
    bool urgent_;
    std::exception_ptr error_;
    std::atomic<std::size_t> done_{0};
  };

  /// Does body(0) ... body(count - 1); the calling thread does the first. Bodies may have loops of their own.
  void loop(std::size_t count, Body body);
  /// Does body(first, last) for pieces of kChunk of 0 .. count - 1, which do not depend on the number of threads, for
  /// bodies with storage of their own.
  void chunks(std::size_t count, const std::function<void(std::size_t, std::size_t)>& body);
  static constexpr std::size_t kChunk = 64;
  static std::size_t chunk_count(std::size_t count) { return (count + kChunk - 1) / kChunk; }

 private:
  /// Does one task, of the thread's own loop if that has any, else of an urgent one, else of any. Returns false when
  /// there is none.
  bool help(const Loop* own);
  /// What a helper thread does: it helps until the crew is destroyed.
  void help_until_the_end();

  std::mutex mutex_;
  std::vector<Loop*> open_;            ///< The loops with tasks that nobody has, in the order of construction.
  std::atomic<std::size_t> tasks_{0};  ///< The number of those tasks.
  std::atomic<int> loops_{0};          ///< The number of loops. While it is 0, helpers sleep.
  std::atomic<bool> ends_{false};
  std::vector<std::thread> helpers_;
};

}  // namespace kirchhoff::base
