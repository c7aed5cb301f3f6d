// Alias tables [Walker77, Vose91]: a draw from n weights by one multiplication, one look-up and one comparison.
#pragma once

#include <cstdint>
#include <vector>

namespace kirchhoff::sample {

/// One table per row, all of the same size <= 65536. A slot is chosen evenly; it stands for itself with probability
/// cut / 2^48, else for its alias. Both are packed into 64 bits: a row of 100 words is 800 bytes.
class AliasTables {
 public:
  AliasTables(int rows, int size) : size_(size), slots_(static_cast<std::size_t>(rows) * size) {}

  /// weights >= 0, not all 0.
  void set(int row, const double* weights);

  /// bits: 64 random ones.
  int draw(int row, std::uint64_t bits) const {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(bits) * static_cast<std::uint64_t>(size_);
    const auto slot = static_cast<std::uint64_t>(product >> 64);
    const std::uint64_t entry = slots_[static_cast<std::uint64_t>(row) * size_ + slot];
    const std::uint64_t alias = entry & 0xffff;
    // Without a branch: which one it is cannot be predicted.
    const std::uint64_t own = -static_cast<std::uint64_t>((static_cast<std::uint64_t>(product) >> 16) < entry >> 16);
    return static_cast<int>(alias ^ ((alias ^ slot) & own));
  }

 private:
  std::uint64_t size_;
  std::vector<std::uint64_t> slots_;
};

}  // namespace kirchhoff::sample
