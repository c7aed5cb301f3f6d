// The kernels that give trees, on the host.
#include "cuda/kernels/best_tree.hpp"
#include "cuda/launch_trees.hpp"
#include "kirchhoff/parallel.hpp"

#include <cstddef>
#include <memory>

namespace kirchhoff::cuda {

void best_trees_on_host(const TreeTask& task) {
  using Team = HostTeam<32>;
  parallel_for(static_cast<std::size_t>(task.graphs.graphs), kAllCores, [&](std::size_t i) {
    const auto g = static_cast<std::int64_t>(i);
    const int words = possible_words(task, g) ? words_of(task.graphs, g) : 1;
    const auto memory = std::make_unique<char[]>(ContractionDesk::bytes(words));
    double tile[kTile<Team>];
    best_tree(Team(), task, g, memory.get(), tile);
  });
}

}  // namespace kirchhoff::cuda
