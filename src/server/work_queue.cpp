// Hands slots from job to job.
#include "server/work_queue.hpp"

#include <utility>

namespace kirchhoff::server {

WorkQueue::WorkQueue(std::size_t slots, std::size_t capacity, std::function<void(Job)> post)
    : slots_(slots), capacity_(capacity), post_(std::move(post)) {}

bool WorkQueue::submit(Job job) {
  {
    const std::lock_guard lock(mutex_);
    if (running_ == slots_) {
      if (waiting_.size() == capacity_) return false;
      waiting_.push_back(std::move(job));
      return true;
    }
    ++running_;
  }
  run(job);
  return true;
}

void WorkQueue::run(const Job& job) {
  try {
    job();
  } catch (...) {
    // There was no memory even for saying so. The job's connection ends with it, and the slot must not be lost.
  }
  Job next;
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.empty()) {
      --running_;
      return;
    }
    next = std::move(waiting_.front());
    waiting_.pop_front();
  }
  post_([this, next = std::move(next)] { run(next); });
}

std::size_t WorkQueue::running() const {
  const std::lock_guard lock(mutex_);
  return running_;
}

std::size_t WorkQueue::waiting() const {
  const std::lock_guard lock(mutex_);
  return waiting_.size();
}

}  // namespace kirchhoff::server
