// Sorts graphs by the size that they are filled up to in lanes, and cuts each size into groups.
#include "tree/batch/groups.hpp"

#include "tree/kernels/lanes.hpp"

#include <algorithm>
#include <array>

namespace kirchhoff::tree {

Groups::Groups(std::span<const GraphView> graphs, Method method) : order_(graphs.size()), begin_(1, 0) {
  constexpr int kAlone = kLaneWords + 1;
  const auto size_of = [&](const GraphView& graph) {
    return method == Method::automatic && graph.words <= kLaneWords ? lane_size(graph.words) : kAlone;
  };
  std::array<std::size_t, kAlone + 2> first{};  // of each size, in the order
  for (const GraphView& graph : graphs) ++first[size_of(graph) + 1];
  for (int size = 1; size <= kAlone + 1; ++size) first[size] += first[size - 1];
  std::array<std::size_t, kAlone + 2> next = first;
  for (std::size_t i = 0; i < graphs.size(); ++i) order_[next[size_of(graphs[i])]++] = i;
  begin_.reserve(graphs.size() + 1);
  for (int size = 0; size < kAlone; ++size) {
    for (std::size_t i = first[size]; i < first[size + 1]; i = begin_.back()) {
      begin_.push_back(std::min(i + lanes(), first[size + 1]));
    }
  }
  first_alone_ = begin_.size() - 1;
  for (std::size_t i = first[kAlone]; i < graphs.size(); ++i) begin_.push_back(i + 1);
}

}  // namespace kirchhoff::tree
