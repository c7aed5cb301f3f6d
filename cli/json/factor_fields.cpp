// Reads {"scores":[...], "factors":[{"type":"xor", "vars":[...], ...}, ...]}, field by field and in any order.
#include "json/factor_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace kirchhoff::cli {
namespace {

constexpr int kMaxInt = std::numeric_limits<int>::max();

double read_log_weight(JsonValue value, const JsonPlace& place) {
  return is_null(value) ? -HUGE_VAL : read_number(value, place, "; use null for -infinity");
}

std::vector<double> read_log_weights(JsonValue value, JsonPlace& place) {
  std::vector<double> out;
  for_each(value, place, [&](JsonValue v) { out.push_back(read_log_weight(v, place)); });
  return out;
}

bool read_flag(JsonValue value, const JsonPlace& place) {
  const std::string_view token = token_of(value);
  if (token == "true" || token == "false") return value.get_bool();
  return read_int(value, place, 0, 1) == 1;
}

void read_type(JsonValue value, JsonPlace& place, FactorFields& factor) { factor.type = read_string(value, place); }

void read_vars(JsonValue value, JsonPlace& place, FactorFields& factor) {
  for_each(value, place, [&](JsonValue v) { factor.vars.push_back(read_int(v, place, 0, kMaxInt)); });
}

void read_negate(JsonValue value, JsonPlace& place, FactorFields& factor) {
  for_each(value, place, [&](JsonValue v) { factor.negate.push_back(read_flag(v, place)); });
}

void read_budget(JsonValue value, JsonPlace& place, FactorFields& factor) {
  factor.budget = read_int(value, place, 0, kMaxInt);
}

void read_score(JsonValue value, JsonPlace& place, FactorFields& factor) { factor.score = read_number(value, place); }

void read_log_potentials(JsonValue value, JsonPlace& place, FactorFields& factor) {
  factor.log_potentials = read_log_weights(value, place);
}

void read_n(JsonValue value, JsonPlace& place, FactorFields& factor) { factor.n = read_int(value, place, 0, kMaxInt); }

void read_root(JsonValue value, JsonPlace& place, FactorFields& factor) { factor.root = read_string(value, place); }

void read_arcs(JsonValue value, JsonPlace& place, FactorFields& factor) {
  for_each(value, place, [&](JsonValue triple) {
    std::array<int, 3> arc{};
    std::size_t size = 0;
    for_each(triple, place, [&](JsonValue v) {
      if (size < arc.size()) arc[size] = read_int(v, place, 0, kMaxInt);
      ++size;
    });
    if (size != arc.size()) fail(place, fmt::format("{} numbers; expected [head, dependent, variable]", size));
    factor.arcs.push_back(arc);
  });
}

/// First the fields that a type may or may not take, in the order of FactorField.
constexpr std::array<Field<FactorFields>, 9> kFactorFields = {{
    {"vars", read_vars},
    {"negate", read_negate},
    {"budget", read_budget},
    {"score", read_score},
    {"log_potentials", read_log_potentials},
    {"n", read_n},
    {"root", read_root},
    {"arcs", read_arcs},
    {"type", read_type},
}};
static_assert(std::equal(kFactorFieldNames.begin(), kFactorFieldNames.end(), kFactorFields.begin(),
                         [](std::string_view name, const Field<FactorFields>& field) { return name == field.name; }));

FactorFields read_factor(JsonValue value, const JsonPlace& place, UnknownFields unknown) {
  if (!token_of(value).starts_with('{')) {
    fail(place, "expected an object {\"type\": ...}, found " + describe(value));
  }
  FactorFields factor;
  FieldReader reader(kFactorFields, unknown);
  JsonPlace inner(&place);
  for (auto field : value.get_object()) {
    const std::string key(field.unescaped_key().value());
    inner.start(key);
    reader.read(key, field.value().value(), inner, factor);
  }
  for (std::size_t i = 0; i < kFactorFieldNames.size(); ++i) factor.given |= reader.seen(i) ? 1U << i : 0U;
  return factor;
}

/// Factors need to know whether their notes pass, so this is read apart from the table.
struct LineFields {
  FactorGraphFields graph;
  UnknownFields unknown;
};

constexpr std::array<Field<LineFields>, 3> kLineFields = {{
    {"id", [](JsonValue value, JsonPlace& place, LineFields& line) { line.graph.id = read_id_text(value, place); }},
    {"scores",
     [](JsonValue value, JsonPlace& place, LineFields& line) { line.graph.scores = read_log_weights(value, place); }},
    {"factors",
     [](JsonValue value, JsonPlace& place, LineFields& line) {
       for_each(value, place, [&](JsonValue v) { line.graph.factors.push_back(read_factor(v, place, line.unknown)); });
     }},
}};

}  // namespace

FactorGraphFields read_factor_fields(std::string_view line, UnknownFields unknown) {
  LineFields fields{{}, unknown};
  FieldReader reader(kLineFields, unknown);
  for_each_field(
      line, "{\"scores\": ..., \"factors\": ...}",
      [&](std::string_view key, JsonValue value, JsonPlace& place) { reader.read(key, value, place, fields); });
  return std::move(fields.graph);
}

}  // namespace kirchhoff::cli
