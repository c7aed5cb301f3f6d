// Rejection from an envelope of steps: each block of 64 heads of a word has its best head's weight for all of them.
//
// A block is drawn by its best weight M, then one of its heads evenly, which is accepted with probability w / M; else
// all begins anew. A block's weights sum up to at least M, its envelope to 64 M, so that at least one proposal in 64 is
// accepted, whatever the weights (in 128, where the diagonal is taken for a head); with N(0,1) scores it is one in six.
// Proposals are made eight at a time, because each waits for a score that is in no cache.
//
// The heads that a walk finds at a word, one visit after the other, are a stack of independent draws, whenever they are
// made, and loops may be erased in any order: the tree and the number of draws are the same [Wilson96, sect. 2]. So all
// words get a head first; then all loops are erased and their words get their next heads, until there is no loop. Heads
// are drawn for a few words at a time, whose scores are waited for together. Of eight proposals all that are accepted
// are kept, in turn.
//
// An exponential is seldom needed: for a fraction u in [2^-(z+1), 2^-z), z its leading zeros, the score decides unless
// log2(w / M) is between -(z + 1) and -z.
#include "sample/rejection.hpp"

#include "base/check.hpp"
#include "tree/feasible.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <vector>

namespace kirchhoff::sample {
namespace {

constexpr std::size_t kWordsTogether = 8;
constexpr double kLog2e = 1.4426950408889634074;

/// Whether u / 2^64 < exp(difference), where the difference is at most 0; never if that is no number.
bool accepts(std::uint64_t u, double difference) {
  const double octaves = -difference * kLog2e;
  const double zeros = std::countl_zero(u);
  if (octaves <= zeros - 1e-9) return true;  // more than what rounding may have changed
  if (octaves >= zeros + 1.0 + 1e-9) return false;
  return static_cast<double>(u) * 0x1p-64 < std::exp(difference);
}

/// Finds the loops of heads. Words from which the root is reached stay so, since their heads are in no loop.
class Loops {
 public:
  explicit Loops(std::size_t nodes) : seen_(nodes, 0), from_(nodes, 0) { seen_[0] = kRooted; }

  /// The words of all loops; each has one of these words.
  std::vector<int> of(const std::vector<int>& words, const Heads& heads) {
    std::vector<int> found;
    ++round_;
    for (const int start : words) {
      int word = start;
      for (; seen_[word] < round_; word = heads[word]) {
        seen_[word] = round_;
        from_[word] = start;
      }
      if (seen_[word] == kRooted) {
        for (word = start; seen_[word] != kRooted; word = heads[word]) seen_[word] = kRooted;
      } else if (from_[word] == start) {
        const int first = word;
        do {
          found.push_back(word);
          word = heads[word];
        } while (word != first);
      }
    }
    return found;
  }

 private:
  static constexpr std::uint64_t kRooted = ~std::uint64_t{0};
  std::uint64_t round_ = 0;
  std::vector<std::uint64_t> seen_;  ///< the last round that came by, or kRooted
  std::vector<int> from_;            ///< where it had begun
};

}  // namespace

struct RejectionDraws::Proposals {
  std::size_t block[kThresholds], head[kThresholds];
  std::uint64_t fraction[kThresholds];
};

/// The heads that were drawn for each word and not taken yet.
struct RejectionDraws::Stacks {
  struct Place {
    std::uint8_t next = 0, end = 0;
  };
  std::vector<Place> places;
  std::vector<int> heads;  ///< kThresholds for each word

  explicit Stacks(std::size_t nodes) : places(nodes), heads(kThresholds * nodes) {}
  bool empty(int word) const { return places[word].next == places[word].end; }
  int take(int word) { return heads[kThresholds * word + places[word].next++]; }
  void clear(int word) { places[word] = {}; }
  void add(int word, int head) { heads[kThresholds * word + places[word].end++] = head; }
};

RejectionDraws::RejectionDraws(const Matrix& scores, Root root)
    : scores_(scores),
      nodes_(static_cast<std::size_t>(scores.rows())),
      blocks_(block_maxima({scores.data(), nodes_, nodes_, nodes_})) {
  if (!blocks_.unusual) return;
  base::check_scores("TreeSampler", scores);
  tree::require_feasible(scores, root);
}

RejectionDraws::Proposals RejectionDraws::propose(int word, base::Random& random) const {
  __extension__ using Wide = unsigned __int128;
  const double* const sums = blocks_.sums(word);
  const double* const scores = scores_.data() + word;
  const double total = sums[blocks_.blocks - 1];
  Proposals made;
  double chosen[kThresholds];
  for (std::size_t i = 0; i < kThresholds; ++i) {
    chosen[i] = random.uniform() * total;
    const Wide product = static_cast<Wide>(random.bits()) * kRowsOfBlock;
    made.head[i] = static_cast<std::size_t>(product >> 64);
    made.fraction[i] = static_cast<std::uint64_t>(product);
  }
  choose_blocks(sums, blocks_.blocks, chosen);
  for (std::size_t i = 0; i < kThresholds; ++i) {
    made.block[i] = static_cast<std::size_t>(static_cast<std::int64_t>(chosen[i]));
    made.head[i] += made.block[i] * kRowsOfBlock;
    __builtin_prefetch(scores + made.head[i] * nodes_);
  }
  return made;
}

template <class Take>
void RejectionDraws::accepted(int word, const Proposals& proposals, const Take& take) const {
  const double* const best = blocks_.scores(word);
  for (std::size_t i = 0; i < kThresholds; ++i) {
    const std::size_t head = proposals.head[i];
    if (head >= nodes_ || head == static_cast<std::size_t>(word)) continue;
    if (!accepts(proposals.fraction[i], scores_.data()[head * nodes_ + word] - best[proposals.block[i]])) continue;
    if (!take(static_cast<int>(head))) return;
  }
}

int RejectionDraws::draw(int word, base::Random& random) const {
  int head = -1;
  while (head < 0) {
    accepted(word, propose(word, random), [&](int first) {
      head = first;
      return false;
    });
  }
  return head;
}

void RejectionDraws::fill(std::vector<int> words, base::Random& random, Stacks& stacks) const {
  const auto leave_out_filled = [&] { std::erase_if(words, [&](int word) { return !stacks.empty(word); }); };
  for (leave_out_filled(); !words.empty(); leave_out_filled()) {
    for (std::size_t first = 0; first < words.size(); first += kWordsTogether) {
      const std::size_t end = std::min(first + kWordsTogether, words.size());
      Proposals made[kWordsTogether];
      for (std::size_t i = first; i < end; ++i) made[i - first] = propose(words[i], random);
      for (std::size_t i = first; i < end; ++i) {
        stacks.clear(words[i]);
        accepted(words[i], made[i - first], [&](int head) {
          stacks.add(words[i], head);
          return true;
        });
      }
    }
  }
}

bool RejectionDraws::wilson(base::Random& random, std::int64_t budget, Walk& walk) const {
  Stacks stacks(nodes_);
  Loops loops(nodes_);
  walk.heads.assign(nodes_, -1);
  std::vector<int> words(nodes_ - 1);
  for (std::iota(words.begin(), words.end(), 1); !words.empty(); words = loops.of(words, walk.heads)) {
    const auto count = static_cast<std::int64_t>(words.size());
    if (walk.draws + count > budget) {
      walk.draws = budget;
      return false;
    }
    walk.draws += count;
    fill(words, random, stacks);
    for (const int word : words) walk.heads[word] = stacks.take(word);
  }
  return true;
}

}  // namespace kirchhoff::sample
