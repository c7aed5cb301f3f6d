// WilsonRC: the root's child drawn by the *weights* of the root's arcs, then Wilson's walk with that word as the root.
// Source: [Zmigrod21s], as described and shown to be biased in [Stanojevic22, section 4.1, appendix E].
// Cost: set-up O(n^2), then the number of draws, each O(log n) or O(1).
#include "baselines/wilson_rc.hpp"

#include <algorithm>
#include <cmath>

namespace kirchhoff::bench {

WilsonRc::WilsonRc(const double* scores, int n, Draw draw)
    : size_(n + 1), draw_(draw), slots_(static_cast<std::size_t>(size_) * size_) {
  for (int word = 0; word < size_; ++word) {
    double best = -INFINITY;
    std::vector<double> weights(size_);
    for (int other = 1; other < size_; ++other) {
      if (other == word) continue;
      weights[other] = word == 0 ? scores[other] : scores[other * size_ + word];
      best = std::max(best, weights[other]);
    }
    for (int other = 0; other < size_; ++other) {
      const bool possible = other != 0 && other != word;
      weights[other] = possible ? std::exp(weights[other] - best) : 0.0;
    }
    if (n > 1 || word == 0) fill(word, std::move(weights));
  }
}

void WilsonRc::fill(int word, std::vector<double> weights) {
  Slot* slots = &slots_[static_cast<std::size_t>(word) * size_];
  double total = 0;
  for (int i = 0; i < size_; ++i) slots[i] = {total += weights[i], i};
  if (draw_ == Draw::cumulative) {
    for (int i = 0; i < size_; ++i) slots[i].keep /= total;
    return;
  }
  // Robin Hood: a slot with too little is filled up from one with too much.
  std::vector<int> poor, rich;
  for (int i = 0; i < size_; ++i) {
    weights[i] *= size_ / total;
    (weights[i] < 1 ? poor : rich).push_back(i);
  }
  for (int i = 0; i < size_; ++i) slots[i] = {1.0, i};
  while (!poor.empty() && !rich.empty()) {
    const int p = poor.back(), r = rich.back();
    poor.pop_back();
    slots[p] = {weights[p], r};
    weights[r] -= 1 - weights[p];
    if (weights[r] >= 1) continue;
    rich.pop_back();
    poor.push_back(r);
  }
}

int WilsonRc::draw_head(int word, double uniform) const {
  const Slot* slots = &slots_[static_cast<std::size_t>(word) * size_];
  if (draw_ == Draw::cumulative) {
    const auto above = [](double u, const Slot& slot) { return u < slot.keep; };
    return static_cast<int>(std::upper_bound(slots, slots + size_ - 1, uniform, above) - slots);
  }
  const double position = uniform * size_;
  const int slot = static_cast<int>(position);
  return position - slot < slots[slot].keep ? slot : slots[slot].other;
}

std::vector<int> WilsonRc::sample(std::mt19937_64& rng) const {
  const auto draw = [&](int word) { return draw_head(word, static_cast<double>(rng() >> 11) * 0x1p-53); };
  std::vector<int> heads(size_, -1);
  std::vector<char> in_tree(size_, 0);
  const int child = draw(0);
  heads[child] = 0;
  in_tree[child] = 1;
  for (int start = 1; start < size_; ++start) {
    for (int word = start; in_tree[word] == 0; word = heads[word]) heads[word] = draw(word);
    for (int word = start; in_tree[word] == 0; word = heads[word]) in_tree[word] = 1;
  }
  return heads;
}

}  // namespace kirchhoff::bench
