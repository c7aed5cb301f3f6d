// Reads the fields of one line, each on its own; graph_check.cpp then checks that they fit together.
#include "json/fields.hpp"
#include "json/graph_fields.hpp"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <utility>

namespace kirchhoff::cli {
namespace {

constexpr int kMaxInt = std::numeric_limits<int>::max();
constexpr std::size_t kIgnoredShown = 4;

std::vector<int> read_ints(JsonValue value, JsonPlace& place, int low) {
  std::vector<int> out;
  for_each(value, place, [&](JsonValue v) { out.push_back(read_int(v, place, low, kMaxInt)); });
  return out;
}

void read_id(JsonValue value, JsonPlace& place, GraphFields& fields) { fields.graph.id = read_id_text(value, place); }

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

constexpr std::array<Field<GraphFields>, 11> kFields = {{
    {"id", read_id},
    {"scores", read_scores_field},
    {"gold", read_gold},
    {"gold_labels", read_gold_labels},
    {"other", read_other},
    {"features", read_features_field},
    {"num_features", read_num_features},
    {"target", read_target},
    {"require", read_require},
    {"forbid", read_forbid},
    {"words", read_words},
}};

}  // namespace

GraphLine read_graph(std::string_view line, UnknownFields unknown) {
  GraphFields fields;
  FieldReader reader(kFields, unknown);
  for_each_field(line, "{\"scores\": ...}", [&](std::string_view key, JsonValue value, JsonPlace& place) {
    const bool known = reader.read(key, value, place, fields);
    if (!known && fields.graph.ignored.size() < kIgnoredShown) fields.graph.ignored.push_back(shown(key));
  });
  return checked(std::move(fields));
}

}  // namespace kirchhoff::cli
