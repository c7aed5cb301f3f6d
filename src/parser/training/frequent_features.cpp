// Counts features in shards, which are the keys that begin with the same bits: threads find keys and sort them into
// shards, and then each shard is counted by one thread, in the order of the sentences. Small tables are faster, too.
#include "parser/training/frequent_features.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace kirchhoff::parser {
namespace {

constexpr std::size_t kShards = 16;
constexpr std::size_t kTogether = 4096;  // sentences before shards are counted: their keys are in memory

std::size_t shard_of(std::uint64_t key) { return key >> 60; }

/// A key, and how many came before it.
struct Occurrence {
  std::uint64_t key;
  std::uint64_t place;
};
using Shards = std::array<std::vector<Occurrence>, kShards>;

struct Counted {
  FeatureIndex index;
  std::vector<std::uint32_t> counts;
  std::vector<std::uint64_t> places;  // of the first occurrences

  void add(const std::vector<Occurrence>& some, std::uint64_t base) {
    constexpr std::size_t kAhead = 16;
    for (std::size_t i = 0; i < some.size(); ++i) {
      if (i + kAhead < some.size()) index.prefetch(some[i + kAhead].key);
      const std::uint32_t f = index.insert(some[i].key);
      if (f == counts.size()) {
        counts.push_back(0);
        places.push_back(base + some[i].place);
      }
      ++counts[f];
    }
  }
};

}  // namespace

FeatureIndex frequent_features(std::size_t count, const std::function<KeysOf()>& make, int least, base::Crew& crew) {
  std::array<Counted, kShards> counted;
  std::uint64_t before = 0;
  for (std::size_t begin = 0; begin < count; begin += kTogether) {
    const std::size_t some = std::min(kTogether, count - begin), chunks = base::Crew::chunk_count(some);
    std::vector<Shards> found(chunks);
    std::vector<std::uint64_t> sizes(chunks);
    crew.chunks(some, [&](std::size_t first, std::size_t last) {
      const std::size_t chunk = first / base::Crew::kChunk;
      const KeysOf keys_of = make();
      std::vector<std::uint64_t> keys;
      for (std::size_t i = first; i < last; ++i) {
        keys.clear();
        keys_of(begin + i, keys);
        for (const std::uint64_t key : keys) found[chunk][shard_of(key)].push_back({key, sizes[chunk]++});
      }
    });
    crew.loop(kShards, [&](std::size_t shard) {
      std::uint64_t base = before;
      for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
        counted[shard].add(found[chunk][shard], base);
        base += sizes[chunk];
      }
    });
    for (const std::uint64_t size : sizes) before += size;
  }
  std::vector<std::pair<std::uint64_t, std::uint64_t>> often;  // place and key
  for (const Counted& shard : counted) {
    for (std::uint32_t f = 0; f < shard.index.size(); ++f) {
      if (shard.counts[f] >= static_cast<std::uint32_t>(least)) {
        often.emplace_back(shard.places[f], shard.index.keys()[f]);
      }
    }
  }
  std::sort(often.begin(), often.end());
  FeatureIndex index;
  for (const auto& [place, key] : often) index.insert(key);
  return index;
}

}  // namespace kirchhoff::parser
