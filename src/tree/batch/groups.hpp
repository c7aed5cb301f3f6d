// Which graphs of a batch are solved together, one in each lane (tree/kernels/lanes.hpp), and which alone.
#pragma once

#include "kirchhoff/tree_batch.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace kirchhoff::tree {

/// A group has graphs of like size. Which graphs stand alone depends on the size of each of them only.
class Groups {
 public:
  /// Graphs of more than `longest` words stand alone; with 0, all do.
  Groups(std::span<const GraphView> graphs, int longest);

  std::size_t size() const { return begin_.size() - 1; }
  std::span<const std::size_t> operator[](std::size_t g) const {
    return std::span(order_).subspan(begin_[g], begin_[g + 1] - begin_[g]);
  }
  /// Groups from this one on are graphs alone.
  std::size_t first_alone() const { return first_alone_; }

 private:
  std::vector<std::size_t> order_, begin_;
  std::size_t first_alone_;
};

}  // namespace kirchhoff::tree
