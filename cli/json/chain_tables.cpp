// Reads the lists of numbers of chains, and checks that they have the shape of the chain.
#include "json/chain_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace kirchhoff::cli {
namespace {

/// The size up to which the library takes numbers. Beyond it the line is wrong, whatever it is asked.
constexpr double kLargest = 1e100;

double read_cell(JsonValue value, const JsonPlace& place, ChainNumbers numbers) {
  const bool scores = numbers == ChainNumbers::scores;
  if (scores && is_null(value)) return -HUGE_VAL;
  const std::string_view hint = scores ? "; use null for what is impossible" : "; values are finite numbers";
  const double number = read_number(value, place, hint);
  if (std::abs(number) > kLargest) {
    fail(place, fmt::format("{:g} is not {}, which is a number up to 1e100 in size{}", number,
                            scores ? "a log-weight" : "a value", hint));
  }
  return number;
}

/// Takes one more row of a table, whose numbers were added to its values.
void end_row(ChainTable& table, std::size_t width, const JsonPlace& place) {
  if (table.rows == 0) table.width = width;
  if (width != table.width) {
    fail(place, fmt::format("{} numbers, where the first row has {}", width, table.width));
  }
  ++table.rows;
}

void read_row(JsonValue value, JsonPlace& place, ChainNumbers numbers, ChainTable& table) {
  const std::size_t width =
      for_each(value, place, [&](JsonValue cell) { table.values.push_back(read_cell(cell, place, numbers)); });
  end_row(table, width, place);
}

void read_emissions_field(JsonValue value, JsonPlace& place, std::pair<ChainTables, ChainNumbers>& read) {
  read.first.emissions = read_emissions(value, place, read.second);
}
void read_transitions_field(JsonValue value, JsonPlace& place, std::pair<ChainTables, ChainNumbers>& read) {
  read.first.transitions = read_transitions(value, place, read.second);
}
using Read = std::pair<ChainTables, ChainNumbers>;
constexpr std::array<Field<Read>, 2> kFields = {{
    {"emissions", read_emissions_field},
    {"transitions", read_transitions_field},
}};

}  // namespace

std::string shape_of(const ChainTable& table) {
  if (table.rows == 0) return "empty";
  if (table.matrices == 0) return fmt::format("{}x{}", table.rows, table.width);
  return fmt::format("{} with {}x{} numbers in all",
                     table.matrices == 1 ? "a matrix" : fmt::format("{} matrices", table.matrices), table.rows,
                     table.width);
}

std::vector<int> read_ints(JsonValue value, JsonPlace& place) {
  std::vector<int> out;
  for_each(value, place, [&](JsonValue v) { out.push_back(read_int(v, place, 0, std::numeric_limits<int>::max())); });
  return out;
}

ChainTable read_emissions(JsonValue value, JsonPlace& place, ChainNumbers numbers) {
  ChainTable table;
  for_each(value, place, [&](JsonValue row) { read_row(row, place, numbers, table); });
  if (table.rows == 0 || table.width == 0) fail(place, "empty; expected a list of numbers for each position");
  return table;
}

// A list of rows is one matrix for all positions, a list of lists of rows one for each position but the first.
ChainTable read_transitions(JsonValue value, JsonPlace& place, ChainNumbers numbers) {
  ChainTable table;
  std::size_t matrices = 0, plain = 0, rows = 0;
  const std::size_t count = for_each(value, place, [&](JsonValue element) {
    bool of_rows = false, of_numbers = false;
    const std::size_t width = for_each(element, place, [&](JsonValue item) {
      (is_list(item) ? of_rows : of_numbers) = true;
      if (of_rows && of_numbers) fail(place, "a list has either numbers or rows");
      if (of_rows) return read_row(item, place, numbers, table);
      table.values.push_back(read_cell(item, place, numbers));
    });
    ++(of_rows ? matrices : plain);
    if (matrices > 0 && plain > 0) fail(place, "a list has either rows or matrices");
    if (!of_rows) return end_row(table, width, place);
    if (matrices == 1) rows = width;
    if (width != rows) fail(place, fmt::format("{} rows, where the first matrix has {}", width, rows));
  });
  table.matrices = matrices > 0 || count == 0 ? std::max<std::size_t>(matrices, 1) : 0;
  return table;
}

ChainTables read_chain_tables(JsonValue value, const JsonPlace& place, ChainNumbers numbers, UnknownFields unknown) {
  if (!token_of(value).starts_with('{')) fail(place, "expected an object, found " + describe(value));
  Read read{{}, numbers};
  JsonPlace inner(&place);
  FieldReader reader(kFields, unknown);
  for (auto field : value.get_object()) {
    const std::string key(field.unescaped_key().value());
    inner.start(key);
    reader.read(key, field.value().value(), inner, read);
  }
  return read.first;
}

ChainArrays chain_arrays(const ChainTables& tables, const std::string& where, int length, int tags) {
  const auto size = [](int x) { return static_cast<std::size_t>(x); };
  ChainArrays out(length, tags);
  if (tables.emissions) {
    const ChainTable& e = *tables.emissions;
    if (e.rows != size(length) || e.width != size(tags)) {
      throw ReadError(fmt::format("{}emissions: {}, expected {}x{}", where, shape_of(e), length, tags));
    }
    std::copy(e.values.begin(), e.values.end(), out.emissions.data());
  }
  if (!tables.transitions || (length == 1 && tables.transitions->values.empty())) return out;
  const ChainTable& t = *tables.transitions;
  const std::size_t matrices = t.matrices == 0 ? 1 : size(length) - 1;
  const bool fits =
      t.width == size(tags) && t.rows == matrices * size(tags) && (t.matrices == 0 || t.matrices == matrices);
  if (!fits) {
    throw ReadError(fmt::format("{}transitions: {}, expected {}x{} or a list of {} of them", where, shape_of(t), tags,
                                tags, length - 1));
  }
  double* to = out.transitions.data();
  for (int position = 1; position < length; position += static_cast<int>(matrices)) {
    to = std::copy(t.values.begin(), t.values.end(), to);
  }
  return out;
}

}  // namespace kirchhoff::cli
