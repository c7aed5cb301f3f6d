// Helpers choose a loop from a list under one mutex, take its tasks by an atomic counter, and yield instead of sleeping
// while there are loops.
#include "base/crew.hpp"

#include <tbb/global_control.h>

#include <algorithm>
#include <utility>

namespace kirchhoff::base {
namespace {

thread_local bool in_background = false;  // Whether this thread runs a task in the background.

}  // namespace

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
    if (!help_on()) std::this_thread::yield();
  }
}

Crew::Loop* Crew::enter(bool background_too) {
  if (open_count_ == 0) return nullptr;  // so that those who wait do not hold the mutex
  const std::lock_guard lock(mutex_);
  Loop* best = nullptr;
  for (Loop* loop : open_) {
    if (loop->background_ && !background_too) continue;
    if (best == nullptr || loop->rank() > best->rank()) best = loop;
  }
  if (best != nullptr) ++best->guests_;
  return best;
}

bool Crew::help(bool background_too) {
  Loop* loop = enter(background_too);
  if (loop == nullptr) return false;
  const bool helped = loop->do_one();
  --loop->guests_;  // from here on the loop may be destroyed
  return helped;
}

bool Crew::help_on() {
  Loop* loop = enter(true);
  if (loop == nullptr) return false;
  const bool helped = loop->do_one();
  while (loop->rank() == Loop::kHighest && loop->do_one()) {
  }
  --loop->guests_;
  return helped;
}

Crew::Loop::Loop(Crew& crew, std::size_t count, Body body, std::size_t taken, Kind kind)
    : crew_(crew),
      count_(count),
      body_(std::move(body)),
      next_(taken),
      urgent_(taken > 0),
      background_(in_background || kind == Kind::background) {
  if (taken < count_) {
    const std::lock_guard lock(crew_.mutex_);
    crew_.open_.push_back(this);
    ++crew_.open_count_;
  }
  if (crew_.loops_++ == 0) crew_.loops_.notify_all();
}

Crew::Loop::~Loop() {
  {
    const std::lock_guard lock(crew_.mutex_);
    drop();
  }
  while (done_ < count_ || guests_ > 0) std::this_thread::yield();
  --crew_.loops_;
}

void Crew::Loop::drop() {
  const std::size_t next = next_.exchange(count_);
  if (next < count_) done_ += count_ - next;
  crew_.open_count_ -= std::erase(crew_.open_, this);
}

bool Crew::Loop::do_one() {
  if (next_ >= count_) return false;
  const std::size_t task = next_++;
  if (task >= count_) return false;
  if (task + 1 == count_) {
    const std::lock_guard lock(crew_.mutex_);
    crew_.open_count_ -= std::erase(crew_.open_, this);
  }
  run(task);
  return true;
}

void Crew::Loop::run(std::size_t task) {
  const bool before = std::exchange(in_background, background_);
  try {
    body_(task);
  } catch (...) {
    const std::lock_guard lock(crew_.mutex_);
    if (!error_) error_ = std::current_exception();
    drop();
  }
  in_background = before;
  ++done_;
}

void Crew::Loop::finish() {
  urgent_ = true;
  while (do_one()) {
  }
  while (done_ < count_) {
    if (!crew_.help(background_)) std::this_thread::yield();
  }
  if (error_) std::rethrow_exception(error_);
}

void Crew::loop(std::size_t count, Body body) {
  if (count == 0) return;
  Loop all(*this, count, std::move(body), 1, Kind::ahead);
  all.run(0);
  all.finish();
}

void Crew::chunks(std::size_t count, const std::function<void(std::size_t, std::size_t)>& body, std::size_t size) {
  loop((count + size - 1) / size, [&](std::size_t c) { body(c * size, std::min(count, (c + 1) * size)); });
}

}  // namespace kirchhoff::base
