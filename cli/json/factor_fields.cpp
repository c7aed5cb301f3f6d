// Reads {"scores":[...], "factors":[{"type":"xor", "vars":[...], ...}, ...]}, field by field and in any order, with
// "arcs", "root", "pairs" and more for dependency trees in the place of "scores".
#include "json/factor_fields.hpp"

#include "json/graph_fields.hpp"

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

/// Reads a list of lists of `count` whole numbers each; `shape` is what one of them looks like.
template <std::size_t count>
std::vector<std::array<int, count>> read_tuples(JsonValue value, JsonPlace& place, std::string_view shape) {
  std::vector<std::array<int, count>> all;
  for_each(value, place, [&](JsonValue entry) {
    std::array<int, count>& numbers = all.emplace_back();
    std::size_t size = 0;
    for_each(entry, place, [&](JsonValue v) {
      if (size < count) numbers[size] = read_int(v, place, 0, kMaxInt);
      ++size;
    });
    if (size != count) fail(place, fmt::format("{} numbers; expected {}", size, shape));
  });
  return all;
}

std::vector<int> read_ints(JsonValue value, JsonPlace& place, int least) {
  std::vector<int> all;
  for_each(value, place, [&](JsonValue v) { all.push_back(read_int(v, place, least, kMaxInt)); });
  return all;
}

void read_type(JsonValue value, JsonPlace& place, FactorFields& factor) { factor.type = read_string(value, place); }

void read_negate(JsonValue value, JsonPlace& place, FactorFields& factor) {
  for_each(value, place, [&](JsonValue v) { factor.negate.push_back(read_flag(v, place)); });
}

double read_size(JsonValue value, const JsonPlace& place) {
  const double size = read_number(value, place);
  if (size < 0.0) fail(place, fmt::format("{} is below 0", size));
  return size;
}

void read_budget(JsonValue value, JsonPlace& place, FactorFields& factor) { factor.budget = read_size(value, place); }

void read_weights(JsonValue value, JsonPlace& place, FactorFields& factor) {
  for_each(value, place, [&](JsonValue v) { factor.weights.push_back(read_size(v, place)); });
}

void read_score(JsonValue value, JsonPlace& place, FactorFields& factor) { factor.score = read_number(value, place); }

void read_n(JsonValue value, JsonPlace& place, FactorFields& factor) { factor.n = read_int(value, place, 0, kMaxInt); }

void read_root(JsonValue value, JsonPlace& place, FactorFields& factor) { factor.root = read_string(value, place); }

void read_arcs(JsonValue value, JsonPlace& place, FactorFields& factor) {
  factor.arcs = read_tuples<3>(value, place, "[head, dependent, variable]");
}

void read_parents(JsonValue value, JsonPlace& place, FactorFields& factor) {
  factor.parents = read_ints(value, place, -1);
}

void read_counted(JsonValue value, JsonPlace& place, FactorFields& factor) {
  factor.counted = read_ints(value, place, -1);
}

void read_subtree_counts(JsonValue value, JsonPlace& place, FactorFields& factor) {
  for_each(value, place, [&](JsonValue entry) {
    SubtreeCounts& subtree = factor.subtree_counts.emplace_back();
    std::size_t size = 0;
    for_each(entry, place, [&](JsonValue v) {
      if (size == 0) subtree.node = read_int(v, place, 0, kMaxInt);
      if (size == 1) subtree.scores = read_log_weights(v, place);
      ++size;
    });
    if (size != 2) fail(place, fmt::format("{} values; expected [node, [score, ...]]", size));
  });
}

void read_both(JsonValue value, JsonPlace& place, FactorFields& factor) {
  factor.both = read_tuples<2>(value, place, "[node, variable]");
}

void read_groups(JsonValue value, JsonPlace& place, FactorFields& factor) {
  for_each(value, place, [&](JsonValue list) {
    std::vector<int>& group = factor.groups.emplace_back();
    for_each(list, place, [&](JsonValue v) { group.push_back(read_int(v, place, 0, kMaxInt)); });
  });
}

template <std::vector<int> FactorFields::*member>
void read_whole_numbers(JsonValue value, JsonPlace& place, FactorFields& factor) {
  factor.*member = read_ints(value, place, 0);
}

template <std::vector<double> FactorFields::*member>
void read_scores_of(JsonValue value, JsonPlace& place, FactorFields& factor) {
  factor.*member = read_log_weights(value, place);
}

/// First the fields that a type may or may not take, in the order of FactorField.
constexpr std::array<Field<FactorFields>, 22> kFactorFields = {{
    {"vars", read_whole_numbers<&FactorFields::vars>},
    {"negate", read_negate},
    {"budget", read_budget},
    {"score", read_score},
    {"log_potentials", read_scores_of<&FactorFields::log_potentials>},
    {"n", read_n},
    {"root", read_root},
    {"arcs", read_arcs},
    {"weights", read_weights},
    {"groups", read_groups},
    {"parents", read_parents},
    {"counted", read_counted},
    {"count_scores", read_scores_of<&FactorFields::count_scores>},
    {"both", read_both},
    {"subtree_counts", read_subtree_counts},
    {"heads", read_whole_numbers<&FactorFields::heads>},
    {"left", read_whole_numbers<&FactorFields::left>},
    {"right", read_whole_numbers<&FactorFields::right>},
    {"left_siblings", read_scores_of<&FactorFields::left_siblings>},
    {"right_siblings", read_scores_of<&FactorFields::right_siblings>},
    {"grandparents", read_scores_of<&FactorFields::grandparents>},
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

/// Reads a list of lists of `numbers` whole numbers and a score each, and calls visit(numbers, score). `shape` is what
/// one of them looks like.
template <std::size_t count, class Visit>
void for_each_scored(JsonValue value, JsonPlace& place, std::string_view shape, Visit visit) {
  for_each(value, place, [&](JsonValue entry) {
    std::array<int, count> nodes{};
    double score = 0.0;
    std::size_t size = 0;
    for_each(entry, place, [&](JsonValue v) {
      if (size < count) nodes[size] = read_int(v, place, 0, kMaxInt);
      if (size == count) score = read_number(v, place);
      ++size;
    });
    if (size != count + 1) fail(place, fmt::format("{} numbers; expected {}", size, shape));
    visit(nodes, score);
  });
}

std::vector<ArcPair> read_pairs(JsonValue value, JsonPlace& place) {
  std::vector<ArcPair> pairs;
  for_each_scored<4>(value, place, "[head, dependent, head, dependent, score]",
                     [&](const std::array<int, 4>& n, double score) {
                       pairs.push_back({{n[0], n[1]}, {n[2], n[3]}, score});
                     });
  return pairs;
}

std::vector<ArcScore> read_scored_arcs(JsonValue value, JsonPlace& place) {
  std::vector<ArcScore> arcs;
  for_each_scored<2>(value, place, "[head, dependent, score]", [&](const std::array<int, 2>& n, double score) {
    arcs.push_back({{n[0], n[1]}, score});
  });
  return arcs;
}

/// Factors need to know whether their notes pass, so this is read apart from the table.
struct LineFields {
  FactorGraphFields graph;
  UnknownFields unknown;
};

/// The fields of dependency trees of a line that has the field `name`.
DependencyFields& dependency(LineFields& line, std::string_view name) {
  DependencyFields& fields = line.graph.dependency;
  if (fields.first.empty()) fields.first = name;
  return fields;
}

constexpr std::array<Field<LineFields>, 9> kLineFields = {{
    {"id", [](JsonValue value, JsonPlace& place, LineFields& line) { line.graph.id = read_id_text(value, place); }},
    {"scores",
     [](JsonValue value, JsonPlace& place, LineFields& line) { line.graph.scores = read_log_weights(value, place); }},
    {"factors",
     [](JsonValue value, JsonPlace& place, LineFields& line) {
       for_each(value, place, [&](JsonValue v) { line.graph.factors.push_back(read_factor(v, place, line.unknown)); });
     }},
    {"arcs", [](JsonValue value, JsonPlace& place,
                LineFields& line) { dependency(line, "arcs").arcs = read_scores(value, place); }},
    {"root", [](JsonValue value, JsonPlace& place,
                LineFields& line) { dependency(line, "root").root = read_string(value, place); }},
    {"form", [](JsonValue value, JsonPlace& place,
                LineFields& line) { dependency(line, "form").form = read_string(value, place); }},
    {"pairs", [](JsonValue value, JsonPlace& place,
                 LineFields& line) { dependency(line, "pairs").pairs = read_pairs(value, place); }},
    {"consecutive_siblings",
     [](JsonValue value, JsonPlace& place, LineFields& line) {
       dependency(line, "consecutive_siblings").consecutive_siblings = read_pairs(value, place);
     }},
    {"non_projective",
     [](JsonValue value, JsonPlace& place, LineFields& line) {
       dependency(line, "non_projective").non_projective = read_scored_arcs(value, place);
     }},
}};

}  // namespace

FactorGraphFields read_factor_fields(std::string_view line, UnknownFields unknown) {
  LineFields fields{{}, unknown};
  FieldReader reader(kLineFields, unknown);
  for_each_field(
      line, "{\"scores\": ..., \"factors\": ...} or {\"arcs\": ..., \"root\": ...}",
      [&](std::string_view key, JsonValue value, JsonPlace& place) { reader.read(key, value, place, fields); });
  return std::move(fields.graph);
}

}  // namespace kirchhoff::cli
