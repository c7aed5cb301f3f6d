// What the answers to chains and to segmentations have in common.
#pragma once

#include "answers/guarded.hpp"
#include "answers/wants.hpp"
#include "json/fields.hpp"
#include "json/read_error.hpp"

#include <kirchhoff/accuracy.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kirchhoff::cli {

/// What `chain` or `segment` asks about every line.
struct SequenceQuestions {
  Method method = Method::automatic;
  UnknownFields unknown = UnknownFields::refused;
  std::uint64_t seed = 0;  ///< Line i has seed + i.
  WantList wants;
};

/// The fields of a line that wants need, as bits of WantForm::needs.
enum SequenceField : unsigned { no_field = 0, gold_field = 1, other_field = 2, features_field = 4 };
inline constexpr std::array<std::string_view, 3> kSequenceFields = {"\"gold\"", "\"other\"", "\"features\""};

inline constexpr ArgumentRule kAlpha{
    ArgumentRule::Kind::number, 0.0, std::numeric_limits<double>::infinity(), true, -1.0, "a number >= 0"};
inline constexpr ArgumentRule kMany{ArgumentRule::Kind::whole_number,  0, 1e6, true, -1,
                                    "a whole number from 0 to 1000000"};
inline constexpr std::string_view kSamples = "samples", kDistinct = "distinct";

template <class Line>
unsigned given_fields(const Line& line) {
  return (line.gold ? gold_field : 0U) | (line.other ? other_field : 0U) | (line.features ? features_field : 0U);
}

/// Throws ReadError when a want needs a field that is not given.
inline void check_needs(unsigned given, const std::vector<Ask>& asks, std::span<const WantForm> forms) {
  for (const Ask& ask : asks) {
    const unsigned missing = forms[ask.want].needs & ~given;
    for (std::size_t bit = 0; bit < kSequenceFields.size(); ++bit) {
      if ((missing >> bit & 1U) == 0) continue;
      const std::string_view name = kSequenceFields[bit].substr(1, kSequenceFields[bit].size() - 2);
      throw ReadError(fmt::format("{}: missing; {} needs it", name, forms[ask.want].name));
    }
  }
}

/// Whether a want of the list is random.
inline bool needs_seed(const WantList& wants, std::span<const WantForm> forms) {
  for (const Ask& ask : wants.asks) {
    if (forms[ask.want].name == kSamples || forms[ask.want].name == kDistinct) return true;
  }
  return false;
}

inline void write_id_and_length(const std::string& id, int length, JsonWriter& out) {
  out.key("id");
  out.raw(id);
  out.key("length");
  out.write(length);
}

/// Calls answer() for a line that was read. One that has no structure, or about which the library cannot tell, is
/// answered with that.
template <class Answer>
LineAnswer answer_sequence(const std::string& id, int length, Answer answer) {
  const auto error = [&](LineAnswer::Status status, const std::string& message) {
    JsonWriter out;
    write_id_and_length(id, length, out);
    out.key("error");
    out.raw(json_string(message));
    out.close();
    return LineAnswer{status, out.take(), message};
  };
  try {
    return {LineAnswer::Status::good, answer(), {}};
  } catch (const Infeasible& e) {
    return error(LineAnswer::Status::infeasible, "infeasible: " + without_function(e.what()));
  } catch (const InputError& e) {
    return error(LineAnswer::Status::unanswered, without_function(e.what()));
  }
}

}  // namespace kirchhoff::cli
