// The time that a solver may take, and whether the caller wants it to stop.
#pragma once

#include "base/stop.hpp"

#include <chrono>
#include <optional>

namespace kirchhoff::factor {

class Clock {
 public:
  Clock(std::optional<double> limit, const Stop& stop) : limit_(limit), stopping_(stop) {}
  bool is_over() {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
    over_ = over_ || (limit_ && spent.count() > *limit_) || stopping_();
    return over_;
  }
  /// Whether it was over when it was asked last.
  bool was_over() const { return over_; }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::optional<double> limit_;
  base::Stopping stopping_;
  bool over_ = false;
};

}  // namespace kirchhoff::factor
