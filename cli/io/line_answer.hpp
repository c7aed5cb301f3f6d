// The answer to one line of input.
#pragma once

#include <string>

namespace kirchhoff::cli {

struct LineAnswer {
  /// A line that is `infeasible` or `unanswered` is answered with that, and the run goes on; what is bad ends it.
  enum class Status { good, infeasible, unanswered, bad, bug } status = Status::good;
  std::string output;   ///< A line of JSON; empty when the line is bad or its answer a bug.
  std::string message;  ///< "FIELD: problem" or "infeasible: ...".

  bool ends_run(bool strict) const { return status > Status::unanswered || (strict && status != Status::good); }
};

}  // namespace kirchhoff::cli
