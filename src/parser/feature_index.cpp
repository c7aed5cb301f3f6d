#include "parser/feature_index.hpp"

#include <algorithm>

namespace kirchhoff::parser {
namespace {

constexpr std::size_t kLeastSlots = 16;

/// False when two keys cannot be told apart.
bool fill(std::vector<Slot>& slots, std::span<const std::uint64_t> keys, std::span<const std::uint32_t> values) {
  const int shift = 64 - std::countr_zero(slots.size());
  const std::size_t mask = slots.size() - 1;
  for (std::size_t k = 0; k < keys.size(); ++k) {
    const std::uint32_t check = SlotTable::check_of(keys[k]);
    std::size_t i = keys[k] >> shift;
    for (; slots[i].check != 0; i = (i + 1) & mask) {
      if (slots[i].check == check) return false;
    }
    slots[i] = {check, values[k]};
  }
  return true;
}

}  // namespace

std::size_t FeatureIndex::slot(std::uint64_t key) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t i = (key >> 20) & mask;
  while (slots_[i] != 0 && keys_[slots_[i] - 1] != key) i = (i + 1) & mask;
  return i;
}

std::uint32_t FeatureIndex::find(std::uint64_t key) const {
  return slots_.empty() ? kAbsent : slots_[slot(key)] - 1;  // 0 - 1 is kAbsent
}

std::uint32_t FeatureIndex::insert(std::uint64_t key) {
  if (2 * keys_.size() >= slots_.size()) grow();
  std::uint32_t& entry = slots_[slot(key)];
  if (entry == 0) {
    keys_.push_back(key);
    entry = size();
  }
  return entry - 1;
}

void FeatureIndex::grow() {
  slots_.assign(std::max(kLeastSlots, 4 * slots_.size()), 0);
  for (std::uint32_t i = 0; i < size(); ++i) slots_[slot(keys_[i])] = i + 1;
}

std::vector<Slot> make_slots(std::span<const std::uint64_t> keys, std::span<const std::uint32_t> values) {
  for (std::size_t size = std::max(kLeastSlots, std::bit_ceil(keys.size() * 5 / 4 + 1));; size *= 2) {
    std::vector<Slot> slots(size);
    if (fill(slots, keys, values)) return slots;
  }
}

}  // namespace kirchhoff::parser
