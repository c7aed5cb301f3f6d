// Alias tables [Walker77, Vose91]: a draw from n weights by one multiplication, one look-up and one comparison.
#pragma once

#include <cstdint>
#include <vector>

namespace kirchhoff::sample {

/// One table per row, all of the same size <= 65536. A slot is chosen evenly; it stands for itself with probability
/// cut / 2^48, else for its alias. Both are packed into 64 bits. Tables of up to 256 slots have a second form, the
/// first 24 bits of each cut and the alias: those of 100 words then fit into a first-level cache, and once in 2^24
/// draws the other bits are looked up.
class AliasTables {
 public:
  AliasTables(int rows, int size)
      : size_(static_cast<std::uint64_t>(size)),
        slots_(static_cast<std::size_t>(rows) * size),
        short_(size <= 256 ? slots_.size() : 0) {}

  /// weights >= 0, not all 0.
  void set(int row, const double* weights);

  /// bits: 64 random ones.
  int draw(int row, std::uint64_t bits) const {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(bits) * size_;
    const auto slot = static_cast<std::uint64_t>(product >> 64), fraction = static_cast<std::uint64_t>(product);
    const std::uint64_t at = static_cast<std::uint64_t>(row) * size_ + slot;
    if (size_ <= 256) {
      const std::uint64_t entry = short_[at], cut = entry >> 8;
      if (fraction >> 40 != cut) [[likely]]
        return choose(fraction >> 40 < cut, slot, entry & 0xff);
    }
    const std::uint64_t entry = slots_[at];
    return choose(fraction >> 16 < entry >> 16, slot, entry & 0xffff);
  }

 private:
  /// Without a branch: which one it is cannot be predicted.
  static int choose(bool own, std::uint64_t slot, std::uint64_t alias) {
    return static_cast<int>(alias ^ ((alias ^ slot) & -static_cast<std::uint64_t>(own)));
  }

  std::uint64_t size_;
  std::vector<std::uint64_t> slots_;
  std::vector<std::uint32_t> short_;
};

}  // namespace kirchhoff::sample
