// Answers one line of `chain`.
#pragma once

#include "answers/wants.hpp"
#include "io/line_answer.hpp"
#include "json/fields.hpp"

#include <kirchhoff/accuracy.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kirchhoff::cli {

/// What `chain` asks about every chain.
struct ChainQuestions {
  Method method = Method::automatic;
  UnknownFields unknown = UnknownFields::refused;
  std::uint64_t seed = 0;  ///< Chain i has seed + i.
  WantList wants;
};

/// Reads "log_partition,k_best=2" or "all". Throws UsageError.
WantList parse_chain_wants(std::string_view list);
/// Whether a want needs the seed.
bool wants_random_tags(const WantList& wants);
/// Lines of help, one for each want.
std::string chain_wants_help();
/// True when the answer is much larger than the question.
bool is_bulky(const ChainQuestions& questions);

/// Reads one line of `chain`, computes the answers and writes them. Never throws for what the line holds.
LineAnswer answer_chain_line(std::string_view line, std::size_t index, const ChainQuestions& questions);

}  // namespace kirchhoff::cli
