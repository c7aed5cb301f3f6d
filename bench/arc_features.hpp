// The library's features (sorted by dependent) in the form of the T2^h baseline (by arc, head first).
#pragma once

#include "baselines/hessian.hpp"
#include "kirchhoff/expectation.hpp"

#include <algorithm>

namespace kirchhoff::bench {

inline ArcFeatures by_arc(const Features& features) {
  const int n = features.words();
  const auto arc_of = [n](const FeatureEntry& e) { return e.head * (n + 1) + e.dependent; };
  std::vector<FeatureEntry> entries = features.entries();
  std::stable_sort(entries.begin(), entries.end(), [&](auto& a, auto& b) { return arc_of(a) < arc_of(b); });

  ArcFeatures result{features.size(), std::vector<int>(static_cast<std::size_t>((n + 1) * (n + 1) + 1)), {}, {}};
  for (const FeatureEntry& e : entries) {
    ++result.start[arc_of(e) + 1];
    result.feature.push_back(e.feature);
    result.value.push_back(e.value);
  }
  for (std::size_t arc = 1; arc < result.start.size(); ++arc) result.start[arc] += result.start[arc - 1];
  return result;
}

}  // namespace kirchhoff::bench
