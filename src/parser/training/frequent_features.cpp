// Counts features in shares, which are the keys that begin with the same bits: threads find keys and sort them into
// shares, and then each share is counted by one thread, in the order of the sentences. Small tables are faster, too. At
// the end the shares, each of which is in the order of first occurrence, are merged in as many pieces of that order.
#include "parser/training/frequent_features.hpp"

#include <algorithm>
#include <array>

namespace kirchhoff::parser {
namespace {

constexpr std::size_t kShares = 16;
constexpr std::size_t kTogether = 4096;  // sentences before shares are counted: their keys are in memory

std::size_t share_of(std::uint64_t key) { return key >> 60; }

/// A key, and how many came before it.
struct Occurrence {
  std::uint64_t key;
  std::uint64_t place;
};
using Shares = std::array<std::vector<Occurrence>, kShares>;

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

  /// Those that are seen often enough, in the order of their places.
  std::vector<Occurrence> frequent(int least) const {
    std::vector<Occurrence> often;
    for (std::uint32_t f = 0; f < index.size(); ++f) {
      if (counts[f] >= static_cast<std::uint32_t>(least)) often.push_back({index.keys()[f], places[f]});
    }
    return often;
  }
};

/// The keys of all shares by their places, which are below `end`.
std::vector<std::uint64_t> merged(const Shares& shares, std::uint64_t end, base::Crew& crew) {
  constexpr std::size_t kPieces = 64;
  const auto before = [](const Occurrence& o, std::uint64_t place) { return o.place < place; };
  std::array<std::vector<Occurrence>, kPieces> pieces;
  crew.loop(kPieces, [&](std::size_t piece) {
    std::vector<Occurrence>& own = pieces[piece];
    for (const std::vector<Occurrence>& share : shares) {
      const auto from = std::lower_bound(share.begin(), share.end(), piece * (end / kPieces), before);
      const auto to = piece + 1 == kPieces ? share.end()
                                           : std::lower_bound(from, share.end(), (piece + 1) * (end / kPieces), before);
      own.insert(own.end(), from, to);
    }
    std::sort(own.begin(), own.end(), [](const Occurrence& a, const Occurrence& b) { return a.place < b.place; });
  });
  std::vector<std::uint64_t> keys;
  for (const std::vector<Occurrence>& piece : pieces) {
    for (const Occurrence& o : piece) keys.push_back(o.key);
  }
  return keys;
}

}  // namespace

std::vector<std::uint64_t> frequent_features(std::size_t count, const std::function<KeysOf()>& make, int least,
                                             base::Crew& crew) {
  std::array<Counted, kShares> counted;
  std::uint64_t before = 0;
  for (std::size_t begin = 0; begin < count; begin += kTogether) {
    const std::size_t some = std::min(kTogether, count - begin), chunks = base::Crew::chunk_count(some);
    std::vector<Shares> found(chunks);
    std::vector<std::uint64_t> sizes(chunks);
    crew.chunks(some, [&](std::size_t first, std::size_t last) {
      const std::size_t chunk = first / base::Crew::kChunk;
      const KeysOf keys_of = make();
      std::vector<std::uint64_t> keys;
      for (std::size_t i = first; i < last; ++i) {
        keys.clear();
        keys_of(begin + i, keys);
        for (const std::uint64_t key : keys) found[chunk][share_of(key)].push_back({key, sizes[chunk]++});
      }
    });
    crew.loop(kShares, [&](std::size_t share) {
      std::uint64_t base = before;
      for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
        counted[share].add(found[chunk][share], base);
        base += sizes[chunk];
      }
    });
    for (const std::uint64_t size : sizes) before += size;
  }
  Shares often;
  crew.loop(kShares, [&](std::size_t share) {
    often[share] = counted[share].frequent(least);
    counted[share] = {};
  });
  return merged(often, before, crew);
}

}  // namespace kirchhoff::parser
