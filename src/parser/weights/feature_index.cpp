// Look-ups in both hash tables, and the making of the compact one.
#include "parser/weights/feature_index.hpp"

#include <algorithm>
#include <numeric>

namespace kirchhoff::parser {
namespace {

constexpr std::size_t kLeastSlots = 16;

/// The value of slot k if it is the one looked for, else 0. There is no branch, so that eight are done at once.
std::uint32_t selected(const Bucket& bucket, std::size_t k, std::uint32_t check) {
  return bucket.value[k] & (0U - static_cast<std::uint32_t>(bucket.check[k] == check));
}

void fill(Buckets& buckets, std::span<const std::uint64_t> keys, std::span<const std::uint32_t> values) {
  for (std::size_t k = 0; k < keys.size(); ++k) {
    std::size_t i = BucketTable::home(keys[k], buckets.size());
    while (buckets[i].full()) i = (i + 1) % buckets.size();
    Bucket& bucket = buckets[i];
    const auto slot =
        static_cast<std::size_t>(std::find(bucket.check.begin(), bucket.check.end(), 0U) - bucket.check.begin());
    bucket.check[slot] = BucketTable::check_of(keys[k]);
    bucket.value[slot] = values[k];
  }
}

}  // namespace

std::size_t FeatureIndex::slot(std::uint64_t key) const {
  const auto half = static_cast<std::uint32_t>(key);
  const auto other = [&](const Slot& s) { return s.place != 0 && (s.half != half || keys_[s.place - 1] != key); };
  std::size_t i = home(key);
  while (other(slots_[i])) i = (i + 1) & (slots_.size() - 1);
  return i;
}

std::uint32_t FeatureIndex::find(std::uint64_t key) const {
  return slots_.empty() ? kAbsent : slots_[slot(key)].place - 1;  // 0 - 1 is kAbsent.
}

std::uint32_t FeatureIndex::insert(std::uint64_t key) {
  if (2 * keys_.size() >= slots_.size()) grow();
  Slot& entry = slots_[slot(key)];
  if (entry.place == 0) {
    keys_.push_back(key);
    entry = {static_cast<std::uint32_t>(key), size()};
  }
  return entry.place - 1;
}

void FeatureIndex::grow() {
  const std::size_t size_now = slots_.size();
  slots_ = {};  // They go before the new ones come, because this is where training needs the most memory.
  slots_.assign(std::max(kLeastSlots, 2 * size_now), {});
  for (std::uint32_t i = 0; i < size(); ++i) slots_[slot(keys_[i])] = {static_cast<std::uint32_t>(keys_[i]), i + 1};
}

void FeatureCounter::add(std::span<const std::uint64_t> keys) {
  for (const std::uint64_t key : keys) index_.prefetch(key);
  for (const std::uint64_t key : keys) {
    const std::uint32_t f = index_.insert(key);
    if (f == counts_.size()) counts_.push_back(0);
    ++counts_[f];
  }
}

FeatureIndex FeatureCounter::at_least(int count) const {
  FeatureIndex kept;
  for (std::uint32_t f = 0; f < index_.size(); ++f) {
    if (counts_[f] >= static_cast<std::uint32_t>(count)) kept.insert(index_.keys()[f]);
  }
  return kept;
}

Buckets make_buckets(std::span<const std::uint64_t> keys, std::span<const std::uint32_t> values) {
  const std::size_t half_full = keys.size() * 2 / Bucket::kSlots + 1;  // One bucket in twenty is full then.
  for (std::size_t size = half_full;; size += size / 8 + 1) {
    Buckets buckets(size);
    fill(buckets, keys, values);
    const BucketTable table(buckets);
    const auto is_unique = [&](std::uint64_t key) { return table.matches(key) == 1; };
    if (std::all_of(keys.begin(), keys.end(), is_unique)) return buckets;
  }
}

std::uint32_t BucketTable::find(std::uint64_t key) const {
  std::uint32_t found = 0;
  look(key, [&](const Bucket& bucket, std::uint32_t check) {
    for (std::size_t k = 0; k < Bucket::kSlots; ++k) found |= selected(bucket, k, check);
  });
  return found;
}

float BucketTable::sum(std::span<const std::uint64_t> keys) const {
  std::array<float, Bucket::kSlots> sums{};
  for (const std::uint64_t key : keys) {
    look(key, [&](const Bucket& bucket, std::uint32_t check) {
      for (std::size_t k = 0; k < Bucket::kSlots; ++k) {
        sums[k] += std::bit_cast<float>(selected(bucket, k, check));
      }
    });
  }
  return std::accumulate(sums.begin(), sums.end(), 0.0F);
}

int BucketTable::matches(std::uint64_t key) const {
  int count = 0;
  look(key, [&](const Bucket& bucket, std::uint32_t check) {
    count += static_cast<int>(std::count(bucket.check.begin(), bucket.check.end(), check));
  });
  return count;
}

}  // namespace kirchhoff::parser
