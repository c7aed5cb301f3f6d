// One graph per line in, one answer per line out, in the same order and on several threads: what
// `tree`, `decode` and `sample` share.
#pragma once

#include "verbs/verbs.hpp"

#include <functional>
#include <string_view>

namespace kirchhoff::cli {

/// From a line's text and its index: 0 for the first graph, 1 for the second, whatever blank lines are between.
using AnswerLine = std::function<Answer(std::string_view line, std::size_t index)>;

/// `bulky`: answers are much larger than questions, so that few of them should be held at once. Exit status 0, or 1
/// when some graph has no tree. Throws FileError at the first bad line, those before it answered.
int run_lines(const LineOptions& options, bool bulky, const AnswerLine& answer);

}  // namespace kirchhoff::cli
