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

template <class Visit>
void for_each_key(const std::vector<Encoded>& sentences, const std::vector<Candidates>& candidates,
                  const Templates& templates, const Visit& visit) {
  FeatureKeys features(templates);
  std::vector<std::uint64_t> keys;
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    features.read(sentences[i]);
    for_each_arc(candidates[i], [&](int h, int d) {
      keys.clear();
      features.append({h, d}, keys);
      visit(keys);
    });
  }
}

}  // namespace

std::vector<std::uint64_t> candidate_features(const std::vector<Encoded>& sentences,
                                              const std::vector<Candidates>& candidates, const Templates& templates,
                                              int least) {
  std::vector<std::uint8_t> counters(least > 1 ? kCounters : 0);
  if (least > 1) {
    for_each_key(sentences, candidates, templates, [&](const std::vector<std::uint64_t>& keys) {
      for (const std::uint64_t key : keys) __builtin_prefetch(&counters[counter_of(key)], 1);
      for (const std::uint64_t key : keys) {
        std::uint8_t& counter = counters[counter_of(key)];
        counter += counter < kFull ? 1 : 0;
      }
    });
  }
  const auto enough = static_cast<std::uint8_t>(std::min(least, int{kFull}));
  FeatureIndex index;
  std::vector<std::uint32_t> counts;
  for_each_key(sentences, candidates, templates, [&](std::vector<std::uint64_t>& keys) {
    if (least > 1) {
      for (const std::uint64_t key : keys) __builtin_prefetch(&counters[counter_of(key)]);
      std::erase_if(keys, [&](std::uint64_t key) { return counters[counter_of(key)] < enough; });
    }
    for (const std::uint64_t key : keys) index.prefetch(key);
    for (const std::uint64_t key : keys) {
      const std::uint32_t f = index.insert(key);
      counts.resize(index.size());
      ++counts[f];
    }
  });
  std::vector<std::uint64_t> frequent;
  for (std::uint32_t f = 0; f < index.size(); ++f) {
    if (counts[f] >= static_cast<std::uint32_t>(least)) frequent.push_back(index.keys()[f]);
  }
  return frequent;
}

}  // namespace kirchhoff::parser
