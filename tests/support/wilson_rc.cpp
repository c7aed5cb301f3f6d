// Draws single-root trees by the biased sampler WilsonRC, for tests that must be able to tell.
#include "support/wilson_rc.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kirchhoff {
namespace {

using Weights = std::vector<double>;

std::discrete_distribution<int>::param_type by_weight(const Weights& scores) {
  const double top = *std::max_element(scores.begin(), scores.end());
  Weights weights;
  for (double score : scores) weights.push_back(std::exp(score - top));
  return {weights.begin(), weights.end()};
}

}  // namespace

WilsonRC::WilsonRC(const Matrix& scores) : words_(static_cast<int>(scores.rows()) - 1) {
  constexpr double kNever = -std::numeric_limits<double>::infinity();
  for (int d = 0; d <= words_; ++d) {
    Weights column(words_ + 1, kNever);
    for (int h = 1; h <= words_; ++h)
      if (h != d) column[h] = d == 0 ? scores(0, h) : scores(h, d);
    head_of_.push_back(by_weight(column));
  }
}

Heads WilsonRC::sample(std::mt19937_64& random) const {
  std::discrete_distribution<int> draw;
  Heads heads(words_ + 1, -1);
  std::vector<bool> in_tree(words_ + 1, false);
  const int child = draw(random, head_of_[0]);
  heads[child] = 0;
  in_tree[child] = true;
  for (int start = 1; start <= words_; ++start) {
    for (int u = start; !in_tree[u]; u = heads[u]) heads[u] = draw(random, head_of_[u]);
    for (int u = start; !in_tree[u]; u = heads[u]) in_tree[u] = true;
  }
  return heads;
}

}  // namespace kirchhoff
