// Reads factor graphs from text: a line of JSON, or a UAI file (docs/methods/factor_graphs.md).
#pragma once

#include "json/fields.hpp"

#include <kirchhoff/dependency_graph.hpp>
#include <kirchhoff/solve.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace kirchhoff::cli {

/// One line of `solve`.
struct FactorLine {
  std::string id = "null";  ///< The JSON text, which is echoed as it was written.
  FactorGraph graph;
  int words = 0;              ///< Those of a dependency tree; 0 stands for any other graph.
  std::vector<TreeArc> arcs;  ///< Its arcs.
};

/// Reads one line, which must be followed by simdjson::SIMDJSON_PADDING readable bytes. Throws ReadError.
FactorLine read_factor_graph(std::string_view line, UnknownFields unknown);

/// A UAI network, whose variable v has cardinality[v] values. A variable of two values is one binary variable of the
/// graph, one of more values has a binary variable for each value, and one of a single value has none.
struct UaiGraph {
  FactorGraph graph;
  std::vector<int> cardinality;
  std::vector<int> first;  ///< The binary variable of value 1 (two values) or 0 (more); -1 is none.
  double constant = 0.0;   ///< The logarithm of the factors without variables.
  /// The value of each variable of the network.
  std::vector<int> values(const Assignment& assignment) const;
};

/// Reads a network of type MARKOV. Throws ReadError, "line 3: problem".
UaiGraph read_uai(std::string_view text);

}  // namespace kirchhoff::cli
