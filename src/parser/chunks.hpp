// Loops over sentences whose bodies need storage of their own, such as a Parser.
#pragma once

#include "kirchhoff/batch.hpp"

#include <algorithm>

namespace kirchhoff::parser {

/// body(first, last) for pieces of 0 .. count - 1, in parallel; the pieces do not depend on the number of threads.
inline void parallel_chunks(std::size_t count, int threads, const std::function<void(std::size_t, std::size_t)>& body) {
  constexpr std::size_t kChunk = 64;
  parallel_for((count + kChunk - 1) / kChunk, threads,
               [&](std::size_t c) { body(c * kChunk, std::min(count, (c + 1) * kChunk)); });
}

}  // namespace kirchhoff::parser
