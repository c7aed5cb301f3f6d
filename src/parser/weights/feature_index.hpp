// Hash tables of features: one that grows while training, and a compact immutable one that lies in the model file.
//
// Both use open addressing with linear probing and keep what is needed to tell keys apart. A look-up in the compact one
// costs one cache miss, which prefetch() hides when many are asked for together.
#pragma once

#include "base/buffer.hpp"
#include "base/crew.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace kirchhoff::parser {

/// Numbers 64-bit keys 0, 1, 2, ... in the order of their insertion.
class FeatureIndex {
 public:
  static constexpr std::uint32_t kAbsent = ~std::uint32_t{0};

  std::uint32_t insert(std::uint64_t key);
  std::uint32_t find(std::uint64_t key) const;
  void prefetch(std::uint64_t key) const {
    if (!slots_.empty()) __builtin_prefetch(&slots_[home(key)]);
  }
  std::uint32_t size() const { return static_cast<std::uint32_t>(keys_.size()); }
  /// keys()[i] is the key of index i.
  const std::vector<std::uint64_t>& keys() const { return keys_; }

 private:
  /// A slot has half of the key, so that few others have to be looked up in keys_, and its index + 1; 0 means free.
  struct Slot {
    std::uint32_t half = 0;
    std::uint32_t place = 0;
  };
  std::size_t home(std::uint64_t key) const { return (key >> 20) & (slots_.size() - 1); }
  std::size_t slot(std::uint64_t key) const;
  void grow();

  std::vector<Slot> slots_;
  std::vector<std::uint64_t> keys_;
};

/// A cache line of the model file's table. A key lies in the bucket its high bits name or, when that is full, in the
/// next one; which bucket and `check` together are 32 + log2(buckets) bits of the key.
struct Bucket {
  static constexpr std::size_t kSlots = 8;
  std::array<std::uint32_t, kSlots> check{};  ///< 0 means free; slots are filled from the front.
  std::array<std::uint32_t, kSlots> value{};

  bool full() const { return check.back() != 0; }
};

/// Each bucket is one cache line. Memory from malloc would let it lie across two, of which prefetch() brings the first.
using Buckets = std::vector<Bucket, base::CacheAlignedAllocator<Bucket>>;
inline constexpr std::size_t kLongestRun = 32;  ///< One bucket in twenty is full; 32 in a row are once in 1e21.
/// Whether every look-up ends soon: there are buckets, and no more than kLongestRun full ones in a row.
bool has_short_runs(std::span<const Bucket> buckets);
/// Whether no two slots that one look-up meets have the same `check`, so that it finds one value. Needs short runs.
bool is_unambiguous(std::span<const Bucket> buckets);
/// The table that the keys make one after the other, whatever the number of threads. Keys can be told apart by what the
/// buckets keep of them, because the table grows until they can. `filled` is the share of slots that are taken: more of
/// them make the table smaller, and look-ups go on in the next bucket more often.
inline constexpr double kHalf = 0.5;  ///< One bucket in twenty is full then.
Buckets make_buckets(std::span<const std::uint64_t> keys, std::span<const std::uint32_t> values, base::Crew& crew,
                     double filled = kHalf);
/// The same with the values 1, 2, 3, ...
Buckets make_numbering(std::span<const std::uint64_t> keys, base::Crew& crew);

/// Looks at whole buckets, without branches that depend on the key: half of all features are absent, and a wrong guess
/// of the processor costs more than eight comparisons.
class BucketTable {
 public:
  BucketTable() = default;
  /// The buckets must have short runs and, for find(), be unambiguous. There must be fewer than 2^32 of them.
  explicit BucketTable(std::span<const Bucket> buckets) : buckets_(buckets) {}

  std::span<const Bucket> buckets() const { return buckets_; }
  /// The bucket where a key belongs: its high half, scaled from [0, 2^32) to [0, buckets).
  static std::size_t home(std::uint64_t key, std::size_t buckets) { return (key >> 32) * buckets >> 32; }
  void prefetch(std::uint64_t key) const { __builtin_prefetch(&buckets_[home(key, buckets_.size())]); }
  void prefetch(std::span<const std::uint64_t> keys) const {
    for (const std::uint64_t key : keys) prefetch(key);
  }
  /// The value of a key; 0 when it is absent.
  std::uint32_t find(std::uint64_t key) const;
  /// 1 + the number of the key's slot, which counts kSlots for each bucket before it; 0 when it is absent.
  std::size_t place(std::uint64_t key) const;
  /// The sum of the values of the keys, which are the bits of floats.
  float sum(std::span<const std::uint64_t> keys) const;

  static std::uint32_t check_of(std::uint64_t key) {
    const auto check = static_cast<std::uint32_t>(key);
    return check == 0 ? 1 : check;
  }

 private:
  /// Calls visit(bucket, check) for the buckets that may hold the key.
  template <class Visit>
  void look(std::uint64_t key, const Visit& visit) const {
    const std::uint32_t check = check_of(key);
    std::size_t i = home(key, buckets_.size());
    for (visit(buckets_[i], check); buckets_[i].full(); visit(buckets_[i], check)) {
      if (++i == buckets_.size()) i = 0;
    }
  }

  std::span<const Bucket> buckets_;
};

}  // namespace kirchhoff::parser
