// One sentence's distribution over trees under a model, with the keys of its arcs' features.
#pragma once

#include "base/stop.hpp"
#include "kirchhoff/model_statistics.hpp"
#include "kirchhoff/projective.hpp"
#include "parser/features/feature_keys.hpp"
#include "parser/file/model.hpp"

#include <cmath>
#include <span>
#include <vector>

namespace kirchhoff::parser {

/// Probabilities need not be better than this.
inline constexpr Accuracy kStatisticsAccuracy{.tolerance = 1e-9, .floor = 1e-6};

/// Throws InputError for a model of parts of several arcs, of which there are no covariances.
void require_arcs(const char* function, const ParserModel& model);

/// Reads sentences. Each thread needs one of its own.
class ArcReader {
 public:
  ArcReader(const ParserModel& model, const Templates& templates, const StatisticsOptions& options);

  /// Scores the arcs of a sentence, which must stay alive.
  void read(const Sentence& sentence);
  /// The arcs that pruning left, dependent by dependent.
  const std::vector<Arc>& arcs() const { return arcs_; }
  const Encoded& encoded() const { return encoded_; }
  /// The keys of an arc's features; they hold until the next call.
  std::span<const std::uint64_t> keys(Arc arc);
  /// Calls visit(p) with the distribution over trees, and returns what that does.
  template <class Visit>
  auto with_trees(const Visit& visit) const {
    if (projective_) return visit(ProjectiveTreeDistribution(scores_, root_, kStatisticsAccuracy));
    return visit(TreeDistribution(scores_, root_, kStatisticsAccuracy));
  }

 private:
  const Model* model_;
  Parser parser_;
  FeatureKeys features_;
  Root root_;
  bool projective_;
  Encoded encoded_;
  Matrix scores_;
  std::vector<Arc> arcs_;
  std::vector<std::uint64_t> keys_;
};

/// Calls compute(reader, i), on several threads and after reader.read(sentences[i]), and then merge(i, what it
/// returned), in the order of the sentences. Sentences without words are left out.
template <class Compute, class Merge>
void over_corpus(const ParserModel& model, const Templates& templates, std::span<const Sentence> sentences,
                 const StatisticsOptions& options, const Compute& compute, const Merge& merge) {
  constexpr std::size_t kTogether = 128, kPiece = 8;
  using Part = decltype(compute(std::declval<ArcReader&>(), std::size_t{0}));
  for (std::size_t begin = 0; begin < sentences.size(); begin += kTogether) {
    base::check_stop(options.stop);
    const std::size_t count = std::min(kTogether, sentences.size() - begin);
    std::vector<Part> parts(count);
    parallel_for((count + kPiece - 1) / kPiece, options.threads, [&](std::size_t piece) {
      ArcReader reader(model, templates, options);
      for (std::size_t k = piece * kPiece; k < std::min(count, (piece + 1) * kPiece); ++k) {
        if (sentences[begin + k].size() == 0) continue;
        reader.read(sentences[begin + k]);
        parts[k] = compute(reader, begin + k);
      }
    });
    for (std::size_t k = 0; k < count; ++k) {
      if (sentences[begin + k].size() > 0) merge(begin + k, std::move(parts[k]));
    }
  }
}

/// The covariances of the indicators of these arcs.
template <class D>
Matrix arc_covariances(const D& p, const std::vector<Arc>& arcs) {
  std::vector<FeatureEntry> entries;
  entries.reserve(arcs.size());
  for (const Arc arc : arcs) entries.push_back({arc.head, arc.dependent, static_cast<int>(entries.size()), 1.0});
  const Features indicators(p.words(), static_cast<int>(arcs.size()), std::move(entries));
  return covariance(p, indicators, indicators);
}

/// Calls visit(value, variance) for each value that arcs have: the variance of the number of arcs with it. Of an arc,
/// values_of(a) is the list of its values, each of them once.
template <class Values, class Visit>
void for_each_variance(const Matrix& covariances, const Values& values_of, const Visit& visit) {
  std::vector<std::pair<std::size_t, Eigen::Index>> uses;
  for (Eigen::Index a = 0; a < covariances.rows(); ++a) {
    for (const std::size_t value : values_of(static_cast<std::size_t>(a))) uses.emplace_back(value, a);
  }
  std::sort(uses.begin(), uses.end());
  for (std::size_t begin = 0, end = 0; begin < uses.size(); begin = end) {
    double variance = 0.0;
    for (end = begin; end < uses.size() && uses[end].first == uses[begin].first; ++end) {
      const Eigen::Index a = uses[end].second;
      variance += covariances(a, a);
      for (std::size_t other = begin; other < end; ++other) variance += 2.0 * covariances(a, uses[other].second);
    }
    visit(uses[begin].first, variance);
  }
}

}  // namespace kirchhoff::parser
