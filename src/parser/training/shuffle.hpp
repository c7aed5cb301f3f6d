// The order of the sentences in an epoch, which is a function of seed and epoch, and that of the tasks in a step.
#pragma once

#include "base/random.hpp"
#include "parser/features/encode.hpp"

#include <algorithm>
#include <numeric>
#include <span>
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

/// The places 0, 1, ... of a step's sentences. Long ones come first, so that the last ones to be done are short.
inline std::vector<std::size_t> longest_first(const std::vector<Encoded>& all, std::span<const std::size_t> sentences) {
  std::vector<std::size_t> places(sentences.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::stable_sort(places.begin(), places.end(),
                   [&](std::size_t a, std::size_t b) { return all[sentences[a]].words > all[sentences[b]].words; });
  return places;
}

}  // namespace kirchhoff::parser
