// Wilson's walk without branches that cannot be predicted [Wilson96].
//
// The tree and the path of the walk are sets of nodes, in one or two machine words. A word that is met first keeps what
// the path was before it; met again, it takes the path back to there, which erases the loop. When the tree is met, the
// path becomes the tree and the next walk starts at the lowest node that is missing. All of it is selection between two
// values, so that a draw costs no misprediction; longer sentences mark the tree's words one by one.
#include "sample/kernels/wilson.hpp"

#include "base/random_refill.hpp"

#include <algorithm>
#include <bit>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sample/kernels/wilson.cpp"
#include "numeric/simd/highway.hpp"

HWY_BEFORE_NAMESPACE();
namespace kirchhoff::sample::HWY_NAMESPACE {
using std::uint64_t;

/// b when the mask has all bits, a when it has none.
HWY_INLINE uint64_t select(uint64_t mask, uint64_t b, uint64_t a) { return a ^ ((a ^ b) & mask); }

struct SmallSet {
  static constexpr int kSize = 64;
  uint64_t bits = 0;
  static SmallSet all_from(int node) { return {node < 64 ? ~uint64_t{0} << node : 0}; }
  void add(uint64_t node) { bits |= uint64_t{1} << node; }
  bool has(uint64_t node) const { return (bits >> node & 1) != 0; }
  bool full() const { return bits == ~uint64_t{0}; }
  uint64_t lowest_missing() const { return static_cast<uint64_t>(std::countr_zero(~bits)); }
};

HWY_INLINE SmallSet choose(uint64_t mask, SmallSet b, SmallSet a) { return {select(mask, b.bits, a.bits)}; }

struct LargeSet {
  static constexpr int kSize = 128;
  uint64_t low = 0, high = 0;
  static LargeSet all_from(int node) {
    return {SmallSet::all_from(node).bits, SmallSet::all_from(node < 64 ? 0 : node - 64).bits};
  }
  void add(uint64_t node) {
    const uint64_t bit = uint64_t{1} << (node & 63), upper = -(node >> 6);
    low |= bit & ~upper;
    high |= bit & upper;
  }
  bool has(uint64_t node) const { return (((node & 64) != 0 ? high : low) >> (node & 63) & 1) != 0; }
  bool full() const { return (low & high) == ~uint64_t{0}; }
  uint64_t lowest_missing() const {
    return static_cast<uint64_t>(~low != 0 ? std::countr_zero(~low) : 64 + std::countr_zero(~high));
  }
};

HWY_INLINE LargeSet choose(uint64_t mask, LargeSet b, LargeSet a) {
  return {select(mask, b.low, a.low), select(mask, b.high, a.high)};
}

// Not inlined, because it is long, and takes place once for sixteen draws.
HWY_NOINLINE void compute_more(base::Random& random) { base::RandomAccess::refill(random); }

template <class Set>
int64_t walk_by_sets(AliasDraws tables, int words, int top, base::Random& random, int64_t budget, int* heads) {
  Set before[Set::kSize];
  Set tree = Set::all_from(words + 1);
  tree.add(0);
  tree.add(static_cast<uint64_t>(top));
  Set path = tree;
  uint64_t word = tree.lowest_missing();
  int64_t left = budget;
  while (!tree.full()) {
    if (left <= 0) return budget + 1;
    if (random.used_up()) compute_more(random);
    const auto numbers = random.ahead();
    const std::size_t most = std::min(numbers.size(), static_cast<std::size_t>(left));
    std::size_t used = 0;
    do {
      const uint64_t met = -uint64_t{path.has(word)};
      path = before[word] = choose(met, before[word], path);
      path.add(word);
      const uint64_t head = tables.draw(word, numbers[used++]);
      heads[word] = static_cast<int>(head);
      const uint64_t arrived = -uint64_t{tree.has(head)};
      tree = choose(arrived, path, tree);
      word = select(arrived, path.lowest_missing(), head);
    } while (used < most && !tree.full());
    random.skip(used);
    left -= static_cast<int64_t>(used);
  }
  return budget - left;
}

int64_t walk_by_marks(AliasDraws tables, int words, int top, base::Random& random, int64_t budget, int* heads) {
  thread_local std::vector<char> in_tree;
  in_tree.assign(static_cast<std::size_t>(words) + 1, 0);
  in_tree[0] = in_tree[top] = 1;
  int64_t left = budget;
  for (int start = 1; start <= words; ++start) {
    for (int word = start; !in_tree[word]; word = heads[word]) {
      if (left-- <= 0) return budget + 1;
      if (random.used_up()) compute_more(random);
      heads[word] = static_cast<int>(tables.draw(static_cast<uint64_t>(word), random.bits()));
    }
    for (int word = start; !in_tree[word]; word = heads[word]) in_tree[word] = 1;
  }
  return budget - left;
}

/// Returns the number of draws made, which is more than the budget when that was spent.
int64_t WilsonWalk(AliasDraws tables, int words, int top, base::Random& random, int64_t budget, int* heads) {
  if (words < SmallSet::kSize) return walk_by_sets<SmallSet>(tables, words, top, random, budget, heads);
  if (words < LargeSet::kSize) return walk_by_sets<LargeSet>(tables, words, top, random, budget, heads);
  return walk_by_marks(tables, words, top, random, budget, heads);
}

}  // namespace kirchhoff::sample::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kirchhoff::sample {
HWY_EXPORT(WilsonWalk);

bool wilson(const AliasTables& tables, int words, int top, base::Random& random, std::int64_t budget, Walk& walk) {
  static const auto kernel = KIRCHHOFF_KERNEL(WilsonWalk);
  walk.heads.resize(static_cast<std::size_t>(words) + 1);
  const std::int64_t left = budget - walk.draws;
  const std::int64_t draws = kernel(tables.draws(), words, top, random, left, walk.heads.data());
  walk.heads[top] = 0;
  walk.heads[0] = -1;
  walk.draws += std::min(draws, left);
  return draws <= left;
}
}  // namespace kirchhoff::sample
#endif
