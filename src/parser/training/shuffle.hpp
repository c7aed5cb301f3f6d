// The order of the sentences in an epoch, which is a function of seed and epoch.
#pragma once

#include "base/random.hpp"

#include <numeric>
#include <utility>
#include <vector>

namespace kirchhoff::parser {

inline std::vector<std::size_t> shuffled(std::size_t count, std::uint64_t seed, int epoch, std::uint64_t purpose) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  base::Random random(seed, static_cast<std::uint64_t>(epoch), purpose);
  for (std::size_t i = count; i > 1; --i) {
    const auto j = static_cast<std::size_t>(random.uniform() * static_cast<double>(i));
    std::swap(order[i - 1], order[j]);
  }
  return order;
}

}  // namespace kirchhoff::parser
