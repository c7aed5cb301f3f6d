// Reads the fields of one line, each on its own; graph_check.cpp then checks that they fit together.
#include "json/graph_fields.hpp"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <utility>

namespace kirchhoff::cli {
namespace {

constexpr int kMaxInt = std::numeric_limits<int>::max();
constexpr std::size_t kIgnoredShown = 4;
constexpr std::size_t kParserKept = std::size_t{16} << 20;

std::vector<int> read_ints(JsonValue value, JsonPlace& place, int low) {
  std::vector<int> out;
  for_each(value, place, [&](JsonValue v) { out.push_back(read_int(v, place, low, kMaxInt)); });
  return out;
}

void read_id(JsonValue value, JsonPlace& place, GraphFields& fields) {
  const std::string_view token = token_of(value);
  if (token.starts_with('[') || token.starts_with('{'))
    fail(place, "expected a string or a number, found " + describe(value));
  fields.graph.id = token;
  check_any(value, place);
}

void read_scores_field(JsonValue value, JsonPlace& place, GraphFields& fields) {
  fields.graph.scores = read_scores(value, place);
  fields.has_scores = true;
}

void read_gold(JsonValue value, JsonPlace& place, GraphFields& fields) {
  Heads heads = read_ints(value, place, 0);
  heads.insert(heads.begin(), -1);
  fields.graph.gold = std::move(heads);
}

void read_gold_labels(JsonValue value, JsonPlace& place, GraphFields& fields) {
  fields.graph.gold_labels = read_ints(value, place, 0);
}

void read_other(JsonValue value, JsonPlace& place, GraphFields& fields) {
  fields.graph.other = read_scores(value, place);
}

void read_features_field(JsonValue value, JsonPlace& place, GraphFields& fields) {
  fields.features = read_features(value, place);
}

void read_num_features(JsonValue value, JsonPlace& place, GraphFields& fields) {
  fields.num_features = read_int(value, place, 1, 100'000'000);
}

void read_target(JsonValue value, JsonPlace& place, GraphFields& fields) {
  fields.graph.target.emplace();
  for_each(value, place, [&](JsonValue v) { fields.graph.target->push_back(read_number(v, place)); });
}

std::vector<Arc> read_arcs(JsonValue value, JsonPlace& place) {
  std::vector<Arc> arcs;
  for_each(value, place, [&](JsonValue pair) {
    const std::vector<int> ends = read_ints(pair, place, 0);
    if (ends.size() != 2) fail(place, fmt::format("{} numbers; expected [head, dependent]", ends.size()));
    arcs.push_back({ends[0], ends[1]});
  });
  return arcs;
}

void read_require(JsonValue value, JsonPlace& place, GraphFields& fields) {
  fields.graph.constraints.require = read_arcs(value, place);
}

void read_forbid(JsonValue value, JsonPlace& place, GraphFields& fields) {
  fields.graph.constraints.forbid = read_arcs(value, place);
}

/// Only `draw` shows the words. To `tree` they are somebody's own notes, whatever they are.
void read_words(JsonValue value, JsonPlace& place, GraphFields& fields) {
  if (!is_list(value)) return check_any(value, place);
  std::vector<std::string> words;
  for_each(value, place, [&](JsonValue v) {
    const bool good = token_of(v).starts_with('"');
    if (!good && fields.graph.words_problem.empty()) {
      fields.graph.words_problem = fmt::format("{}: expected a string, found {}", place.str(), describe(v));
    }
    good ? words.push_back(read_string(v, place)) : check_any(v, place);
  });
  fields.graph.words = std::move(words);
}

struct Field {
  std::string_view name;
  void (*read)(JsonValue, JsonPlace&, GraphFields&);
};
constexpr std::array kFields = {
    Field{"id", read_id},
    Field{"scores", read_scores_field},
    Field{"gold", read_gold},
    Field{"gold_labels", read_gold_labels},
    Field{"other", read_other},
    Field{"features", read_features_field},
    Field{"num_features", read_num_features},
    Field{"target", read_target},
    Field{"require", read_require},
    Field{"forbid", read_forbid},
    Field{"words", read_words},
};

using Seen = std::array<bool, kFields.size()>;

void read_field(std::string_view key, JsonValue value, JsonPlace& place, GraphFields& fields, Seen& seen) {
  for (std::size_t i = 0; i < kFields.size(); ++i) {
    if (kFields[i].name != key) continue;
    if (std::exchange(seen[i], true)) fail(place, "given twice");
    return kFields[i].read(value, place, fields);
  }
  if (fields.graph.ignored.size() < kIgnoredShown) fields.graph.ignored.push_back(shown(key));
  check_any(value, place);
}

void read_fields(simdjson::ondemand::document& document, JsonPlace& place, GraphFields& fields) {
  Seen seen{};
  simdjson::ondemand::object object = document.get_object();
  for (auto field : object) {
    const std::string key(field.unescaped_key().value());
    place.start(key);
    read_field(key, field.value().value(), place, fields, seen);
  }
  place.start("");
  if (!document.current_location().error()) throw ReadError("not valid JSON: something follows the object");
}

struct Explanation {
  simdjson::error_code code;
  std::string_view text;
};
constexpr std::array kExplanations = {
    Explanation{simdjson::INCOMPLETE_ARRAY_OR_OBJECT, "the line does not end with the object's }"},
    Explanation{simdjson::UTF8_ERROR, "not UTF-8"},
    Explanation{simdjson::UNCLOSED_STRING, "a string is not closed"},
    Explanation{simdjson::UNESCAPED_CHARS, "a control character inside a string"},
    Explanation{simdjson::STRING_ERROR, "a bad escape inside a string"},
    Explanation{simdjson::TAPE_ERROR, "a comma, colon, quote or bracket is missing or superfluous"},
    Explanation{simdjson::CAPACITY, "the line is too long"},
    Explanation{simdjson::MEMALLOC, "not enough memory for this line"},
};

std::string explain(simdjson::error_code code) {
  for (const Explanation& e : kExplanations) {
    if (e.code == code) return std::string(e.text);
  }
  return simdjson::error_message(code);
}

/// Returns "column 17: ", which is where On-Demand stopped, or nothing when it does not say.
std::string column(simdjson::ondemand::document& document, std::string_view line) {
  const char* here = nullptr;
  if (document.current_location().get(here)) return "";
  const bool inside = here > line.data() && here < line.data() + line.size();
  return inside ? fmt::format("column {}: ", here - line.data() + 1) : "";
}

[[noreturn]] void fail_json(simdjson::error_code code, const JsonPlace& place, const std::string& where) {
  const std::string field = place.str();
  throw ReadError(fmt::format("{}{}not valid JSON: {}{}", field, field.empty() ? "" : ": ", where, explain(code)));
}

/// Each thread has one parser. The memory that a line of many megabytes took is given back before the next line.
simdjson::ondemand::parser& thread_parser() {
  thread_local simdjson::ondemand::parser parser;
  if (parser.capacity() > kParserKept) parser = simdjson::ondemand::parser();
  return parser;
}

GraphLine parse(simdjson::ondemand::parser& parser, std::string_view line) {
  JsonPlace place;
  const std::size_t first = line.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || line[first] != '{') throw ReadError("not a JSON object {\"scores\": ...}");
  simdjson::ondemand::document document;
  const auto error = parser.iterate(line.data(), line.size(), line.size() + simdjson::SIMDJSON_PADDING).get(document);
  if (error) fail_json(error, place, "");
  GraphFields fields;
  try {
    read_fields(document, place, fields);
  } catch (const simdjson::simdjson_error& e) {
    fail_json(e.error(), place, column(document, line));
  }
  return checked(std::move(fields));
}

}  // namespace

GraphLine read_graph(std::string_view line) { return parse(thread_parser(), line); }

}  // namespace kirchhoff::cli
