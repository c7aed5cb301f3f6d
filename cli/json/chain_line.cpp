// Reads the fields of one line with a chain, each on its own, and then checks that they fit together.
#include "json/chain_line.hpp"

#include "json/chain_tables.hpp"

#include <fmt/format.h>

#include <array>
#include <limits>

namespace kirchhoff::cli {
namespace {

constexpr int kMaxInt = std::numeric_limits<int>::max();

/// All fields of a line.
struct ChainFields {
  UnknownFields unknown;
  ChainLine chain;
  ChainTables scores;
  std::optional<ChainTables> other;
  std::optional<std::vector<ChainTables>> features;
};

std::vector<PlaceOfTag> read_places(JsonValue value, JsonPlace& place) {
  std::vector<PlaceOfTag> places;
  for_each(value, place, [&](JsonValue pair) {
    const std::vector<int> numbers = read_ints(pair, place);
    if (numbers.size() != 2) fail(place, fmt::format("{} numbers; expected [position, tag]", numbers.size()));
    places.emplace_back(numbers[0], numbers[1]);
  });
  return places;
}

void read_id(JsonValue value, JsonPlace& place, ChainFields& fields) { fields.chain.id = read_id_text(value, place); }
void read_emissions_field(JsonValue value, JsonPlace& place, ChainFields& fields) {
  fields.scores.emissions = read_emissions(value, place, ChainNumbers::scores);
}
void read_transitions_field(JsonValue value, JsonPlace& place, ChainFields& fields) {
  fields.scores.transitions = read_transitions(value, place, ChainNumbers::scores);
}
void read_gold(JsonValue value, JsonPlace& place, ChainFields& fields) { fields.chain.gold = read_ints(value, place); }
void read_other(JsonValue value, JsonPlace& place, ChainFields& fields) {
  fields.other = read_chain_tables(value, place, ChainNumbers::scores, fields.unknown);
}
void read_features(JsonValue value, JsonPlace& place, ChainFields& fields) {
  fields.features.emplace();
  for_each(value, place, [&](JsonValue function) {
    fields.features->push_back(read_chain_tables(function, place, ChainNumbers::values, fields.unknown));
  });
}
void read_require(JsonValue value, JsonPlace& place, ChainFields& fields) {
  fields.chain.require = read_places(value, place);
}
void read_forbid(JsonValue value, JsonPlace& place, ChainFields& fields) {
  fields.chain.forbid = read_places(value, place);
}

constexpr std::array<Field<ChainFields>, 8> kFields = {{
    {"id", read_id},
    {"emissions", read_emissions_field},
    {"transitions", read_transitions_field},
    {"gold", read_gold},
    {"other", read_other},
    {"features", read_features},
    {"require", read_require},
    {"forbid", read_forbid},
}};

void check_places(const char* field, const std::vector<PlaceOfTag>& places, const ChainArrays& scores) {
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto [position, tag] = places[i];
    if (position < scores.length() && tag < scores.tags()) continue;
    throw ReadError(fmt::format("{}[{}]: [{}, {}] is not a position below {} and a tag below {}", field, i, position,
                                tag, scores.length(), scores.tags()));
  }
}

void check_tags(const Tags& gold, const ChainArrays& scores) {
  if (static_cast<int>(gold.size()) != scores.length()) {
    throw ReadError(fmt::format("gold: {} tags for {} positions", gold.size(), scores.length()));
  }
  for (std::size_t t = 0; t < gold.size(); ++t) {
    if (gold[t] >= scores.tags()) {
      throw ReadError(fmt::format("gold[{}]: tag {} is not below {}", t, gold[t], scores.tags()));
    }
  }
}

ChainLine checked(ChainFields fields) {
  if (!fields.scores.emissions) throw ReadError("emissions: missing");
  const ChainTable& emissions = *fields.scores.emissions;
  if (emissions.rows > kMaxInt || emissions.width > kMaxInt) throw ReadError("emissions: too large");
  const int length = static_cast<int>(emissions.rows), tags = static_cast<int>(emissions.width);
  if (!fields.scores.transitions && length > 1) throw ReadError("transitions: missing");
  ChainLine chain = std::move(fields.chain);
  chain.scores = chain_arrays(fields.scores, "", length, tags);
  if (fields.other) chain.other = chain_arrays(*fields.other, "other.", length, tags);
  if (fields.features) {
    chain.features.emplace();
    for (std::size_t i = 0; i < fields.features->size(); ++i) {
      chain.features->push_back(chain_arrays((*fields.features)[i], fmt::format("features[{}].", i), length, tags));
    }
  }
  if (chain.gold) check_tags(*chain.gold, chain.scores);
  check_places("require", chain.require, chain.scores);
  check_places("forbid", chain.forbid, chain.scores);
  return chain;
}

}  // namespace

ChainLine read_chain(std::string_view line, UnknownFields unknown) {
  ChainFields fields{unknown, {}, {}, {}, {}};
  FieldReader reader(kFields, unknown);
  for_each_field(
      line, "{\"emissions\": ..., \"transitions\": ...}",
      [&](std::string_view key, JsonValue value, JsonPlace& place) { reader.read(key, value, place, fields); });
  return checked(std::move(fields));
}

}  // namespace kirchhoff::cli
