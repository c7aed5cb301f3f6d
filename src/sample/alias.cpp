// Making alias tables [Vose91]. O(size) for each row.
#include "sample/alias.hpp"

#include <algorithm>
#include <numeric>

namespace kirchhoff::sample {

// A slot that lacks weight is filled up by one that has too much. What is left at the end lacks or has rounding errors
// only; a slot without any weight then points to the heaviest, so that it is never drawn itself.
void AliasTables::set(int row, const double* weights) {
  const int size = static_cast<int>(size_);
  const auto at = [&](int slot) { return static_cast<std::size_t>(slot) * rows_ + static_cast<std::size_t>(row); };
  std::vector<double> share(weights, weights + size);
  const double scale = size / std::accumulate(share.begin(), share.end(), 0.0);
  const auto heaviest = static_cast<std::uint64_t>(std::max_element(share.begin(), share.end()) - share.begin());
  std::vector<int> small, large;
  for (int i = 0; i < size; ++i) {
    share[i] *= scale;
    (share[i] < 1.0 ? small : large).push_back(i);
  }
  while (!small.empty() && !large.empty()) {
    const int to = small.back(), from = large.back();
    small.pop_back();
    slots_[at(to)] = static_cast<std::uint64_t>(share[to] * 0x1p48) << 16 | static_cast<std::uint64_t>(from);
    share[from] -= 1.0 - share[to];
    if (share[from] < 1.0) {
      large.pop_back();
      small.push_back(from);
    }
  }
  for (const int i : large) slots_[at(i)] = static_cast<std::uint64_t>(i);
  for (const int i : small) slots_[at(i)] = weights[i] > 0.0 ? static_cast<std::uint64_t>(i) : heaviest;
  for (int i = 0; i < size && !brief_.empty(); ++i) {
    const std::uint64_t slot = slots_[at(i)];
    brief_[at(i)] = static_cast<std::uint16_t>(slot >> 56 << 8 | (slot & 0xff));
  }
}

}  // namespace kirchhoff::sample
