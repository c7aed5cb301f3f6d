// A Stop that remembers its answer, so that work in many places ends once it was told to.
#pragma once

#include "kirchhoff/types.hpp"

namespace kirchhoff::base {

class Stopping {
 public:
  explicit Stopping(const Stop& stop) : stop_(stop) {}
  /// Asks whether to stop.
  bool operator()() {
    stopped_ = stopped_ || (stop_ && stop_());
    return stopped_;
  }
  /// Whether the answer was ever yes.
  bool is_stopped() const { return stopped_; }

 private:
  const Stop& stop_;
  bool stopped_ = false;
};

/// Asks whether to stop, and throws Stopped if so.
inline void check_stop(const Stop& stop) {
  if (stop && stop()) throw Stopped();
}

}  // namespace kirchhoff::base
