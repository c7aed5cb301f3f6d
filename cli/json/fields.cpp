// Finds the fields of a line that is a JSON object, explains what is not JSON, and names the nearest of known fields.
#include "json/fields.hpp"

#include "io/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <new>
#include <string>
#include <vector>

namespace kirchhoff::cli {
namespace {

constexpr std::size_t kParserKept = std::size_t{16} << 20;
constexpr std::size_t kCompared = 40;  // Longer keys are compared by their beginning.

/// How many characters must be inserted, removed, replaced or exchanged with their neighbour to get `b` from `a`.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last, last, row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last = std::move(last);
    last = row;
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      const bool exchanged = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (exchanged) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
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

/// Takes the memory that a line needs. simdjson does not look whether it got what it keeps strings in.
void make_room(simdjson::ondemand::parser& parser, std::size_t bytes) {
  if (parser.capacity() >= bytes) return;
  const std::size_t before = refused_memory();
  const auto error = parser.allocate(bytes);
  if (error != simdjson::MEMALLOC && refused_memory() == before) return;
  parser = simdjson::ondemand::parser();
  throw std::bad_alloc();
}

/// Each thread has one parser. The memory that a line of many megabytes took is given back before the next line.
simdjson::ondemand::parser& thread_parser(std::size_t bytes) {
  thread_local simdjson::ondemand::parser parser;
  if (parser.capacity() > kParserKept) parser = simdjson::ondemand::parser();
  make_room(parser, bytes);
  return parser;
}

/// Walks over the fields, and sees that nothing follows the object.
template <class Visit>
void walk(simdjson::ondemand::document& document, JsonPlace& place, const Visit& visit) {
  simdjson::ondemand::object object = document.get_object();
  for (auto field : object) {
    const std::string key(field.unescaped_key().value());
    place.start(key);
    visit(key, field.value().value(), place);
  }
  place.start("");
  if (!document.current_location().error()) throw ReadError("not valid JSON: something follows the object");
}

}  // namespace

void fail_unknown(std::string_view key, JsonValue value, const JsonPlace& place,
                  std::span<const std::string_view> known) {
  check_any(value, place);
  const std::string_view start = key.substr(0, kCompared);
  const auto nearest = std::min_element(known.begin(), known.end(), [&](std::string_view a, std::string_view b) {
    return distance(start, a) < distance(start, b);
  });
  fail(place, fmt::format("unknown field; the nearest known one is '{}' (--allow-unknown lets notes pass)", *nearest));
}

std::string read_id_text(JsonValue value, const JsonPlace& place) {
  const std::string_view token = token_of(value);
  if (token.starts_with('[') || token.starts_with('{'))
    fail(place, "expected a string or a number, found " + describe(value));
  check_any(value, place);
  return std::string(token);
}

void for_each_field(std::string_view line, std::string_view shape,
                    const std::function<void(std::string_view, JsonValue, JsonPlace&)>& visit) {
  JsonPlace place;
  const std::size_t first = line.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || line[first] != '{')
    throw ReadError(fmt::format("not a JSON object {}", shape));
  simdjson::ondemand::document document;
  const auto error = thread_parser(line.size())
                         .iterate(line.data(), line.size(), line.size() + simdjson::SIMDJSON_PADDING)
                         .get(document);
  if (error) fail_json(error, place, "");
  try {
    walk(document, place, visit);
  } catch (const simdjson::simdjson_error& e) {
    fail_json(e.error(), place, column(document, line));
  }
}

}  // namespace kirchhoff::cli
