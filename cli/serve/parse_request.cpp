// Reads what POST /v1/parse asks for. The fields of a query are read as those of an object, by the same table.
#include "serve/parse_request.hpp"

#include "json/fields.hpp"
#include "json/writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <utility>

namespace kirchhoff::cli {
namespace {

constexpr int kMaxInt = std::numeric_limits<int>::max();
/// Whole numbers up to here are exact in JSON.
constexpr double kMaxSeed = 9007199254740992.0;

struct Fields {
  ParseRequest request;
  int max_trees = 0;
};

bool read_flag(JsonValue value, const JsonPlace& place) {
  const std::string_view token = token_of(value);
  if (token != "true" && token != "false") fail(place, "expected true or false, found " + describe(value));
  return bool(value.get_bool());
}

template <NamedEnum Enum>
Enum read_name(JsonValue value, const JsonPlace& place) {
  const std::string name = read_string(value, place);
  if (const auto found = parse_name<Enum>(name)) return *found;
  fail(place, fmt::format("'{}' is unknown; take one of: {}", shown(name), all_names<Enum>()));
}

ArcConstraint read_constraint(JsonValue value, const JsonPlace& outer) {
  if (!token_of(value).starts_with('{')) {
    fail(outer, R"(expected an object {"sentence":0,"word":3,"head":5,"kind":"forbid"}, found )" + describe(value));
  }
  JsonPlace place(&outer);
  ArcConstraint arc;
  arc.sentence = 0;
  bool has_kind = false;
  for (auto field : value.get_object()) {
    const std::string key(field.unescaped_key().value());
    place.start(key);
    if (key == "sentence") {
      arc.sentence = read_int(field.value().value(), place, 0, kMaxInt);
    } else if (key == "word") {
      arc.word = read_int(field.value().value(), place, 1, kMaxInt);
    } else if (key == "head") {
      arc.head = read_int(field.value().value(), place, 0, kMaxInt);
    } else if (key == "kind") {
      arc.rule = read_name<ArcRule>(field.value().value(), place);
      has_kind = true;
    } else {
      fail(place, "unknown field; a constraint has sentence, word, head and kind");
    }
  }
  if (arc.word < 0 || arc.head < 0 || !has_kind) fail(outer, "a constraint needs word, head and kind");
  return arc;
}

constexpr std::array<Field<Fields>, 12> kFields = {{
    {"text", [](JsonValue v, JsonPlace& p, Fields& f) { f.request.text = read_string(v, p); }},
    {"conllu", [](JsonValue v, JsonPlace& p, Fields& f) { f.request.conllu = read_string(v, p); }},
    {"model", [](JsonValue v, JsonPlace& p, Fields& f) { f.request.model = read_string(v, p); }},
    {"format", [](JsonValue v, JsonPlace& p, Fields& f) { f.request.format = read_name<AnswerFormat>(v, p); }},
    {"root", [](JsonValue v, JsonPlace& p, Fields& f) { f.request.root = read_name<Root>(v, p); }},
    {"probabilities", [](JsonValue v, JsonPlace& p, Fields& f) { f.request.probabilities = read_flag(v, p); }},
    {"tag", [](JsonValue v, JsonPlace& p, Fields& f) { f.request.tag = read_flag(v, p); }},
    {"projective", [](JsonValue v, JsonPlace& p, Fields& f) { f.request.projective = read_flag(v, p); }},
    {"k_best", [](JsonValue v, JsonPlace& p, Fields& f) { f.request.k_best = read_int(v, p, 0, f.max_trees); }},
    {"samples", [](JsonValue v, JsonPlace& p, Fields& f) { f.request.samples = read_int(v, p, 0, f.max_trees); }},
    {"seed",
     [](JsonValue v, JsonPlace& p, Fields& f) {
       const double seed = read_number(v, p);
       if (seed < 0.0 || seed > kMaxSeed || seed != std::floor(seed)) fail(p, "take a whole number from 0 to 2^53");
       f.request.seed = static_cast<std::uint64_t>(seed);
     }},
    {"constraints",
     [](JsonValue v, JsonPlace& p, Fields& f) {
       for_each(v, p, [&](JsonValue element) { f.request.constraints.push_back(read_constraint(element, p)); });
     }},
}};
constexpr std::size_t kKnown = kFields.size();
constexpr std::array<std::string_view, 3> kStringFields = {"model", "format", "root"};

ParseRequest read_object(std::string_view object, int max_trees) {
  Fields fields;
  fields.max_trees = max_trees;
  std::array<bool, kKnown> seen{};
  for_each_field(object, R"({"text":"...", ...})", [&](std::string_view key, JsonValue value, JsonPlace& place) {
    for (std::size_t i = 0; i < kKnown; ++i) {
      if (kFields[i].name != key) continue;
      if (std::exchange(seen[i], true)) fail(place, "given twice");
      return kFields[i].read(value, place, fields);
    }
    std::string known;
    for (std::size_t i = 0; i < kKnown; ++i) known += (i > 0 ? ", " : "") + std::string(kFields[i].name);
    fail(place, "unknown field; there are " + known);
  });
  return std::move(fields.request);
}

/// The fields of the query as an object.
std::string object_of(std::string_view query) {
  std::string object = "{";
  for (const auto& [name, value] : server::form_fields(query)) {
    const bool is_text = std::find(kStringFields.begin(), kStringFields.end(), name) != kStringFields.end();
    const bool is_plain = !value.empty() && std::all_of(value.begin(), value.end(), [](unsigned char c) {
      return std::isalnum(c) != 0 || c == '-' || c == '.';
    });
    object +=
        (object.size() > 1 ? "," : "") + json_string(name) + ":" + (is_text || !is_plain ? json_string(value) : value);
  }
  object += "}";
  object.append(server::kBodyPadding, ' ');
  return object;
}

}  // namespace

ParseRequest read_parse_request(const server::Request& request, int max_trees) {
  const std::string type = server::media_type(request.content_type);
  const auto from_query = [&](std::optional<std::string> ParseRequest::*input) {
    ParseRequest result;
    if (!request.query.empty()) {
      const std::string object = object_of(request.query);
      result = read_object(std::string_view(object).substr(0, object.size() - server::kBodyPadding), max_trees);
    }
    if (result.*input) throw server::HttpError(400, "the input is the body; leave it out of the query");
    result.*input = std::string(request.body);
    return result;
  };
  ParseRequest read;
  if (type == "application/json") {
    if (!request.query.empty()) throw server::HttpError(400, "query: with a body of JSON, options are fields of it");
    read = read_object(request.body, max_trees);
  } else if (type == "text/plain" || type.empty()) {
    read = from_query(&ParseRequest::text);
  } else if (type == "text/x-conllu" || type == "application/x-conllu") {
    read = from_query(&ParseRequest::conllu);
  } else {
    throw server::HttpError(415, "Content-Type: take application/json, text/plain or text/x-conllu");
  }
  if (read.text.has_value() == read.conllu.has_value()) {
    throw server::HttpError(400, R"(give "text" or "conllu", and one of them only)");
  }
  if (read.text && read.tag) throw server::HttpError(400, "tag: is for conllu; text is always tagged");
  return read;
}

}  // namespace kirchhoff::cli
