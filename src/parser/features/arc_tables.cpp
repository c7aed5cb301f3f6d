// Computes where the features of an arc stand in the pruner's tables: nine features, each a table indexed by tags,
// lemma buckets, distance and what lies between. Scoring a sentence takes O(n^2) look-ups.
#include "parser/features/arc_tables.hpp"

#include "parser/features/feature_keys.hpp"

#include <algorithm>

namespace kirchhoff::parser {
namespace {

constexpr std::uint32_t kLemmas = 8192;       // Lemmas are hashed into this many buckets.
constexpr std::uint32_t kSteps = 22;          // Eleven steps of distance, in two directions.
constexpr std::uint32_t kCounts = 4 * 3 * 2;  // Punctuation, verbs and conjunctions between the two words.

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

}  // namespace kirchhoff::parser
