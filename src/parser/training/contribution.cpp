// Counting sort by shard: items are counted as they come.
#include "parser/training/contribution.hpp"

#include <algorithm>
#include <numeric>

namespace kirchhoff::parser {

void Contribution::clear() {
  size_ = 0;
  counts_ = {};
  begin_ = {};
}

void Contribution::add(std::span<const std::uint32_t> features, float amount) {
  const std::size_t needed = size_ + features.size();
  if (items_.size() < needed) items_.resize(2 * needed);
  for (const std::uint32_t f : features) {
    items_[size_++] = {f, amount};
    ++counts_[shard_of(f)];
  }
}

void Contribution::sort() {
  std::partial_sum(counts_.begin(), counts_.end(), begin_.begin() + 1);
  if (sorted_.size() < size_) sorted_.resize(items_.size());
  std::array<std::uint32_t, kShards> next{};
  std::copy(begin_.begin(), begin_.end() - 1, next.begin());
  for (const Item& item : items()) sorted_[next[shard_of(item.feature)]++] = item;
}

}  // namespace kirchhoff::parser
