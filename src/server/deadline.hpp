// A deadline that is moved often and seldom passes: its timer is not set anew for each move, but looks when it goes off
// whether there is a later deadline by then.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <utility>

namespace kirchhoff::server {

/// To be used on one strand only.
class Deadline {
 public:
  /// `passed` is called on the executor.
  Deadline(const boost::asio::ip::tcp::socket::executor_type& executor, std::function<void()> passed)
      : timer_(executor), passed_(std::move(passed)) {}

  /// Moves the deadline. The owner holds this object; when nobody holds the owner, nothing is called.
  void set(std::chrono::milliseconds time, const std::weak_ptr<void>& owner) {
    const auto deadline = Clock::now() + time;
    const bool sooner = deadline < deadline_;
    deadline_ = deadline;
    if (!watching_ || sooner) watch(owner);
  }
  void cancel() { timer_.cancel(); }

 private:
  using Clock = std::chrono::steady_clock;

  void watch(const std::weak_ptr<void>& owner) {
    watching_ = true;
    timer_.expires_at(deadline_);
    timer_.async_wait([this, owner](const boost::system::error_code& error) {
      const std::shared_ptr<void> held = owner.lock();
      if (!held || error) return;
      watching_ = false;
      return Clock::now() < deadline_ ? watch(owner) : passed_();
    });
  }

  boost::asio::steady_timer timer_;
  std::function<void()> passed_;
  Clock::time_point deadline_;
  bool watching_ = false;  ///< The timer is set, to the deadline or an earlier time.
};

}  // namespace kirchhoff::server
