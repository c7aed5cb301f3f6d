// Collects the pairs of features and labels that occur together.
#include "text/sequence_features.hpp"

#include "parser/training/frequent_features.hpp"

#include <algorithm>
#include <memory>

namespace kirchhoff::text {

SequenceFeatures::SequenceFeatures(const SequenceTask& task, const SequenceOptions& options, base::Crew& crew)
    : features(task.gold.size()), begin_of(task.gold.size()) {
  const auto flat = [&]() -> parser::KeysOf {
    return [find = task.features(), keys = std::make_shared<SequenceKeys>()](std::size_t i,
                                                                             std::vector<std::uint64_t>& out) {
      keys->clear();
      find(i, *keys);
      out.insert(out.end(), keys->all().begin(), keys->all().end());
    };
  };
  keys = parser::frequent_features(task.gold.size(), flat, options.min_count, crew);
  const parser::Buckets buckets = parser::make_numbering(keys, crew);
  const parser::BucketTable table(buckets);
  std::vector<std::vector<std::uint64_t>> found(base::Crew::chunk_count(task.gold.size()));
  crew.chunks(task.gold.size(), [&](std::size_t first, std::size_t last) {
    const FeaturesOf find = task.features();
    SequenceKeys own;
    std::vector<std::uint64_t>& pairs = found[first / base::Crew::kChunk];
    for (std::size_t i = first; i < last; ++i) {
      own.clear();
      find(i, own);
      begin_of[i].assign(1, 0);
      for (std::size_t t = 0; t < own.length(); ++t) {
        table.prefetch(own.of(t));
        for (const std::uint64_t key : own.of(t)) {
          const std::uint32_t number = table.find(key);
          if (number == 0) continue;
          features[i].push_back(number - 1);
          if (task.gold[i][t] < 0) continue;
          for (const int label : labels_of(task, task.gold[i][t])) {
            pairs.push_back(static_cast<std::uint64_t>(number - 1) << 16 | static_cast<std::uint64_t>(label));
          }
        }
        begin_of[i].push_back(static_cast<std::uint32_t>(features[i].size()));
      }
    }
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  });
  number_pairs(found, options);
}

void SequenceFeatures::number_pairs(std::vector<std::vector<std::uint64_t>>& found, const SequenceOptions& options) {
  std::vector<std::uint64_t> all;
  for (auto& some : found) {
    all.insert(all.end(), some.begin(), some.end());
    some = {};
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  leave_out_first(all, options);
  begin.assign(keys.size() + 1, 0);
  for (const std::uint64_t pair : all) {
    ++begin[(pair >> 16) + 1];
    ids.push_back(static_cast<std::uint16_t>(pair));
  }
  for (std::size_t f = 0; f < keys.size(); ++f) begin[f + 1] += begin[f];
}

/// Leaves out the pairs of rare features that were seen with the first label alone. Pairs are sorted.
void SequenceFeatures::leave_out_first(std::vector<std::uint64_t>& pairs, const SequenceOptions& options) const {
  if (options.min_first <= options.min_count) return;
  std::vector<int> counts(keys.size());
  for (const auto& some : features) {
    for (const std::uint32_t f : some) ++counts[f];
  }
  std::vector<std::uint64_t> kept;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const std::uint64_t feature = pairs[i] >> 16;
    const bool alone = (i == 0 || pairs[i - 1] >> 16 != feature) &&
                       (i + 1 == pairs.size() || pairs[i + 1] >> 16 != feature) && (pairs[i] & 0xFFFF) == 0;
    if (!alone || counts[feature] >= options.min_first) kept.push_back(pairs[i]);
  }
  pairs = std::move(kept);
}

}  // namespace kirchhoff::text
