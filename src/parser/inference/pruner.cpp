// Cost: O(n^2) table look-ups and one O(n^3) matrix inverse, a few microseconds for a sentence of 25 words.
#include "parser/inference/pruner.hpp"

#include "kirchhoff/decode.hpp"
#include "parser/features/features.hpp"

#include <algorithm>
#include <limits>

namespace kirchhoff::parser {
namespace {

constexpr std::uint32_t kLemmas = 8192;  // buckets
constexpr std::uint32_t kSteps = 22;     // direction and distance
constexpr std::uint32_t kCounts = 4 * 3 * 2;

std::uint32_t count_between(const std::vector<std::uint16_t>& counts, int low, int high) {
  return static_cast<std::uint32_t>(counts[static_cast<std::size_t>(high - 1)] - counts[static_cast<std::size_t>(low)]);
}

std::uint32_t lemma_bucket(const Encoded& s, int node) {
  const auto row = static_cast<std::size_t>(s.row(node));
  return static_cast<std::uint32_t>(s.rows[row][static_cast<std::size_t>(Attribute::lemma)] % kLemmas);
}

}  // namespace

ArcTables::ArcTables(const Inventory& inventory)
    : upos_(static_cast<std::uint32_t>(kFirstTag + inventory.upos.size() + 1)),
      tags_(static_cast<std::uint32_t>(kFirstTag + inventory.tags.size() + 1)) {
  const std::uint32_t four = upos_ * upos_ * upos_ * upos_ * 2;
  const std::array<std::uint32_t, kTables> sizes = {tags_ * tags_ * kSteps,
                                                    four,
                                                    four,
                                                    four,
                                                    four,
                                                    upos_ * upos_ * kCounts * 2,
                                                    kLemmas * upos_ * 2,
                                                    kLemmas * upos_ * 2,
                                                    kLemmas * kSteps};
  for (std::size_t t = 0; t < sizes.size(); ++t) begin_[t + 1] = begin_[t] + sizes[t];
}

ArcTables::Indices ArcTables::indices(const Encoded& s, int h, int d) const {
  const auto u = [&](int node, int offset = 0) -> std::uint32_t {
    return s.upos[static_cast<std::size_t>(s.row(node, offset))];
  };
  const auto t = [&](int node) -> std::uint32_t { return s.tags[static_cast<std::size_t>(s.row(node))]; };
  const std::uint32_t right = h < d ? 1 : 0;
  const std::uint32_t dist = 2 * static_cast<std::uint32_t>(distance_step(std::abs(d - h))) + right;
  const int low = std::min(h, d), high = std::max(h, d);
  const std::uint32_t counts =
      (std::min(count_between(s.puncts, low, high), 3U) * 3 + std::min(count_between(s.verbs, low, high), 2U)) * 2 +
      std::min(count_between(s.conjunctions, low, high), 1U);
  const auto four = [&](std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t e) {
    return (((a * upos_ + b) * upos_ + c) * upos_ + e) * 2 + right;
  };
  return {begin_[0] + (t(h) * tags_ + t(d)) * kSteps + dist,
          begin_[1] + four(u(d), u(d, -1), u(d, 1), u(h)),
          begin_[2] + four(u(d), u(h), u(h, -1), u(h, 1)),
          begin_[3] + four(u(d), u(d, -1), u(h), u(h, 1)),
          begin_[4] + four(u(d), u(d, 1), u(h), u(h, -1)),
          begin_[5] + ((u(d) * upos_ + u(h)) * kCounts + counts) * 2 + right,
          begin_[6] + (lemma_bucket(s, d) * upos_ + u(h)) * 2 + right,
          begin_[7] + (lemma_bucket(s, h) * upos_ + u(d)) * 2 + right,
          begin_[8] + lemma_bucket(s, d) * kSteps + dist};
}

Matrix table_scores(const ArcTables& tables, std::span<const float> weights, const Encoded& sentence) {
  Matrix scores = Matrix::Zero(sentence.words + 1, sentence.words + 1);
  for (int h = 0; h <= sentence.words; ++h) {
    for (int d = 1; d <= sentence.words; ++d) {
      if (h == d) continue;
      float sum = 0.0F;
      for (const std::uint32_t i : tables.indices(sentence, h, d)) sum += weights[i];
      scores(h, d) = sum;
    }
  }
  return scores;
}

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
    double most = 0.0;
    for (int h = 0; h <= n; ++h) most = std::max(most, marginals(h, d));
    for (int h = 0; h <= n; ++h) {
      const bool needed = h == best[static_cast<std::size_t>(d)];
      if (h != d && (needed || marginals(h, d) >= pruning.threshold * most)) {
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
