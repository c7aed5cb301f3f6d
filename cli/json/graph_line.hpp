// One line of input: a graph with scores and what some questions need besides (docs/reference/cli.md).
#pragma once

#include "json/value.hpp"

#include <kirchhoff/decode.hpp>
#include <kirchhoff/expectation.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kirchhoff::cli {

/// A [head][dependent] or [head][dependent][label] array of numbers as it was written.
struct ArcArray {
  int nodes = 0;   ///< n + 1
  int labels = 0;  ///< 0: no label dimension
  std::vector<double> values;
};

/// "features": entries with label -1 count for every label.
struct FeatureList {
  int size = 0;
  std::vector<FeatureEntry> entries;
};

struct Graph {
  std::string id = "null";  ///< JSON text, echoed as it was written
  ArcArray scores;
  std::optional<Heads> gold;  ///< with heads[0] == -1
  std::optional<std::vector<int>> gold_labels;
  std::optional<ArcArray> other;
  std::optional<FeatureList> features;
  std::optional<std::vector<double>> target;
  Constraints constraints;  ///< for decode and sample
  std::optional<std::vector<std::string>> words;
  std::string words_problem;         ///< why `words` cannot be shown
  std::vector<std::string> ignored;  ///< the first few fields nobody knows, for messages about missing ones

  int n() const { return scores.nodes - 1; }
  bool labelled() const { return scores.labels > 0; }
};

/// Reads one line, which must be followed by simdjson::SIMDJSON_PADDING readable bytes. Throws ReadError.
Graph read_graph(std::string_view line);

/// True for the root's own column and the diagonal, which hold no arcs.
inline bool is_ignored_cell(std::size_t head, std::size_t dependent) { return dependent == 0 || head == dependent; }

}  // namespace kirchhoff::cli
