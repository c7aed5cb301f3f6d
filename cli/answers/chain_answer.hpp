// Answers one line of `chain`.
#pragma once

#include "answers/sequence_line.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace kirchhoff::cli {

using ChainQuestions = SequenceQuestions;

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
