// Look-ups in both hash tables, and the making of the compact one.
#include "parser/weights/feature_index.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>

namespace kirchhoff::parser {
namespace {

constexpr std::size_t kLeastSlots = 16;

/// The value of slot k if it is the one looked for, else 0. There is no branch, so that eight are done at once.
std::uint32_t selected(const Bucket& bucket, std::size_t k, std::uint32_t check) {
  return bucket.value[k] & (0U - static_cast<std::uint32_t>(bucket.check[k] == check));
}

/// Buckets `begin`, `begin` + 1, ..., round the end of the table.
struct Stretch {
  std::size_t begin = 0, length = 0;
};

/// Cuts the table into stretches such that each key will lie in the stretch that it belongs to. How many keys a bucket
/// passes on to the next one does not depend on their order; a stretch begins where none are.
std::vector<Stretch> stretches(std::span<const std::uint64_t> keys, std::size_t size, std::size_t most) {
  std::vector<std::uint32_t> belong(size);
  for (const std::uint64_t key : keys) ++belong[BucketTable::home(key, size)];
  std::vector<std::size_t> cuts;
  std::size_t passed_on = 0;
  for (std::size_t i = 0; i < 2 * size; ++i) {  // After one round it is known what comes round the end.
    const std::size_t bucket = i < size ? i : i - size;
    if (i >= size && passed_on == 0 && bucket >= cuts.size() * size / most) cuts.push_back(bucket);
    passed_on = std::max(Bucket::kSlots, passed_on + belong[bucket]) - Bucket::kSlots;
  }
  std::vector<Stretch> all;
  for (std::size_t c = 0; c < cuts.size(); ++c) {
    all.push_back({cuts[c], (c + 1 < cuts.size() ? cuts[c + 1] : cuts[0] + size) - cuts[c]});
  }
  return all;
}

/// Puts in the keys that belong to a stretch, in their order.
void fill(Buckets& buckets, const Stretch& stretch, std::span<const std::uint64_t> keys,
          std::span<const std::uint32_t> values) {
  constexpr std::size_t kTogether = 32;
  std::array<std::size_t, kTogether> found{};  // Numbers of keys whose buckets are on their way from memory.
  std::size_t count = 0;
  const auto put = [&](std::size_t k) {
    std::size_t i = BucketTable::home(keys[k], buckets.size());
    while (buckets[i].full()) i = (i + 1) % buckets.size();
    Bucket& bucket = buckets[i];
    const auto slot =
        static_cast<std::size_t>(std::find(bucket.check.begin(), bucket.check.end(), 0U) - bucket.check.begin());
    bucket.check[slot] = BucketTable::check_of(keys[k]);
    bucket.value[slot] = values[k];
  };
  for (std::size_t k = 0; k < keys.size(); ++k) {
    const std::size_t home = BucketTable::home(keys[k], buckets.size());
    const std::size_t offset = home >= stretch.begin ? home - stretch.begin : home + buckets.size() - stretch.begin;
    if (offset >= stretch.length) continue;
    __builtin_prefetch(&buckets[home], 1);
    found[count++] = k;
    if (count < kTogether) continue;
    for (const std::size_t f : found) put(f);
    count = 0;
  }
  for (const std::size_t f : std::span(found).first(count)) put(f);
}

/// Whether two slots of one bucket have the same check. Free slots are equal, so zeros do not count.
bool repeats_itself(const Bucket& bucket) {
  const auto& c = bucket.check;
  std::uint32_t equal = 0;
  for (std::size_t shift = 1; shift <= Bucket::kSlots / 2; ++shift) {
    for (std::size_t k = 0; k < Bucket::kSlots; ++k) {
      const std::uint32_t same = c[k] == c[(k + shift) % Bucket::kSlots] ? c[k] : 0;  // Without a branch: a vector.
      equal |= same;
    }
  }
  return equal != 0;
}

bool have_common(const Bucket& a, const Bucket& b) {
  return std::any_of(a.check.begin(), a.check.end(), [&](std::uint32_t check) {
    return check != 0 && std::find(b.check.begin(), b.check.end(), check) != b.check.end();
  });
}

bool is_unambiguous(std::span<const Bucket> buckets, std::size_t first, std::size_t last) {
  for (std::size_t i = first; i < last; ++i) {
    if (repeats_itself(buckets[i])) return false;
    for (std::size_t next = i; buckets[next].full();) {  // A key of this bucket may lie in those that follow.
      next = next + 1 == buckets.size() ? 0 : next + 1;
      if (have_common(buckets[i], buckets[next])) return false;
    }
  }
  return true;
}

}  // namespace

bool has_short_runs(std::span<const Bucket> buckets) {
  std::size_t run = 0;  // It goes round the end, so the first buckets are looked at twice.
  for (std::size_t i = 0; i < buckets.size() + std::min(buckets.size(), kLongestRun + 1); ++i) {
    run = buckets[i < buckets.size() ? i : i - buckets.size()].full() ? run + 1 : 0;
    if (run > kLongestRun) return false;
  }
  return std::any_of(buckets.begin(), buckets.end(), [](const Bucket& b) { return !b.full(); });
}

bool is_unambiguous(std::span<const Bucket> buckets) { return is_unambiguous(buckets, 0, buckets.size()); }

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

Buckets make_buckets(std::span<const std::uint64_t> keys, std::span<const std::uint32_t> values, base::Crew& crew,
                     double filled) {
  constexpr std::size_t kWorthwhile = 1000;  // buckets for each thread
  const auto slots = static_cast<std::size_t>(static_cast<double>(keys.size()) / filled);
  for (std::size_t size = slots / Bucket::kSlots + 1;; size += size / 8 + 1) {
    Buckets buckets(size);
    const std::size_t threads = std::min(static_cast<std::size_t>(crew.threads()), size / kWorthwhile);
    const std::vector<Stretch> all = threads < 2 ? std::vector<Stretch>{{0, size}} : stretches(keys, size, threads);
    crew.loop(all.size(), [&](std::size_t s) { fill(buckets, all[s], keys, values); });
    if (!has_short_runs(buckets)) continue;
    std::atomic<bool> unambiguous{true};
    crew.loop(all.size(), [&](std::size_t s) {
      if (!is_unambiguous(buckets, size * s / all.size(), size * (s + 1) / all.size())) unambiguous = false;
    });
    if (unambiguous) return buckets;
  }
}

Buckets make_numbering(std::span<const std::uint64_t> keys, base::Crew& crew) {
  std::vector<std::uint32_t> numbers(keys.size());
  std::iota(numbers.begin(), numbers.end(), 1U);
  return make_buckets(keys, numbers, crew);
}

std::uint32_t BucketTable::find(std::uint64_t key) const {
  std::uint32_t found = 0;
  look(key, [&](const Bucket& bucket, std::uint32_t check) {
    for (std::size_t k = 0; k < Bucket::kSlots; ++k) found |= selected(bucket, k, check);
  });
  return found;
}

std::size_t BucketTable::place(std::uint64_t key) const {
  std::size_t found = 0;
  look(key, [&](const Bucket& bucket, std::uint32_t check) {
    const auto first = static_cast<std::size_t>(&bucket - buckets_.data()) * Bucket::kSlots;
    for (std::size_t k = 0; k < Bucket::kSlots; ++k) {
      if (bucket.check[k] == check) found = first + k + 1;
    }
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

}  // namespace kirchhoff::parser
