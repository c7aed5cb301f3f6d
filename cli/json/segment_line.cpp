// Reads the fields of one line with segments, each on its own, and then checks that they fit together.
#include "json/segment_line.hpp"

#include "json/chain_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace kirchhoff::cli {
namespace {

/// The fields "segments" and "transitions" of a line, or of an object in it.
struct SegmentTables {
  ChainNumbers numbers = ChainNumbers::scores;
  std::optional<ChainTable> segments, transitions;
};

/// All fields of a line.
struct SegmentFields {
  UnknownFields unknown;
  SegmentLine line;
  SegmentTables scores;
  std::optional<SegmentTables> other;
  std::optional<std::vector<SegmentTables>> features;
};

void read_segments_field(JsonValue value, JsonPlace& place, SegmentTables& tables) {
  tables.segments = read_transitions(value, place, tables.numbers);
}
void read_transitions_field(JsonValue value, JsonPlace& place, SegmentTables& tables) {
  tables.transitions = read_transitions(value, place, tables.numbers);
}
constexpr std::array<Field<SegmentTables>, 2> kTables = {{
    {"segments", read_segments_field},
    {"transitions", read_transitions_field},
}};

SegmentTables read_tables(JsonValue value, const JsonPlace& place, ChainNumbers numbers, UnknownFields unknown) {
  if (!token_of(value).starts_with('{')) fail(place, "expected an object, found " + describe(value));
  SegmentTables read{numbers, {}, {}};
  JsonPlace inner(&place);
  FieldReader reader(kTables, unknown);
  for (auto field : value.get_object()) {
    const std::string key(field.unescaped_key().value());
    inner.start(key);
    reader.read(key, field.value().value(), inner, read);
  }
  return read;
}

std::vector<Segment> read_list(JsonValue value, JsonPlace& place) {
  std::vector<Segment> segments;
  for_each(value, place, [&](JsonValue one) {
    const std::vector<int> numbers = read_ints(one, place);
    if (numbers.size() != 3) fail(place, fmt::format("{} numbers; expected [begin, length, tag]", numbers.size()));
    segments.push_back({numbers[0], numbers[1], numbers[2]});
  });
  return segments;
}

constexpr std::array<Field<SegmentFields>, 8> kFields = {{
    {"id", [](JsonValue v, JsonPlace& place, SegmentFields& f) { f.line.id = read_id_text(v, place); }},
    {"segments", [](JsonValue v, JsonPlace& place, SegmentFields& f) { read_segments_field(v, place, f.scores); }},
    {"transitions",
     [](JsonValue v, JsonPlace& place, SegmentFields& f) { read_transitions_field(v, place, f.scores); }},
    {"gold", [](JsonValue v, JsonPlace& place, SegmentFields& f) { f.line.gold = read_list(v, place); }},
    {"other", [](JsonValue v, JsonPlace& place,
                 SegmentFields& f) { f.other = read_tables(v, place, ChainNumbers::scores, f.unknown); }},
    {"features",
     [](JsonValue v, JsonPlace& place, SegmentFields& f) {
       f.features.emplace();
       for_each(v, place, [&](JsonValue function) {
         f.features->push_back(read_tables(function, place, ChainNumbers::values, f.unknown));
       });
     }},
    {"require", [](JsonValue v, JsonPlace& place, SegmentFields& f) { f.line.require = read_list(v, place); }},
    {"forbid", [](JsonValue v, JsonPlace& place, SegmentFields& f) { f.line.forbid = read_list(v, place); }},
}};

std::size_t size(int x) { return static_cast<std::size_t>(x); }

/// Makes arrays of this shape; a table that is missing is 0.
SegmentArrays segment_arrays(const SegmentTables& tables, const std::string& where, const SegmentArrays& like) {
  SegmentArrays out(like.positions(), like.longest(), like.tags());
  const int tags = out.tags();
  if (tables.segments) {
    const ChainTable& s = *tables.segments;
    if (s.matrices != size(out.positions()) || s.rows != size(static_cast<int>(out.segments.rows())) ||
        s.width != size(tags)) {
      throw ReadError(fmt::format("{}segments: {}, expected {} matrices of {}x{}", where, shape_of(s), out.positions(),
                                  out.longest(), tags));
    }
    std::copy(s.values.begin(), s.values.end(), out.segments.data());
  }
  if (!tables.transitions || (out.positions() == 1 && tables.transitions->values.empty())) return out;
  const ChainTable& t = *tables.transitions;
  if (t.matrices != 0 || t.rows != size(tags) || t.width != size(tags)) {
    throw ReadError(fmt::format("{}transitions: {}, expected {}x{}", where, shape_of(t), tags, tags));
  }
  std::copy(t.values.begin(), t.values.end(), out.transitions.data());
  return out;
}

void check_segments(const char* field, const std::vector<Segment>& list, const SegmentArrays& scores) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Segment& s = list[i];
    if (s.length >= 1 && s.length <= scores.longest() && s.begin <= scores.positions() - s.length &&
        s.tag < scores.tags()) {
      continue;
    }
    throw ReadError(
        fmt::format("{}[{}]: [{}, {}, {}] is not a segment of 1 to {} of the {} positions with a tag below {}", field,
                    i, s.begin, s.length, s.tag, scores.longest(), scores.positions(), scores.tags()));
  }
}

void check_gold(const Segmentation& gold, const SegmentArrays& scores) {
  check_segments("gold", gold, scores);
  int position = 0;
  for (std::size_t i = 0; i < gold.size(); position += gold[i++].length) {
    if (gold[i].begin != position) {
      throw ReadError(
          fmt::format("gold[{}]: begins at {}, where the one before it ends at {}", i, gold[i].begin, position));
    }
  }
  if (position != scores.positions()) {
    throw ReadError(fmt::format("gold: ends at {}, not at {}", position, scores.positions()));
  }
}

SegmentLine checked(SegmentFields fields) {
  constexpr std::size_t kMaxInt = std::numeric_limits<int>::max();
  if (!fields.scores.segments) throw ReadError("segments: missing");
  const ChainTable& segments = *fields.scores.segments;
  if (segments.matrices == 0 || segments.rows == 0 || segments.width == 0) {
    throw ReadError(fmt::format("segments: {}, expected for each position a list of rows, one for each length",
                                shape_of(segments)));
  }
  if (segments.rows > kMaxInt || segments.width > kMaxInt) throw ReadError("segments: too large");
  if (!fields.scores.transitions && segments.matrices > 1) throw ReadError("transitions: missing");
  SegmentLine line = std::move(fields.line);
  line.scores = segment_arrays(
      fields.scores, "",
      SegmentArrays(static_cast<int>(segments.matrices), static_cast<int>(segments.rows / segments.matrices),
                    static_cast<int>(segments.width)));
  if (fields.other) line.other = segment_arrays(*fields.other, "other.", line.scores);
  if (fields.features) {
    line.features.emplace();
    for (std::size_t i = 0; i < fields.features->size(); ++i) {
      line.features->push_back(segment_arrays((*fields.features)[i], fmt::format("features[{}].", i), line.scores));
    }
  }
  if (line.gold) check_gold(*line.gold, line.scores);
  check_segments("require", line.require, line.scores);
  check_segments("forbid", line.forbid, line.scores);
  return line;
}

}  // namespace

SegmentLine read_segments(std::string_view line, UnknownFields unknown) {
  SegmentFields fields{unknown, {}, {}, {}, {}};
  FieldReader reader(kFields, unknown);
  for_each_field(
      line, "{\"segments\": ..., \"transitions\": ...}",
      [&](std::string_view key, JsonValue value, JsonPlace& place) { reader.read(key, value, place, fields); });
  return checked(std::move(fields));
}

}  // namespace kirchhoff::cli
