// Helpers take tasks from a list of open loops under one mutex, and yield instead of sleeping while there are loops.
#include "base/crew.hpp"

#include <tbb/global_control.h>

#include <algorithm>

namespace kirchhoff::base {

Crew::Crew(int threads) {
  // This is the number of cores that the program may use, as in parallel_for.
  const std::size_t allowed = tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
  const std::size_t count = threads > 0 ? std::min(static_cast<std::size_t>(threads), allowed) : allowed;
  for (std::size_t t = 1; t < count; ++t) helpers_.emplace_back([this] { help_until_the_end(); });
}

Crew::~Crew() {
  ends_ = true;
  ++loops_;
  loops_.notify_all();
  for (std::thread& helper : helpers_) helper.join();
}

void Crew::help_until_the_end() {
  while (!ends_) {
    loops_.wait(0);
    if (!help(nullptr)) std::this_thread::yield();
  }
}

bool Crew::help(const Loop* own) {
  if (tasks_ == 0) return false;  // so that those who wait do not hold the mutex
  Loop* loop = nullptr;
  std::size_t task = 0;
  {
    const std::lock_guard lock(mutex_);
    if (open_.empty()) return false;
    auto place = std::find(open_.begin(), open_.end(), own);
    if (place == open_.end()) place = std::find_if(open_.begin(), open_.end(), [](Loop* l) { return l->urgent_; });
    loop = place == open_.end() ? open_.front() : *place;
    task = loop->next_++;
    --tasks_;
    if (loop->next_ == loop->count_) std::erase(open_, loop);
  }
  loop->run(task);
  return true;
}

Crew::Loop::Loop(Crew& crew, std::size_t count, Body body, std::size_t taken)
    : crew_(crew), count_(count), body_(std::move(body)), next_(taken), urgent_(taken > 0) {
  if (next_ < count_) {
    const std::lock_guard lock(crew_.mutex_);
    crew_.open_.push_back(this);
    crew_.tasks_ += count_ - next_;
  }
  if (crew_.loops_++ == 0) crew_.loops_.notify_all();
}

Crew::Loop::~Loop() {
  {
    const std::lock_guard lock(crew_.mutex_);
    drop();
  }
  while (done_ < count_) std::this_thread::yield();
  --crew_.loops_;
}

void Crew::Loop::drop() {
  const std::size_t left = count_ - next_;
  next_ = count_;
  std::erase(crew_.open_, this);
  crew_.tasks_ -= left;
  done_ += left;
}

void Crew::Loop::run(std::size_t task) {
  try {
    body_(task);
  } catch (...) {
    const std::lock_guard lock(crew_.mutex_);
    if (!error_) error_ = std::current_exception();
    drop();
  }
  ++done_;  // once the last task has done this, the loop may be destroyed
}

void Crew::Loop::finish() {
  {
    const std::lock_guard lock(crew_.mutex_);
    urgent_ = true;
  }
  while (done_ < count_) {
    if (!crew_.help(this)) std::this_thread::yield();
  }
  if (error_) std::rethrow_exception(error_);
}

void Crew::loop(std::size_t count, Body body) {
  if (count == 0) return;
  Loop all(*this, count, std::move(body), 1);
  all.run(0);
  all.finish();
}

void Crew::chunks(std::size_t count, const std::function<void(std::size_t, std::size_t)>& body) {
  loop(chunk_count(count), [&](std::size_t c) { body(c * kChunk, std::min(count, (c + 1) * kChunk)); });
}

}  // namespace kirchhoff::base
