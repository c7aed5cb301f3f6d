// Hash tables of features: one that grows while training, and a compact immutable one that lies in the model file.
//
// Both are open addressing with linear probing and keep what is needed to tell keys apart; look-ups cost one cache
// miss, which prefetch() hides when many are asked for together.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace kirchhoff::parser {

/// 64-bit keys to 0, 1, 2, ... in the order of insertion.
class FeatureIndex {
 public:
  static constexpr std::uint32_t kAbsent = ~std::uint32_t{0};

  std::uint32_t insert(std::uint64_t key);
  std::uint32_t find(std::uint64_t key) const;
  void prefetch(std::uint64_t key) const {
    if (!slots_.empty()) __builtin_prefetch(&slots_[(key >> 20) & (slots_.size() - 1)]);
  }
  std::uint32_t size() const { return static_cast<std::uint32_t>(keys_.size()); }
  /// keys()[i] is the key of index i.
  const std::vector<std::uint64_t>& keys() const { return keys_; }

 private:
  std::size_t slot(std::uint64_t key) const;
  void grow();

  std::vector<std::uint32_t> slots_;  ///< index + 1; 0: free
  std::vector<std::uint64_t> keys_;
};

/// A slot of the model file's table. The place in the table and `check` together are 32 + log2(slots) bits of the key.
struct Slot {
  std::uint32_t check = 0;  ///< 0: free
  std::uint32_t value = 0;
};

/// All keys differ in what a slot keeps: the table is doubled until that is so.
std::vector<Slot> make_slots(std::span<const std::uint64_t> keys, std::span<const std::uint32_t> values);

class SlotTable {
 public:
  SlotTable() = default;
  /// The number of slots is a power of two, and at least one is free.
  explicit SlotTable(std::span<const Slot> slots)
      : slots_(slots), shift_(64 - std::countr_zero(slots.size())), mask_(slots.size() - 1) {}

  void prefetch(std::uint64_t key) const { __builtin_prefetch(&slots_[key >> shift_]); }
  /// `absent` when there is none.
  std::uint32_t find(std::uint64_t key, std::uint32_t absent) const {
    const std::uint32_t check = check_of(key);
    for (std::size_t i = key >> shift_;; i = (i + 1) & mask_) {
      if (slots_[i].check == check) return slots_[i].value;
      if (slots_[i].check == 0) return absent;
    }
  }
  static std::uint32_t check_of(std::uint64_t key) {
    const auto check = static_cast<std::uint32_t>(key);
    return check == 0 ? 1 : check;
  }

 private:
  std::span<const Slot> slots_;
  int shift_ = 0;
  std::size_t mask_ = 0;
};

}  // namespace kirchhoff::parser
