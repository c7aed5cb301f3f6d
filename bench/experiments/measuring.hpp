// What measuring programs share: `--name value` options, how they end, sentences, and the arc scores of a parser.
#pragma once

#include <kirchhoff/parser.hpp>

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

  bool has(const std::string& name) const { return values_.contains(name); }
  /// Throws std::runtime_error when the option is missing.
  const std::string& text(const std::string& name) const;
  /// Throws std::runtime_error when the value is not a number, or missing where there is no other.
  double number(const std::string& name) const;
  double number(const std::string& name, double fallback) const { return has(name) ? number(name) : fallback; }
  int whole(const std::string& name, int fallback) const { return static_cast<int>(number(name, fallback)); }

 private:
  std::map<std::string, std::string> values_;
};

/// Runs `work`; an exception is reported on standard error. Returns the exit status.
int report_errors(const char* program, const std::function<void()>& work);

/// The main function of a program with these options.
int measure(int argc, char** argv, const std::vector<std::string>& known,
            const std::function<void(const Arguments&)>& run);

/// Throws std::runtime_error when there are none.
std::vector<kirchhoff::Sentence> sentences_of(const std::string& path);

/// A parser's arc scores. Arcs that were pruned get e^-30 of the weight of the least likely other one, because older
/// methods know no zeros.
Matrix scores_of(Parser& parser, const kirchhoff::Sentence& sentence);

}  // namespace kirchhoff::bench
