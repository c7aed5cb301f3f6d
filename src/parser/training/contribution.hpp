// What a sentence adds to the gradient of a batch. Whoever computes it also sorts it by shards of the weights, so that
// later each thread reads what belongs to its shards and nothing else.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kirchhoff::parser {

/// Weights are split into this many shards, whatever the number of threads.
inline constexpr std::size_t kShards = 16;
/// Neighbours are in one shard, so that two threads never write to one cache line.
inline std::size_t shard_of(std::uint32_t feature) { return (feature >> 6) % kShards; }

class Contribution {
 public:
  struct Item {
    std::uint32_t feature = 0;
    float amount = 0.0F;
  };

  /// Takes everything out; the memory is kept.
  void clear();
  /// Each of the features has `amount` as a part of its gradient.
  void add(std::span<const std::uint32_t> features, float amount);
  void add(std::uint32_t feature, float amount) {
    if (size_ == items_.size()) items_.resize(2 * size_ + 64);
    items_[size_++] = {feature, amount};
    ++counts_[shard_of(feature)];
  }
  /// To be called when all is there. Within a shard the order stays.
  void sort();

  /// All that was added, in that order.
  std::span<const Item> items() const { return std::span(items_).first(size_); }
  /// What belongs to one shard, after sort().
  std::span<const Item> of(std::size_t shard) const {
    return std::span(sorted_).subspan(begin_[shard], begin_[shard + 1] - begin_[shard]);
  }

 private:
  std::size_t size_ = 0;  ///< How many items count; there may be room left.
  std::vector<Item> items_, sorted_;
  std::array<std::uint32_t, kShards> counts_{};  ///< The number of items of each shard.
  std::array<std::uint32_t, kShards + 1> begin_{};
};

}  // namespace kirchhoff::parser
