// The answer to one line of input.
#pragma once

#include <string>

namespace kirchhoff::cli {

struct LineAnswer {
  enum class Status { good, infeasible, bad, bug } status = Status::good;
  std::string output;   ///< A line of JSON; empty when the line is bad or its answer a bug.
  std::string message;  ///< "FIELD: problem" or "infeasible: ...".
};

}  // namespace kirchhoff::cli
