#include "tree/state.hpp"

#include <memory>

namespace kirchhoff::detail {
namespace {

constexpr std::size_t kMostStates = 8;
constexpr int kLargestPooled = 256;  // words; about 3 MB

thread_local bool pool_is_gone = false;  // outlives the pool: distributions may be destroyed after it at thread exit

struct Pool {
  std::vector<std::unique_ptr<TreeState>> states;
  Pool() { states.reserve(kMostStates); }
  ~Pool() { pool_is_gone = true; }
};

Pool& pool() {
  thread_local Pool instance;
  return instance;
}

}  // namespace

TreeState* acquire_state() {
  if (pool_is_gone || pool().states.empty()) return new TreeState;
  TreeState* state = pool().states.back().release();
  pool().states.pop_back();
  return state;
}

void release_state(TreeState* state) {
  std::unique_ptr<TreeState> owner(state);
  if (pool_is_gone || state->words > kLargestPooled || pool().states.size() >= kMostStates) return;
  pool().states.push_back(std::move(owner));
}

}  // namespace kirchhoff::detail
