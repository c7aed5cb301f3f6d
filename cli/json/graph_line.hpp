// Reads one line of input: a graph with scores, and what some questions need besides (docs/reference/cli.md).
#pragma once

#include "json/fields.hpp"

#include <kirchhoff/decode.hpp>
#include <kirchhoff/expectation.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kirchhoff::cli {

/// A [head][dependent] or [head][dependent][label] array of numbers in the order in which it was written.
struct ArcArray {
  int nodes = 0;   ///< There are n words and the root.
  int labels = 0;  ///< 0 stands for an array without labels.
  std::vector<double> values;
};

/// The field "features". Entries with label -1 count for every label.
struct FeatureList {
  int size = 0;
  std::vector<FeatureEntry> entries;
};

/// One line: a graph with everything that is said about it.
struct GraphLine {
  std::string id = "null";  ///< The JSON text, which is echoed as it was written.
  ArcArray scores;
  std::optional<Heads> gold;  ///< Here heads[0] is -1.
  std::optional<std::vector<int>> gold_labels;
  std::optional<ArcArray> other;
  std::optional<FeatureList> features;
  std::optional<std::vector<double>> target;
  Constraints constraints;
  std::optional<std::vector<std::string>> words;
  std::string words_problem;  ///< Says why `words` cannot be shown.
  std::vector<std::string>
      ignored;  ///< The first few unknown fields that were allowed, for messages about missing ones.

  int n() const { return scores.nodes - 1; }
  bool labelled() const { return scores.labels > 0; }
};

/// Reads one line, which must be followed by simdjson::SIMDJSON_PADDING readable bytes. Throws ReadError.
GraphLine read_graph(std::string_view line, UnknownFields unknown);

/// True for the root's own column and the diagonal, which hold no arcs.
inline bool is_ignored_cell(std::size_t head, std::size_t dependent) { return dependent == 0 || head == dependent; }

}  // namespace kirchhoff::cli
