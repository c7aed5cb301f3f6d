// Where long work looks whether to go on: at its own Stop, and at the StopScopes around it.
#pragma once

#include "kirchhoff/stop_scope.hpp"

namespace kirchhoff::base {

/// Whether to stop with what has been found so far. Throws Stopped when a StopScope says so.
inline bool stops(const Stop& stop) {
  StopScope::check();
  return stop && stop();
}

/// Asks whether to stop, and throws Stopped if so.
inline void check_stop(const Stop& stop) {
  if (stops(stop)) throw Stopped();
}

/// A Stop that remembers its answer, so that work in many places ends once it was told to.
class Stopping {
 public:
  explicit Stopping(const Stop& stop) : stop_(stop) {}
  /// Asks whether to stop.
  bool operator()() {
    stopped_ = stopped_ || stops(stop_);
    return stopped_;
  }
  /// Whether the answer was ever yes.
  bool is_stopped() const { return stopped_; }

 private:
  const Stop& stop_;
  bool stopped_ = false;
};

/// The innermost scope of this thread, or null.
const StopScope* current_scope();
/// While it lives, this thread obeys another one's scopes in the place of its own.
class JoinScope {
 public:
  explicit JoinScope(const StopScope* scope);
  ~JoinScope();
  JoinScope(const JoinScope&) = delete;
  JoinScope& operator=(const JoinScope&) = delete;

 private:
  const StopScope* before_;
};

}  // namespace kirchhoff::base
