// Numbers for tags and for pairs of tags as a line has them: lists in lists, before they are compared with each other.
#pragma once

#include "json/fields.hpp"

#include <kirchhoff/chain.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace kirchhoff::cli {

/// Whether numbers are log-weights, where null forbids, or the values of a function.
enum class ChainNumbers { scores, values };

/// Rows of one length, and how many matrices they make: 0 when they are one matrix that was given without a list around
/// it.
struct ChainTable {
  std::size_t matrices = 0, rows = 0, width = 0;
  std::vector<double> values;
};

/// The fields "emissions" and "transitions" of a line, or of an object in it.
struct ChainTables {
  std::optional<ChainTable> emissions, transitions;
};

/// Says what shape a table has, for messages.
std::string shape_of(const ChainTable& table);

/// Reads a list of numbers >= 0.
std::vector<int> read_ints(JsonValue value, JsonPlace& place);
ChainTable read_emissions(JsonValue value, JsonPlace& place, ChainNumbers numbers);
/// Reads a matrix, or a list of matrices of as many rows each.
ChainTable read_transitions(JsonValue value, JsonPlace& place, ChainNumbers numbers);
/// Reads an object that has both fields, or one of them.
ChainTables read_chain_tables(JsonValue value, const JsonPlace& place, ChainNumbers numbers, UnknownFields unknown);

/// Makes arrays for this many positions and tags; a table that is missing is 0. Throws ReadError, in which field names
/// come after `where`, such as "other.".
ChainArrays chain_arrays(const ChainTables& tables, const std::string& where, int length, int tags);

}  // namespace kirchhoff::cli
