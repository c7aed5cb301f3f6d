// Reads {"scores":[...], "factors":[{"type":"xor", "vars":[...], ...}, ...]} as a factor graph; errors name a place.
#include "json/factor_line.hpp"

#include "json/value.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>

namespace kirchhoff::cli {
namespace {

using simdjson::dom::element;
using simdjson::dom::object;

[[noreturn]] void fail_at(const std::string& where, const std::string& problem) {
  throw ReadError(fmt::format("{}: {}", where, problem));
}

/// The fields of one factor, with the place they are at.
struct FactorFields {
  object fields;
  std::string where;

  element at(std::string_view name) const {
    element value;
    if (fields.at_key(name).get(value)) fail_at(where, fmt::format("'{}' is missing", name));
    return value;
  }
  bool has(std::string_view name) const { return !fields.at_key(name).error(); }
  std::string place(std::string_view name) const { return fmt::format("{}.{}", where, name); }
};

double read_double(element value, const std::string& where, bool may_be_null) {
  if (may_be_null && value.is_null()) return -HUGE_VAL;
  double x = 0.0;
  if (value.get(x)) fail_at(where, fmt::format("expected a number, found '{}'", shown(simdjson::minify(value))));
  return x;
}

int read_whole(element value, const std::string& where) {
  std::int64_t x = 0;
  if (value.get(x) || x < -2'000'000'000 || x > 2'000'000'000) {
    fail_at(where, fmt::format("expected a whole number, found '{}'", shown(simdjson::minify(value))));
  }
  return static_cast<int>(x);
}

template <class Read>
auto read_list(element value, const std::string& where, Read read) {
  simdjson::dom::array items;
  if (value.get(items)) fail_at(where, fmt::format("expected a list, found '{}'", shown(simdjson::minify(value))));
  std::vector<decltype(read(element(), where))> result;
  for (const element item : items) result.push_back(read(item, fmt::format("{}[{}]", where, result.size())));
  return result;
}

std::vector<double> read_doubles(element value, const std::string& where) {
  return read_list(value, where, [](element item, const std::string& at) { return read_double(item, at, true); });
}

Literal read_variable(element value, const std::string& where, const FactorGraph& graph) {
  const int index = read_whole(value, where);
  if (index < 0 || index >= graph.variables()) {
    fail_at(where, fmt::format("variable {} is not among {}", index, graph.variables()));
  }
  return Variable{index};
}

bool read_flag(element value, const std::string& where) {
  bool flag = false;
  if (!value.get(flag)) return flag;
  const int number = read_whole(value, where);
  if (number != 0 && number != 1) fail_at(where, "expected true or false");
  return number == 1;
}

/// Reads "vars", and negates those that "negate" says.
Literals read_literals(const FactorFields& fields, const FactorGraph& graph) {
  Literals literals = read_list(fields.at("vars"), fields.place("vars"),
                                [&](element item, const std::string& at) { return read_variable(item, at, graph); });
  if (!fields.has("negate")) return literals;
  const auto flags = read_list(fields.at("negate"), fields.place("negate"), read_flag);
  if (flags.size() != literals.size()) {
    fail_at(fields.place("negate"), fmt::format("{} flags for {} variables", flags.size(), literals.size()));
  }
  for (std::size_t i = 0; i < literals.size(); ++i) {
    if (flags[i]) literals[i] = !literals[i];
  }
  return literals;
}

Literals read_literals(const FactorFields& fields, const FactorGraph& graph, std::size_t count) {
  Literals literals = read_literals(fields, graph);
  if (literals.size() != count) {
    fail_at(fields.place("vars"), fmt::format("{} variables, expected {}", literals.size(), count));
  }
  return literals;
}

/// Adds a factor whose last variable is the output.
void add_with_output(const FactorFields& fields, FactorGraph& graph,
                     int (FactorGraph::*add)(const Literals& literals, Literal output)) {
  Literals literals = read_literals(fields, graph);
  if (literals.size() < 2) fail_at(fields.place("vars"), "an input and the output are needed");
  const Literal output = literals.back();
  literals.pop_back();
  (graph.*add)(literals, output);
}

void add_tree(const FactorFields& fields, FactorGraph& graph) {
  const int words = read_whole(fields.at("n"), fields.place("n"));
  std::string_view name;
  const bool is_text = !fields.at("root").get(name);
  const std::optional<Root> root = is_text ? parse_name<Root>(name) : std::nullopt;
  if (!root) fail_at(fields.place("root"), fmt::format("expected one of the strings {}", all_names<Root>()));
  const auto arcs = read_list(fields.at("arcs"), fields.place("arcs"), [&](element item, const std::string& at) {
    simdjson::dom::array triple;
    if (item.get(triple) || triple.size() != 3) fail_at(at, "expected [head, dependent, variable]");
    const Arc arc{read_whole(triple.at(0), at), read_whole(triple.at(1), at)};
    return TreeArc{arc, read_variable(triple.at(2), at, graph)};
  });
  graph.add_tree(words, arcs, *root);
}

struct FactorType {
  std::string_view name;
  void (*add)(const FactorFields& fields, FactorGraph& graph);
};
constexpr std::array kTypes = {
    FactorType{"xor", [](const FactorFields& f, FactorGraph& g) { g.add_xor(read_literals(f, g)); }},
    FactorType{"or", [](const FactorFields& f, FactorGraph& g) { g.add_or(read_literals(f, g)); }},
    FactorType{"nand", [](const FactorFields& f, FactorGraph& g) { g.add_nand(read_literals(f, g)); }},
    FactorType{"at_most_one", [](const FactorFields& f, FactorGraph& g) { g.add_at_most_one(read_literals(f, g)); }},
    FactorType{"imply",
               [](const FactorFields& f, FactorGraph& g) {
                 const Literals literals = read_literals(f, g, 2);
                 g.add_imply(literals[0], literals[1]);
               }},
    FactorType{"budget",
               [](const FactorFields& f, FactorGraph& g) {
                 g.add_budget(read_literals(f, g), read_whole(f.at("budget"), f.place("budget")));
               }},
    FactorType{"or_out",
               [](const FactorFields& f, FactorGraph& g) { add_with_output(f, g, &FactorGraph::add_or_out); }},
    FactorType{"xor_out",
               [](const FactorFields& f, FactorGraph& g) { add_with_output(f, g, &FactorGraph::add_xor_out); }},
    FactorType{"pair",
               [](const FactorFields& f, FactorGraph& g) {
                 const Literals literals = read_literals(f, g, 2);
                 g.add_pair(literals[0], literals[1], read_double(f.at("score"), f.place("score"), false));
               }},
    FactorType{"table",
               [](const FactorFields& f, FactorGraph& g) {
                 g.add_table(read_literals(f, g), read_doubles(f.at("log_potentials"), f.place("log_potentials")));
               }},
    FactorType{"tree", add_tree},
};

void add_factor(element value, const std::string& where, FactorGraph& graph) {
  FactorFields fields;
  fields.where = where;
  if (value.get(fields.fields)) fail_at(where, "expected an object {\"type\": ...}");
  std::string_view name;
  if (fields.at("type").get(name)) fail_at(fields.place("type"), "expected a string");
  for (const FactorType& type : kTypes) {
    if (type.name == name) return in_field(where, [&] { type.add(fields, graph); });
  }
  std::string known;
  for (const FactorType& type : kTypes) known += fmt::format("{}{}", known.empty() ? "" : ", ", type.name);
  fail_at(fields.place("type"), fmt::format("unknown factor '{}'; known are {}", shown(name), known));
}

}  // namespace

FactorLine read_factor_graph(std::string_view line) {
  thread_local simdjson::dom::parser parser;
  element document;
  const auto error = parser.parse(line.data(), line.size(), /*realloc_if_needed=*/false).get(document);
  if (error) throw ReadError(fmt::format("not valid JSON: {}", simdjson::error_message(error)));
  object top;
  if (document.get(top)) throw ReadError("not a JSON object {\"scores\": ..., \"factors\": ...}");
  const FactorFields fields{top, "line"};
  FactorLine result;
  if (fields.has("id")) result.id = simdjson::minify(fields.at("id"));
  if (!fields.has("scores")) fail_at("scores", "missing");
  for (const double score : read_doubles(fields.at("scores"), "scores")) {
    in_field("scores", [&] { result.graph.add_variable(score); });
  }
  if (!fields.has("factors")) return result;
  read_list(fields.at("factors"), "factors", [&](element item, const std::string& where) {
    add_factor(item, where, result.graph);
    return 0;
  });
  return result;
}

}  // namespace kirchhoff::cli
