// Several threads run one race.
#include "base/stop.hpp"
#include "sample/race.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <queue>
#include <thread>

namespace kirchhoff::sample {

/// Threads that follow arrivals of one race, until the first `most` are known and the place of the next one.
class Race::Team {
 public:
  Team(Race& race, const Stop& stop) : race_(race), stop_(stop), last_(race.most_ == 0 ? HUGE_VAL : -HUGE_VAL) {}

  /// What every thread does. Only what is at hand while the lock is held is shared.
  void work() {
    std::unique_lock lock(mutex_);
    if (finished()) return;
    Runner runner(*race_.inverse_);
    while (!finished()) {
      if (!worth_following()) {
        changed_.wait(lock);  // for what those that are followed leave behind
        continue;
      }
      const Waiting waiting = race_.pop();
      runner.floor = race_.floor_;
      followed_.push_back(waiting.perturbed);
      lock.unlock();
      std::optional<Arrival> arrival = attempt(runner, waiting);
      lock.lock();
      followed_.erase(std::find(followed_.begin(), followed_.end(), waiting.perturbed));
      if (arrival) take(std::move(*arrival));
      race_.merge(runner);
      settle();
      changed_.notify_all();
    }
  }

  /// After the work.
  PerturbedTrees result() {
    if (error_) std::rethrow_exception(error_);
    std::sort(arrivals_.begin(), arrivals_.end(),
              [](const Arrival& a, const Arrival& b) { return a.perturbed > b.perturbed; });
    // After a stop, or behind the last, there are arrivals that others may precede.
    const double next = race_.waiting_.empty() ? -HUGE_VAL : race_.waiting_.front().perturbed;
    PerturbedTrees result;
    result.threshold = next;
    for (Arrival& arrival : arrivals_) {
      if (result.trees.size() == race_.most_ || arrival.perturbed < next) {
        result.threshold = std::max(next, arrival.perturbed);
        break;
      }
      result.perturbed.push_back(arrival.perturbed);
      result.trees.push_back(std::move(arrival.tree));
    }
    return result;
  }

 private:
  bool finished() const { return followed_.empty() && (stopped_ || !worth_following()); }
  /// Whether the first in the queue may be among the first arrivals, or is not known well enough to be the threshold.
  bool worth_following() const {
    if (stopped_ || race_.waiting_.empty()) return false;
    const Waiting& first = race_.waiting_.front();
    return first.perturbed > last_ || !first.prefix->resolved;
  }
  std::optional<Arrival> attempt(Runner& runner, const Waiting& waiting) {
    try {
      std::optional<Arrival> arrival = race_.follow(runner, waiting);
      if (arrival && base::stops(stop_)) stopped_ = true;
      return arrival;
    } catch (...) {
      const std::lock_guard lock(mutex_);
      error_ = std::current_exception();
      stopped_ = true;
      return std::nullopt;
    }
  }
  /// Counts the arrivals that nothing can precede any more: as many fewer have to be kept in the queue.
  void settle() {
    double bound = race_.waiting_.empty() ? -HUGE_VAL : race_.waiting_.front().perturbed;
    for (const double other : followed_) bound = std::max(bound, other);
    for (; !unsettled_.empty() && unsettled_.top() >= bound && race_.given_ < race_.most_; unsettled_.pop()) {
      ++race_.given_;
    }
  }
  void take(Arrival arrival) {
    unsettled_.push(arrival.perturbed);
    first_.push(arrival.perturbed);
    if (first_.size() > race_.most_) first_.pop();
    if (first_.size() == race_.most_) last_ = first_.top();
    arrivals_.push_back(std::move(arrival));
  }

  Race& race_;
  const Stop& stop_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Arrival> arrivals_;
  std::priority_queue<double, std::vector<double>, std::greater<>> first_;  // the first `most` of them
  double last_;                                                             // the last of those, if there are as many
  std::priority_queue<double> unsettled_;
  std::vector<double> followed_;  // arrivals that threads are following
  std::atomic<bool> stopped_ = false;
  std::exception_ptr error_;
};

PerturbedTrees Race::run(int threads, const Stop& stop) {
  Team team(*this, stop);
  const std::size_t count = std::clamp<std::size_t>(
      threads == kAllCores ? std::thread::hardware_concurrency() : threads, 1, std::max<std::size_t>(most_, 1));
  parallel_for(count, threads, [&](std::size_t) { team.work(); });
  return team.result();
}

}  // namespace kirchhoff::sample
