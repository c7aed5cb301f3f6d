// Answers one line of `chain` or `segment`.
#pragma once

#include "answers/guarded.hpp"
#include "answers/wants.hpp"
#include "json/fields.hpp"

#include <kirchhoff/accuracy.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace kirchhoff::cli {

/// What `chain` or `segment` asks about every line.
struct SequenceQuestions {
  Method method = Method::automatic;
  UnknownFields unknown = UnknownFields::refused;
  std::uint64_t seed = 0;  ///< Line i has seed + i.
  WantList wants;
};

/// What can be asked about a line of one kind, and what answers: it reads the line, computes the answers and writes
/// them, and never throws for what the line holds.
struct SequenceAnswers {
  std::span<const WantForm> forms;
  LineAnswer (*answer)(std::string_view line, std::size_t index, const SequenceQuestions& questions);
};

SequenceAnswers chain_answers();
SequenceAnswers segment_answers();

/// What the bits of WantForm::needs stand for.
inline constexpr std::array<std::string_view, 3> kSequenceFields = {"\"gold\"", "\"other\"", "\"features\""};

/// Whether a want of the list is random.
bool needs_seed(const WantList& wants, std::span<const WantForm> forms);

}  // namespace kirchhoff::cli
