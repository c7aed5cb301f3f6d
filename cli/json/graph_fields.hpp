// What the files of the reader share.
#pragma once

#include "json/graph_line.hpp"

#include <optional>
#include <vector>

namespace kirchhoff::cli {

struct RawFeatures {
  bool dense = false;
  int nodes = 0;     ///< of the matrices, when dense
  int labels = 0;    ///< likewise; 0: no label dimension
  int matrices = 0;  ///< likewise
  std::vector<FeatureEntry> entries;
};

/// The fields as they come, before they are compared with each other.
struct Raw {
  Graph graph;
  bool has_scores = false;
  std::optional<RawFeatures> features;
  std::optional<int> num_features;
};

ArcArray read_scores(JsonValue value, Path& path);
RawFeatures read_features(JsonValue value, Path& path);
Graph checked(Raw raw);

}  // namespace kirchhoff::cli
