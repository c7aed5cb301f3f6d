// Rejection from an envelope of steps: each block of 64 heads of a word has its best head's weight for all of them.
//
// A block is drawn by its best weight M, then one of its heads evenly, which is accepted with probability w / M; else
// all begins anew. A block's weights sum up to at least M, its envelope to 64 M, so that at least one proposal in 64 is
// accepted, whatever the weights; with N(0,1) scores it is one in six. Proposals are made eight at a time, because each
// waits for a score that is in no cache; those after the accepted one are thrown away.
//
// An exponential is seldom needed: for a fraction u in [2^-(z+1), 2^-z), z its leading zeros, the score decides unless
// log2(w / M) is between -(z + 1) and -z.
#include "sample/rejection.hpp"

#include "base/check.hpp"
#include "sample/kernels/block_maxima.hpp"
#include "tree/feasible.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace kirchhoff::sample {
namespace {

constexpr std::size_t kTogether = 8;
constexpr double kLog2e = 1.4426950408889634074;

/// Whether u / 2^64 < exp(difference), where the difference is at most 0; never if that is no number.
bool accepts(std::uint64_t u, double difference) {
  const double octaves = -difference * kLog2e;
  const double zeros = std::countl_zero(u);
  if (octaves <= zeros - 1e-9) return true;  // more than what rounding may have changed
  if (octaves >= zeros + 1.0 + 1e-9) return false;
  return static_cast<double>(u) * 0x1p-64 < std::exp(difference);
}

}  // namespace

RejectionDraws::RejectionDraws(const Matrix& scores, Root root)
    : scores_(scores),
      nodes_(static_cast<std::size_t>(scores.rows())),
      blocks_((nodes_ + kRowsOfBlock - 1) / kRowsOfBlock),
      columns_(2 * blocks_ * nodes_) {
  const BlockMaxima maxima = block_maxima({scores.data(), nodes_, nodes_, nodes_});
  if (maxima.unusual != nodes_ - 1) {  // not the diagonal alone
    base::check_scores("TreeSampler", scores);
    tree::require_feasible(scores, root);
  }
  for (std::size_t word = 1; word < nodes_; ++word) {
    double* const sums = columns_.data() + 2 * blocks_ * word;
    double sum = 0.0;
    for (std::size_t block = 0; block < blocks_; ++block) {
      sum += maxima.weights[block * maxima.stride + word];
      sums[block] = sum;
      sums[blocks_ + block] = maxima.scores[block * maxima.stride + word];
    }
  }
}

int RejectionDraws::draw(int word, base::Random& random) const {
  __extension__ using Wide = unsigned __int128;
  const double* const sums = columns_.data() + 2 * blocks_ * static_cast<std::size_t>(word);
  const double* const best = sums + blocks_;
  const double* const scores = scores_.data() + word;
  for (;;) {
    std::size_t block[kTogether], head[kTogether];
    std::uint64_t fraction[kTogether];
    for (std::size_t i = 0; i < kTogether; ++i) {
      const double u = random.uniform() * sums[blocks_ - 1];
      std::size_t before = 0;
      for (std::size_t b = 0; b + 1 < blocks_; ++b) before += sums[b] <= u ? 1 : 0;
      const Wide product = static_cast<Wide>(random.bits()) * kRowsOfBlock;
      block[i] = before;
      head[i] = before * kRowsOfBlock + static_cast<std::size_t>(product >> 64);
      fraction[i] = static_cast<std::uint64_t>(product);
      __builtin_prefetch(scores + head[i] * nodes_);
    }
    for (std::size_t i = 0; i < kTogether; ++i) {
      if (head[i] >= nodes_) continue;
      if (accepts(fraction[i], scores[head[i] * nodes_] - best[block[i]])) return static_cast<int>(head[i]);
    }
  }
}

bool RejectionDraws::wilson(base::Random& random, std::int64_t budget, Walk& walk) const {
  thread_local std::vector<char> in_tree;
  in_tree.assign(nodes_, 0);
  in_tree[0] = 1;
  walk.heads.assign(nodes_, -1);
  const int words = static_cast<int>(nodes_) - 1;
  for (int start = 1; start <= words; ++start) {
    for (int word = start; !in_tree[word]; word = walk.heads[word]) {
      if (walk.draws >= budget) return false;
      ++walk.draws;
      walk.heads[word] = draw(word, random);
    }
    for (int word = start; !in_tree[word]; word = walk.heads[word]) in_tree[word] = 1;
  }
  return true;
}

}  // namespace kirchhoff::sample
