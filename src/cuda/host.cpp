// The kernels on the host.
#include "cuda/kernels/fast_graph.hpp"
#include "cuda/kernels/shapes.hpp"
#include "cuda/kernels/solve_graph.hpp"
#include "cuda/launch.hpp"
#include "kirchhoff/parallel.hpp"

#include <cstddef>
#include <memory>

namespace kirchhoff::cuda {
namespace {

template <class N, class S>
void solve(const Question& q, std::int64_t g) {
  using Team = HostTeam<S::kThreads>;
  const int n = words_of(q, g);
  const std::size_t bytes = DeskLayout<N, S>(n).bytes();
  const auto memory = std::make_unique<char[]>(bytes);
  solve_graph<Team, N, S>(Team(), q, g, memory.get());
}

template <class N>
void solve(const Question& q, std::int64_t g) {
  for_each_class<N>([&](auto size_class, int below) {
    using S = typename decltype(size_class)::S;
    const int n = words_of(q, g);
    if (n > below && n <= S::kMostWords) solve<N, S>(q, g);
  });
}

void invert(const Question& q, std::int64_t g) {
  for_each_of<FastClasses>([&](auto size_class, int below) {
    using T = typename decltype(size_class)::S;
    const int n = words_of(q, g);
    if (n <= below || n > T::kMostWords) return;
    const auto desk = std::make_unique<FastDesk<T>>();
    const HostTeam<T::kThreads> team;
    invert_graph(team, q, g, *desk);
  });
}

}  // namespace

void solve_on_host(const Question& q) {
  parallel_for(static_cast<std::size_t>(q.graphs), kAllCores, [&](std::size_t i) {
    const auto g = static_cast<std::int64_t>(i);
    if (words_of(q, g) < 1 || words_of(q, g) > q.words) return write_nothing(HostTeam<1>(), q, g, Status::invalid);
    const bool derivatives = q.derivatives.values != nullptr;
    q.status[g] = Status::open;
    if (q.accuracy.invert && !derivatives) invert(q, g);
    if (q.status[g] == Status::open) derivatives ? solve<Dual>(q, g) : solve<double>(q, g);
    if (q.status[g] != Status::open) return;
    derivatives ? solve<ExtendedDual>(q, g) : solve<Extended>(q, g);
  });
}

}  // namespace kirchhoff::cuda
