#include "expectation/centred.hpp"

#include <limits>

namespace kirchhoff::detail {
namespace {

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

}  // namespace

core::TwoSum scaled_score(const View& v, int head, int dependent, std::size_t index) {
  const core::TwoSum own(v.scores[index], v.word_shift ? -v.word_shift[dependent] : 0.0);
  const core::TwoSum scaled = v.tree.weights.shifted(own.high, head, dependent);
  return {scaled.high, scaled.low + own.low};
}

void centre(const View& p, const View& q, Centred& out) {
  out.scores.assign(q.size(), kMinusInfinity);
  out.log_z = q.tree.log_z_scaled;
  for (int d = 1; d <= q.words; ++d) {
    int best_head = -1;
    std::size_t best = 0;
    for (int h = 0; h <= q.words; ++h) {
      for (int y = 0; h != d && y < q.labels; ++y) {
        const std::size_t i = q.index(h, d, y);
        if (q.scores[i] == kMinusInfinity || (best_head >= 0 && p.marginals[i] <= p.marginals[best])) continue;
        best_head = h;
        best = i;
      }
    }
    const core::TwoSum middle = scaled_score(q, best_head, d, best);  // q has a tree, so d has a possible arc
    out.log_z.add(-middle.high);
    out.log_z.add(-middle.low);
    for (int h = 0; h <= q.words; ++h) {
      for (int y = 0; h != d && y < q.labels; ++y) {
        const std::size_t i = q.index(h, d, y);
        if (q.scores[i] == kMinusInfinity) continue;
        const core::TwoSum s = scaled_score(q, h, d, i);
        out.scores[i] = (s.high - middle.high) + (s.low - middle.low);
      }
    }
  }
}

}  // namespace kirchhoff::detail
