// Sorts graphs by their size, and cuts those that are small enough into groups.
#include "tree/batch/groups.hpp"

#include "tree/kernels/lanes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace kirchhoff::tree {
namespace {

// Whether one of the first words has a head that is better than the next one by 4.5, a probability of 0.99 or so: the
// error bound of the fast method fails where two words are all but certainly in line.
bool has_certain_word(const GraphView& graph) {
  constexpr double kCertain = 4.5;
  constexpr int kLook = 16;  // words
  std::array<double, kLook> best, second;
  best.fill(-HUGE_VAL);
  second.fill(-HUGE_VAL);
  const int look = std::min(graph.words, kLook);
  for (int head = 0; head <= graph.words; ++head) {
    const double* const row = graph.scores + head * graph.head_stride + graph.dependent_stride;
    for (int k = 0; k < look; ++k) {
      const double x = head == k + 1 ? -HUGE_VAL : row[k * graph.dependent_stride];
      second[k] = std::max(second[k], std::min(best[k], x));
      best[k] = std::max(best[k], x);
    }
  }
  for (int k = 0; k < look; ++k) {
    if (best[k] - second[k] > kCertain) return true;
  }
  return false;
}

}  // namespace

Groups::Groups(std::span<const GraphView> graphs, const LongestInLanes& longest) : order_(graphs.size()), begin_(1, 0) {
  const int alone = longest.certain + 1;
  std::vector<int> words(graphs.size());
  std::vector<std::size_t> first(alone + 2, 0);  // of each number of words, in the order
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    words[i] = std::min(graphs[i].words, alone);
    if (words[i] > longest.others && words[i] < alone && !has_certain_word(graphs[i])) words[i] = alone;
    ++first[words[i] + 1];
  }
  std::partial_sum(first.begin(), first.end(), first.begin());
  const std::size_t small = first[alone];
  for (std::size_t i = 0; i < graphs.size(); ++i) order_[first[words[i]]++] = i;
  begin_.reserve(graphs.size() + 1);
  while (begin_.back() < small) begin_.push_back(std::min(begin_.back() + lanes(), small));
  first_alone_ = begin_.size() - 1;
  while (begin_.back() < graphs.size()) begin_.push_back(begin_.back() + 1);
}

}  // namespace kirchhoff::tree
