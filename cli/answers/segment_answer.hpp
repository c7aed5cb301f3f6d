// Answers one line of `segment`.
#pragma once

#include "answers/sequence_line.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace kirchhoff::cli {

using SegmentQuestions = SequenceQuestions;

/// Reads "log_partition,k_best=2" or "all". Throws UsageError.
WantList parse_segment_wants(std::string_view list);
/// Whether a want needs the seed.
bool wants_random_segments(const WantList& wants);
/// Lines of help, one for each want.
std::string segment_wants_help();
/// True when the answer is much larger than the question.
bool is_bulky_segments(const SegmentQuestions& questions);

/// Reads one line of `segment`, computes the answers and writes them. Never throws for what the line holds.
LineAnswer answer_segment_line(std::string_view line, std::size_t index, const SegmentQuestions& questions);

}  // namespace kirchhoff::cli
