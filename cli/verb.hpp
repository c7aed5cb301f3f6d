// The one interface between the program and its verbs: a name, a line of help, and a function that adds the options.
#pragma once

#include <functional>
#include <string_view>

namespace CLI {
class App;
}

namespace kirchhoff::cli {

/// Runs a verb whose options have been read, and returns the exit status. The command line comes as it was typed, for
/// records such as a model card.
using Action = std::function<int(std::string_view command_line)>;

struct Verb {
  std::string_view name;
  std::string_view summary;       ///< The line of `kirchhoff --help`.
  Action (*add)(CLI::App& verb);  ///< Adds options and help to the verb's own parser.
};

}  // namespace kirchhoff::cli
