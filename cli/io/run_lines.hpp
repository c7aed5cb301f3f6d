// One graph per line comes in and one answer per line goes out, in the same order and on several threads. This is what
// `tree`, `decode`, `sample` and `solve` share.
#pragma once

#include "io/line_answer.hpp"
#include "io/line_reader.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace kirchhoff::cli {

/// The options of verbs that answer line by line.
struct LineOptions {
  InputOptions input;
  int threads = 0;                    ///< 0 stands for all cores.
  bool strict = false;                ///< A graph without an answer ends the run.
  bool quiet = false;                 ///< No progress is shown.
  std::string_view items = "graphs";  ///< What the summary calls lines, and those that are infeasible.
  std::string_view infeasible = "without any tree";
};

/// How large the answers are: of answers that are much larger than their lines, only few are held at once.
enum class AnswerSize { like_lines, much_larger };

/// Makes the answer from a line's text and its index, which counts graphs from 0 and skips blank lines.
using AnswerLine = std::function<LineAnswer(std::string_view line, std::size_t index)>;

/// How lines are answered.
struct LineQuestions {
  AnswerLine answer;
  AnswerSize size = AnswerSize::like_lines;
  int trees = 1;  ///< How many trees an answer may have.
};

/// Returns exit status 0, or 1 when some graph has no answer. Throws FileError at the first bad line, after the answers
/// to the lines before it are written.
int run_lines(const LineOptions& options, const LineQuestions& questions);

}  // namespace kirchhoff::cli
