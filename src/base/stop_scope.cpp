// The scopes of a thread are a list from the innermost one outwards.
#include "kirchhoff/stop_scope.hpp"

#include "base/stop.hpp"

#include <utility>

namespace kirchhoff {
namespace {

thread_local const StopScope* innermost = nullptr;

}  // namespace

StopScope::StopScope(Stop stop) : stop_(std::move(stop)), outer_(std::exchange(innermost, this)) {}
StopScope::~StopScope() { innermost = outer_; }

void StopScope::check() {
  for (const StopScope* scope = innermost; scope != nullptr; scope = scope->outer_) {
    if (scope->stop_ && scope->stop_()) throw Stopped();
  }
}

namespace base {

const StopScope* current_scope() { return innermost; }

JoinScope::JoinScope(const StopScope* scope) : before_(std::exchange(innermost, scope)) {}
JoinScope::~JoinScope() { innermost = before_; }

}  // namespace base
}  // namespace kirchhoff
