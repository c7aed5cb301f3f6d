// What can be asked of a graph: one table of names, each with the fields it needs and the library call that answers it.
#pragma once

#include "json/graph_line.hpp"

#include <kirchhoff/tree.hpp>

#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace kirchhoff::cli {

/// The command line is wrong: exit status 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One item of --want.
struct Ask {
  std::size_t want = 0;  ///< row of the table
  double parameter = 0.0;
};

struct Question {
  Root root = Root::single;
  Accuracy accuracy;
  std::vector<Ask> asks;
  bool all = false;  ///< instead of asks: whatever the line has the fields for
};

/// "log_partition,renyi=2" or "all". Throws UsageError.
void parse_wants(std::string_view list, Question& question);

/// Lines of help, one per want.
std::string wants_help();

/// True when the answer is much larger than the question, so that few of them should be held at once.
bool is_bulky(const Question& question);

struct Answer {
  enum class Status { good, infeasible, bad, bug } status = Status::good;
  std::string output;   ///< a line of JSON; empty when bad or a bug
  std::string message;  ///< "FIELD: problem" or "infeasible: ..."
};

/// "[function] problem" -> "problem": who uses the program does not know the function.
std::string without_function(std::string_view message);

/// Reads one line and gives it to `answer_text`, which makes the output line; never throws for what the line holds.
Answer answer_graph(std::string_view line, const std::function<std::string(const Graph&)>& answer_text);

/// Reads, computes and formats one line of `tree`.
Answer answer_line(std::string_view line, const Question& question);

}  // namespace kirchhoff::cli
