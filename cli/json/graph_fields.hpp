// The fields of a line as they are read, before they are compared with each other.
#pragma once

#include "json/graph_line.hpp"
#include "json/value.hpp"

#include <optional>
#include <vector>

namespace kirchhoff::cli {

struct FeatureFields {
  bool dense = false;
  int nodes = 0;     ///< The nodes of the matrices, when features are dense.
  int labels = 0;    ///< The labels of the matrices; 0 stands for none.
  int matrices = 0;  ///< How many matrices there are.
  std::vector<FeatureEntry> entries;
};

/// All fields of a line.
struct GraphFields {
  GraphLine graph;
  bool has_scores = false;
  std::optional<FeatureFields> features;
  std::optional<int> num_features;
};

ArcArray read_scores(JsonValue value, JsonPlace& place);
FeatureFields read_features(JsonValue value, JsonPlace& place);
/// Checks that the fields fit together. Throws ReadError.
GraphLine checked(GraphFields fields);

}  // namespace kirchhoff::cli
