// Computes random numbers a few blocks at a time.
#include "base/random.hpp"

#include <Random123/philox.h>

namespace kirchhoff::base {

void Random::refill() {
  using Generator = r123::Philox4x64_R<7>;  // 7 rounds pass BigCrush; the default of 10 is for margin [Salmon11]
  const Generator::key_type key{{seed_, 0}};
  const std::size_t blocks = filled_ == 0 ? 1 : kBlocks;  // many streams are short
  for (std::size_t b = 0; b < blocks; ++b) {
    const auto block = Generator()({{counter_[0], counter_[1], counter_[2], counter_[3]}}, key);
    ++counter_[0];
    for (std::size_t i = 0; i < 4; ++i) buffer_[4 * b + i] = block[i];
  }
  filled_ = 4 * blocks;
  next_ = 0;
}

}  // namespace kirchhoff::base
