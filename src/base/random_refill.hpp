// Computes random numbers a few blocks at a time. This is apart from random.hpp for kernels, which compile it for their
// instruction sets: those of later processors have a faster multiplication.
#pragma once

#include "base/random.hpp"

#include <Random123/philox.h>

namespace kirchhoff::base {

struct RandomAccess {
  static void refill(Random& random) {
    using Generator = r123::Philox4x64_R<7>;  // 7 rounds pass BigCrush; the default of 10 is for margin [Salmon11]
    const Generator::key_type key{{random.seed_, 0}};
    auto& counter = random.counter_;
    const std::size_t blocks = random.filled_ == 0 ? 1 : Random::kBlocks;  // many streams are short
    for (std::size_t b = 0; b < blocks; ++b) {
      const auto block = Generator()({{counter[0], counter[1], counter[2], counter[3]}}, key);
      ++counter[0];
      for (std::size_t i = 0; i < 4; ++i) random.buffer_[4 * b + i] = block[i];
    }
    random.filled_ = 4 * blocks;
    random.next_ = 0;
  }
};

}  // namespace kirchhoff::base
