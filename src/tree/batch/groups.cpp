// Sorts graphs by their size, and cuts those that are small enough into groups.
#include "tree/batch/groups.hpp"

#include "tree/kernels/lanes.hpp"

#include <algorithm>
#include <numeric>

namespace kirchhoff::tree {

Groups::Groups(std::span<const GraphView> graphs, int longest) : order_(graphs.size()), begin_(1, 0) {
  const int alone = longest + 1;
  const auto words_of = [&](const GraphView& graph) { return std::min(graph.words, alone); };
  std::vector<std::size_t> first(alone + 2, 0);  // of each number of words, in the order
  for (const GraphView& graph : graphs) ++first[words_of(graph) + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  const std::size_t small = first[alone];
  for (std::size_t i = 0; i < graphs.size(); ++i) order_[first[words_of(graphs[i])]++] = i;
  begin_.reserve(graphs.size() + 1);
  while (begin_.back() < small) begin_.push_back(std::min(begin_.back() + lanes(), small));
  first_alone_ = begin_.size() - 1;
  while (begin_.back() < graphs.size()) begin_.push_back(begin_.back() + 1);
}

}  // namespace kirchhoff::tree
