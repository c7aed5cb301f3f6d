// Prunes by the marginals of the pruner's distribution over trees. It takes one O(n^3) matrix inverse, a few
// microseconds for a sentence of 25 words.
#include "parser/inference/pruner.hpp"

#include "kirchhoff/decode.hpp"

#include <algorithm>
#include <limits>

namespace kirchhoff::parser {

Candidates prune(const Matrix& scores, Root root, const Pruning& pruning) {
  const int n = static_cast<int>(scores.rows()) - 1;
  const TreeDistribution p(scores, root, {.tolerance = 1e-6, .floor = 1e-3});
  const auto marginals = p.marginals();
  const Heads best = best_tree(scores, root).heads;
  Candidates kept;
  kept.begin = {0, 0};
  std::vector<std::pair<double, int>> order;
  for (int d = 1; d <= n; ++d) {
    order.clear();
    double highest = 0.0;
    for (int h = 0; h <= n; ++h) highest = std::max(highest, marginals(h, d));
    for (int h = 0; h <= n; ++h) {
      const bool needed = h == best[static_cast<std::size_t>(d)];
      const bool possible = h != d && scores(h, d) > -std::numeric_limits<double>::infinity();
      if (possible && (needed || marginals(h, d) >= pruning.threshold * highest)) {
        order.emplace_back(needed ? -std::numeric_limits<double>::infinity() : -marginals(h, d), h);
      }
    }
    const std::size_t count = std::min(order.size(), static_cast<std::size_t>(std::max(1, pruning.max_heads)));
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end());
    for (std::size_t i = 0; i < count; ++i) kept.heads.push_back(static_cast<std::uint16_t>(order[i].second));
    std::sort(kept.heads.begin() + kept.begin.back(), kept.heads.end());
    kept.begin.push_back(static_cast<std::uint32_t>(kept.heads.size()));
  }
  return kept;
}

Candidates with_tree(const Candidates& candidates, const Heads& heads) {
  Candidates result;
  result.begin = {0, 0};
  for (std::size_t d = 1; d + 1 < candidates.begin.size(); ++d) {
    const auto from = result.heads.size();
    result.heads.insert(result.heads.end(), candidates.heads.begin() + candidates.begin[d],
                        candidates.heads.begin() + candidates.begin[d + 1]);
    const auto head = static_cast<std::uint16_t>(heads[d]);
    const auto begin = result.heads.begin() + static_cast<std::ptrdiff_t>(from);
    const auto place = std::lower_bound(begin, result.heads.end(), head);
    if (place == result.heads.end() || *place != head) result.heads.insert(place, head);
    result.begin.push_back(static_cast<std::uint32_t>(result.heads.size()));
  }
  return result;
}

}  // namespace kirchhoff::parser
