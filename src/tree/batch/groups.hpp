// Which graphs of a batch are solved together, one in each lane (tree/kernels/lanes.hpp), and which alone.
#pragma once

#include "kirchhoff/tree_batch.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace kirchhoff::tree {

/// The most words with which graphs are in groups: those where some word is all but certain of its head, as trained
/// parsers make them, and others, for which the fast method is likely to do alone.
struct LongestInLanes {
  int certain, others;
};
inline constexpr LongestInLanes kNoneInLanes{0, 0};

/// A group has graphs of like size. Which graphs stand alone depends on each of them only.
class Groups {
 public:
  Groups(std::span<const GraphView> graphs, const LongestInLanes& longest);

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
