// Keeps the storage of distributions that are gone, so that those to come need not allocate.
#include "tree/state.hpp"

#include <memory>
#include <mutex>
#include <new>

namespace kirchhoff::tree {
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

/// What the threads' own pools have no room for: batches that are made by several threads and freed by one. Never
/// destroyed, because threads may end later than static objects. Only ever try_lock: a fork may leave it locked.
struct Shared {
  std::mutex mutex;
  std::vector<std::unique_ptr<TreeState>> states;
  std::size_t bytes = 0;
};
constexpr std::size_t kSharedBytes = std::size_t{64} << 20;

Shared& shared() {
  static auto* instance = new Shared;
  return *instance;
}

/// A state has about six matrices of doubles.
std::size_t bytes_of(const TreeState& state) { return 48 * state.marginals.capacity(); }

TreeState* take_shared() {
  const std::unique_lock lock(shared().mutex, std::try_to_lock);
  if (!lock || shared().states.empty()) return nullptr;
  TreeState* state = shared().states.back().release();
  shared().states.pop_back();
  shared().bytes -= bytes_of(*state);
  return state;
}

void give_shared(std::unique_ptr<TreeState> state) {
  const std::unique_lock lock(shared().mutex, std::try_to_lock);
  const std::size_t bytes = bytes_of(*state);
  if (!lock || shared().bytes + bytes > kSharedBytes) return;
  shared().states.push_back(std::move(state));
  shared().bytes += bytes;
}

/// Where a shared_ptr keeps its counts: in the state that it points to. They are the last thing of it that is used, so
/// their end is when the state may go back.
template <class T>
struct CounterInState {
  using value_type = T;
  TreeState* state;

  explicit CounterInState(TreeState* owner) : state(owner) {}
  template <class U>
  CounterInState(const CounterInState<U>& other) : state(other.state) {}  // NOLINT: allocators convert by themselves
  T* allocate(std::size_t) {
    static_assert(sizeof(T) <= sizeof(TreeState::counter));
    static_assert(alignof(T) <= alignof(std::max_align_t));
    return reinterpret_cast<T*>(state->counter);
  }
  void deallocate(T*, std::size_t) noexcept { release_state(state); }
  template <class U>
  bool operator==(const CounterInState<U>& other) const {
    return state == other.state;
  }
};

}  // namespace

std::shared_ptr<TreeState> shared_state() {
  TreeState* state = acquire_state();
  return {state, [](TreeState*) {}, CounterInState<TreeState>(state)};
}

TreeState* acquire_state() {
  if (pool_is_gone || pool().states.empty()) {
    TreeState* state = take_shared();
    return state != nullptr ? state : new TreeState;
  }
  TreeState* state = pool().states.back().release();
  pool().states.pop_back();
  return state;
}

void release_state(TreeState* state) {
  std::unique_ptr<TreeState> owner(state);
  if (state->words > kLargestPooled) return;
  try {
    if (pool_is_gone || pool().states.size() >= kMostStates) {
      give_shared(std::move(owner));
    } else {
      pool().states.push_back(std::move(owner));
    }
  } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch): without memory to keep it, the state is freed.
  }
}

}  // namespace kirchhoff::tree
