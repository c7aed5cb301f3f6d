// A Stop whose yes is remembered, so that work in many places ends once it was said.
#pragma once

#include "kirchhoff/types.hpp"

namespace kirchhoff::base {

class Stopping {
 public:
  explicit Stopping(const Stop& stop) : stop_(stop) {}
  /// Asks.
  bool operator()() {
    stopped_ = stopped_ || (stop_ && stop_());
    return stopped_;
  }
  /// Whether the answer ever was yes.
  bool is_stopped() const { return stopped_; }

 private:
  const Stop& stop_;
  bool stopped_ = false;
};

/// Asks; throws Stopped.
inline void check_stop(const Stop& stop) {
  if (stop && stop()) throw Stopped();
}

}  // namespace kirchhoff::base
