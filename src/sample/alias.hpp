// Alias tables [Walker77, Vose91]: a draw from n weights by one multiplication, one look-up and one comparison.
#pragma once

#include <cstdint>
#include <vector>

namespace kirchhoff::sample {

/// Draws from the tables made below. It is a view, small enough to be copied into registers.
struct AliasDraws {
  const std::uint64_t* slots;
  const std::uint16_t* brief;  ///< used for size <= 256
  std::uint64_t rows, size;

  /// Draws by 64 random bits. There is no branch on own or alias, because which one it is cannot be predicted.
  std::uint64_t draw(std::uint64_t row, std::uint64_t bits) const {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(bits) * size;
    const auto slot = static_cast<std::uint64_t>(product >> 64), fraction = static_cast<std::uint64_t>(product);
    const std::uint64_t at = slot * rows + row;
    if (size <= 256) {
      const std::uint64_t entry = brief[at], level = fraction >> 48 | 0xff, alias = entry & 0xff;
      const auto own = static_cast<std::uint64_t>(static_cast<std::int64_t>(level - entry) >> 63);  // all bits or none
      if ((level ^ entry) > 0xff) [[likely]]
        return alias ^ ((alias ^ slot) & own);
    }
    const std::uint64_t entry = slots[at];
    return fraction >> 16 < entry >> 16 ? slot : entry & 0xffff;
  }
};

/// One table for each row, all of the same size <= 65536. A slot is chosen evenly; it stands for itself with
/// probability cut / 2^48, else for its alias. Both are packed into 64 bits. Tables of up to 256 slots have a second
/// form, the first 8 bits of each cut and the alias: those of 100 words then fit into half a first-level cache, and
/// once in 256 draws the other bits are looked up. Slots lie one after the other, each with all rows, because a walk
/// waits for the row, which the draw before tells, and so it is only added to the place of the slot.
class AliasTables {
 public:
  AliasTables(int rows, int size)
      : rows_(static_cast<std::uint64_t>(rows)),
        size_(static_cast<std::uint64_t>(size)),
        slots_(rows_ * size_),
        brief_(size <= 256 ? slots_.size() : 0) {}

  /// Sets the table of a row from weights >= 0 that are not all 0.
  void set(int row, const double* weights);

  AliasDraws draws() const { return {slots_.data(), brief_.data(), rows_, size_}; }

 private:
  std::uint64_t rows_, size_;
  std::vector<std::uint64_t> slots_;
  std::vector<std::uint16_t> brief_;
};

}  // namespace kirchhoff::sample
