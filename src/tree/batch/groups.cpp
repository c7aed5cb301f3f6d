// Sorts graphs by their size, and cuts those that are small enough into groups.
#include "tree/batch/groups.hpp"

#include "tree/kernels/lanes.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace kirchhoff::tree {

Groups::Groups(std::span<const GraphView> graphs, bool in_lanes) : order_(graphs.size()), begin_(1, 0) {
  constexpr int kAlone = kLaneWords + 1;
  const auto words_of = [&](const GraphView& graph) {
    return in_lanes && graph.words <= kLaneWords ? graph.words : kAlone;
  };
  std::array<std::size_t, kAlone + 2> first{};  // of each number of words, in the order
  for (const GraphView& graph : graphs) ++first[words_of(graph) + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  const std::size_t small = first[kAlone];
  for (std::size_t i = 0; i < graphs.size(); ++i) order_[first[words_of(graphs[i])]++] = i;
  begin_.reserve(graphs.size() + 1);
  while (begin_.back() < small) begin_.push_back(std::min(begin_.back() + lanes(), small));
  first_alone_ = begin_.size() - 1;
  while (begin_.back() < graphs.size()) begin_.push_back(begin_.back() + 1);
}

}  // namespace kirchhoff::tree
