// Linear programs without memory: whatever the limit is, they are solved or end in std::bad_alloc. The linear
// programming solver itself frees memory twice at some limits, so it is not asked where there is not enough.
#include "kirchhoff/solve.hpp"

#include <gtest/gtest.h>

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<long> live = 0, limit = -1;  // bytes; there is no limit below 0

void* take_if_there(std::size_t size) noexcept {
  const long most = limit;
  void* memory = most >= 0 && live + static_cast<long>(size) > most ? nullptr : std::malloc(size);
  if (memory != nullptr) live += static_cast<long>(malloc_usable_size(memory));
  return memory;
}

void* take(std::size_t size) {
  if (void* memory = take_if_there(size)) return memory;
  throw std::bad_alloc();
}

void give_back(void* memory) noexcept {
  if (memory != nullptr) live -= static_cast<long>(malloc_usable_size(memory));
  std::free(memory);
}

}  // namespace

void* operator new(std::size_t size) { return take(size); }
void* operator new[](std::size_t size) { return take(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return take_if_there(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return take_if_there(size); }
void operator delete(void* memory) noexcept { give_back(memory); }
void operator delete[](void* memory) noexcept { give_back(memory); }
void operator delete(void* memory, std::size_t) noexcept { give_back(memory); }
void operator delete[](void* memory, std::size_t) noexcept { give_back(memory); }

namespace kirchhoff {
namespace {

FactorGraph graph_of(int variables) {
  FactorGraph graph;
  Literals all;
  for (int i = 0; i < variables; ++i) all.push_back(graph.add_variable((i * 7919 % 1000 - 500) / 250.0));
  graph.add_or(all);
  graph.add_budget(all, variables / 2);
  return graph;
}

/// Returns whether there was enough memory.
bool solves(const FactorGraph& graph, long bytes, double expected) {
  limit = live + bytes;
  try {
    const MapResult lp = solve_lp(graph), ilp = solve_ilp(graph);
    limit = -1;
    EXPECT_NEAR(lp.bound, expected, 1e-9 * expected);
    EXPECT_NEAR(ilp.value, expected, 1e-9 * expected);
    return true;
  } catch (const std::bad_alloc&) {
    limit = -1;
    return false;
  }
}

TEST(Memory, LinearProgramsEndInAnErrorWithoutIt) {
  const FactorGraph graph = graph_of(2000);
  const double expected = solve_lp(graph).value;
  for (long bytes = 0; bytes < 2'500'000; bytes += 4096) EXPECT_FALSE(solves(graph, bytes, expected)) << bytes;
  int solved = 0;
  for (long bytes = 2'500'000; bytes < 40'000'000; bytes += 500'000) solved += solves(graph, bytes, expected) ? 1 : 0;
  EXPECT_GT(solved, 20);
}

}  // namespace
}  // namespace kirchhoff
