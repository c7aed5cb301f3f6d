// One graph per line in, one answer per line out, in the same order and on several threads: what `tree` and `decode`
// share.
#pragma once

#include "verbs.hpp"

#include <functional>
#include <string_view>

namespace kirchhoff::cli {

struct LineOptions {
  InputOptions input;
  int threads = 0;
  bool strict = false;  ///< a graph without any tree ends the run
  bool quiet = false;
  bool bulky = false;                          ///< answers are much larger than questions: hold few of them at once
  std::string_view none = "without any tree";  ///< what the summary calls graphs without an answer
};

/// Exit status 0, or 1 when some graph has no tree. Throws FileError at the first bad line, those before it answered.
int run_lines(const LineOptions& options, const std::function<Answer(std::string_view)>& answer);

}  // namespace kirchhoff::cli
