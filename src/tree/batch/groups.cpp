// Sorts graphs by their size, and cuts those that are small enough into groups.
#include "tree/batch/groups.hpp"

#include "tree/kernels/lanes.hpp"

#include <algorithm>
#include <numeric>

namespace kirchhoff::tree {

Groups::Groups(std::span<const GraphView> graphs, int longest) : order_(graphs.size()), begin_(1, 0) {
  const int alone = longest + 1;
  std::vector<std::size_t> first(alone + 2, 0);  // of each number of words, in the order
  const auto words = [&](std::size_t i) { return std::min(graphs[i].words, alone); };
  for (std::size_t i = 0; i < graphs.size(); ++i) ++first[words(i) + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  const std::size_t small = first[alone];
  for (std::size_t i = 0; i < graphs.size(); ++i) order_[first[words(i)]++] = i;
  begin_.reserve(graphs.size() + 1);
  while (begin_.back() < small) begin_.push_back(std::min(begin_.back() + lanes(), small));
  first_alone_ = begin_.size() - 1;
  while (begin_.back() < graphs.size()) begin_.push_back(begin_.back() + 1);
}

}  // namespace kirchhoff::tree
