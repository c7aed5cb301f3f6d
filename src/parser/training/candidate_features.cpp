// Finds frequent features of candidates in two passes over the arcs. Without a pruner most features are seen once, and
// to keep all their keys takes gigabytes. So the first pass counts in a table of small counters, which several features
// may share, and the second one counts exactly those whose counter is large enough.
#include "parser/training/candidate_features.hpp"

#include "parser/weights/feature_index.hpp"

#include <algorithm>

namespace kirchhoff::parser {
namespace {

constexpr std::uint8_t kFull = 255;
constexpr std::size_t kCounters = std::size_t{1} << 26;

std::size_t counter_of(std::uint64_t key) { return (key >> 7) & (kCounters - 1); }

constexpr std::size_t kKeysAhead = 32;  // Memory is asked for this many keys ahead.

}  // namespace

std::vector<std::uint64_t> candidate_features(std::size_t count, const KeysOf& keys_of, int least) {
  std::vector<std::uint8_t> counters(least > 1 ? kCounters : 0);
  std::vector<std::uint64_t> keys;
  for (std::size_t i = 0; least > 1 && i < count; ++i) {
    keys.clear();
    keys_of(i, keys);
    for (std::size_t k = 0; k < keys.size(); ++k) {
      if (k + kKeysAhead < keys.size()) __builtin_prefetch(&counters[counter_of(keys[k + kKeysAhead])], 1);
      std::uint8_t& counter = counters[counter_of(keys[k])];
      counter += counter < kFull ? 1 : 0;
    }
  }
  const auto enough = static_cast<std::uint8_t>(std::min(least, int{kFull}));
  FeatureIndex index;
  std::vector<std::uint32_t> counts;
  for (std::size_t i = 0; i < count; ++i) {
    keys.clear();
    keys_of(i, keys);
    if (least > 1) {
      std::size_t kept = 0;
      for (std::size_t k = 0; k < keys.size(); ++k) {
        if (k + kKeysAhead < keys.size()) __builtin_prefetch(&counters[counter_of(keys[k + kKeysAhead])]);
        if (counters[counter_of(keys[k])] >= enough) keys[kept++] = keys[k];
      }
      keys.resize(kept);
    }
    for (std::size_t k = 0; k < keys.size(); ++k) {
      if (k + kKeysAhead < keys.size()) index.prefetch(keys[k + kKeysAhead]);
      const std::uint32_t f = index.insert(keys[k]);
      counts.resize(index.size());
      ++counts[f];
    }
  }
  std::vector<std::uint64_t> frequent;
  for (std::uint32_t f = 0; f < index.size(); ++f) {
    if (counts[f] >= static_cast<std::uint32_t>(least)) frequent.push_back(index.keys()[f]);
  }
  return frequent;
}

std::vector<std::uint64_t> candidate_features(const std::vector<Encoded>& sentences,
                                              const std::vector<Candidates>& candidates, const Templates& templates,
                                              int least) {
  FeatureKeys features(templates);
  return candidate_features(
      sentences.size(),
      [&](std::size_t i, std::vector<std::uint64_t>& keys) {
        features.read(sentences[i]);
        for_each_arc(candidates[i], [&](int h, int d) { features.append({h, d}, keys); });
      },
      least);
}

}  // namespace kirchhoff::parser
