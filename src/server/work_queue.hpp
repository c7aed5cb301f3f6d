// A bounded queue before a fixed number of slots, one for each core that may compute.
//
// A request is computed by the very thread that read it when a slot is free, which costs no change of threads; the
// server has one thread more than slots, so that one can always read and write. When all slots are taken, the request
// waits, and whoever frees a slot passes the next one on.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>

namespace kirchhoff::server {

class WorkQueue {
 public:
  using Job = std::function<void()>;

  /// `post` lets any thread of the server call a job soon.
  WorkQueue(std::size_t slots, std::size_t capacity, std::function<void(Job)> post);

  /// Runs the job now or keeps it for later. Returns false, and does neither, when the queue is full.
  bool submit(Job job);

  std::size_t running() const;
  std::size_t waiting() const;

 private:
  void run(const Job& job);

  const std::size_t slots_, capacity_;
  const std::function<void(Job)> post_;
  mutable std::mutex mutex_;
  std::size_t running_ = 0;
  std::deque<Job> waiting_;
};

}  // namespace kirchhoff::server
