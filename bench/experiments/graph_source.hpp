// Where the programs about sampling take their graphs from: arc scores of a trained parser, or random weights.
//
//   --model FILE --data FILE [--graphs N]       the sentences of a treebank; at most N of them, spread over the whole
//     --words N                                 those of N words or more
//     --softmax 1                               in place of the scores, logarithms of the marginals of trees with one
//                                               root child: what a softmax over the heads of each word by itself would
//                                               give if it were trained to agree with this model
//   --weights NAME --words N --graphs N         random graphs, by one of the names in graph_source.cpp
#pragma once

#include <kirchhoff/types.hpp>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace kirchhoff::bench {

/// The options `--name value` of a command line.
class Arguments {
 public:
  /// Throws std::runtime_error when an option is not among the known ones or has no value.
  Arguments(int argc, char** argv, const std::vector<std::string>& known);

  bool has(const std::string& name) const { return values_.count(name) > 0; }
  /// Throws std::runtime_error when the option is missing.
  const std::string& text(const std::string& name) const;
  /// Throws std::runtime_error when the value is not a number.
  double number(const std::string& name, double fallback) const;
  int whole(const std::string& name, int fallback) const { return static_cast<int>(number(name, fallback)); }

 private:
  std::map<std::string, std::string> values_;
};

/// The options that for_each_graph reads.
inline const std::vector<std::string> kGraphOptions = {"model", "data", "weights", "words", "graphs", "softmax"};

/// Random graphs are made one after the other, so that any number of them fits into memory. Sentences of fewer than two
/// words, which have one tree, are left out.
void for_each_graph(const Arguments& arguments, const std::function<void(const Matrix& scores)>& use);

/// Runs `work`; an exception is reported on standard error. Returns the exit status.
int report_errors(const char* program, const std::function<void()>& work);

}  // namespace kirchhoff::bench
