// Beam search by the device's kernels on the host.
#include "cuda/beam_launch.hpp"
#include "cuda/kernels/beam_search.hpp"
#include "kirchhoff/parallel.hpp"

#include <memory>

namespace kirchhoff::cuda {
namespace {

using BeamTeam = HostTeam<8>;
constexpr int kSmallRows = 6;  // few, so that tests meet large chains, too

template <class N>
void search_on_host(const BeamSearch& search, std::int64_t g) {
  const int n = words_of(search.graphs, g);
  const auto room = std::make_unique<char[]>(BeamRoom<N>(nullptr, n, search.kept()).bytes);
  const auto first = std::make_unique<char[]>(PrepareDesk<N>(nullptr, n).bytes);
  prepare_beam<BeamTeam, N>(BeamTeam(), search, g, room.get(), first.get());
  const Status status = search.graphs.status[g];
  if (status != Status::solved && status != Status::extended) return;
  const auto memory = std::make_unique<char[]>(PrefixDesk<N>(nullptr, n, kSmallRows, nullptr).bytes);
  const auto large = std::make_unique<N[]>(large_chain_size(n));
  const PrefixDesk<N> desk(memory.get(), n, kSmallRows, large.get());
  search_graph<BeamTeam, N>(BeamTeam(), LoneCrew(), search, g, room.get(), desk);
}

}  // namespace

void beam_on_host(const BeamSearch& search) {
  parallel_for(static_cast<std::size_t>(search.graphs.graphs), kAllCores, [&](std::size_t i) {
    const auto g = static_cast<std::int64_t>(i);
    const int n = words_of(search.graphs, g);
    Status& status = search.graphs.status[g];
    status = n < 1 || n > search.graphs.words ? Status::invalid : Status::open;
    if (status == Status::open) search_on_host<double>(search, g);
    if (status == Status::open) search_on_host<Extended>(search, g);
    if (status == Status::infeasible || status == Status::invalid) write_nothing(BeamTeam(), search, g);
  });
}

}  // namespace kirchhoff::cuda
