// Counts features in shards, which are the keys that begin with the same bits: threads find keys and sort them into
// shards, and then each shard is counted by one thread, in the order of the sentences. Small tables are faster, too.
#include "parser/training/frequent_features.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace kirchhoff::parser {
namespace {

constexpr std::size_t kShards = 16;
constexpr std::size_t kPiece = 64;   // sentences of one task
constexpr std::size_t kPieces = 64;  // tasks before shards are counted: their keys are in memory

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
  for (std::size_t begin = 0; begin < count; begin += kPiece * kPieces) {
    const std::size_t end = std::min(count, begin + kPiece * kPieces), pieces = (end - begin + kPiece - 1) / kPiece;
    std::vector<Shards> found(pieces);
    std::vector<std::uint64_t> sizes(pieces);
    crew.loop(pieces, [&](std::size_t piece) {
      const KeysOf keys_of = make();
      std::vector<std::uint64_t> keys;
      for (std::size_t i = begin + piece * kPiece; i < std::min(end, begin + (piece + 1) * kPiece); ++i) {
        keys.clear();
        keys_of(i, keys);
        for (const std::uint64_t key : keys) found[piece][shard_of(key)].push_back({key, sizes[piece]++});
      }
    });
    crew.loop(kShards, [&](std::size_t shard) {
      std::uint64_t base = before;
      for (std::size_t piece = 0; piece < pieces; ++piece) {
        counted[shard].add(found[piece][shard], base);
        base += sizes[piece];
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
