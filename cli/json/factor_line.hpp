// Factor graphs from text: a line of JSON, or a UAI file (docs/methods/factor_graphs.md).
#pragma once

#include "json/value.hpp"

#include <kirchhoff/solve.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace kirchhoff::cli {

struct FactorLine {
  std::string id = "null";  ///< JSON text, echoed as it was written
  FactorGraph graph;
};

/// Reads one line, which must be followed by simdjson::SIMDJSON_PADDING readable bytes. Throws ReadError.
FactorLine read_factor_graph(std::string_view line);

/// A UAI network: variable v has cardinality[v] values. One of two values is one binary variable, one of more has one
/// for each value, one of a single value has none.
struct UaiGraph {
  FactorGraph graph;
  std::vector<int> cardinality;
  std::vector<int> first;  ///< binary variable of value 1 (two values) or of value 0 (more); -1: none
  double constant = 0.0;   ///< log of the factors without variables
  std::vector<int> values(const Assignment& assignment) const;
};

/// A network of type MARKOV. Throws ReadError, "line 3: problem".
UaiGraph read_uai(std::string_view text);

}  // namespace kirchhoff::cli
