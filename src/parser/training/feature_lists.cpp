// Looks features up in a table that all sentences share.
#include "parser/training/feature_lists.hpp"

#include "parser/weights/feature_index.hpp"

namespace kirchhoff::parser {

std::vector<FeatureLists> feature_lists(const std::vector<Encoded>& sentences,
                                        const std::vector<Candidates>& candidates, const KnownFeatures& known,
                                        base::Crew& crew) {
  const Buckets buckets = make_numbering(known.keys, crew);
  const BucketTable table(buckets);
  std::vector<FeatureLists> all(sentences.size());
  crew.chunks(all.size(), [&](std::size_t first, std::size_t last) {
    FeatureKeys features(known.templates);
    std::vector<std::uint64_t> keys;
    std::vector<std::uint32_t> found;
    for (std::size_t i = first; i < last; ++i) {
      FeatureLists& lists = all[i];
      lists.begin = {0};
      features.read(sentences[i]);
      found.clear();
      for_each_arc(candidates[i], [&](int h, int d) {
        keys.clear();
        features.append({h, d}, keys);
        table.prefetch(keys);
        for (const std::uint64_t key : keys) {
          if (const std::uint32_t place = table.find(key); place != 0) found.push_back(place - 1);
        }
        lists.begin.push_back(static_cast<std::uint32_t>(found.size()));
      });
      lists.features.assign(found.begin(), found.end());
    }
  });
  return all;
}

}  // namespace kirchhoff::parser
