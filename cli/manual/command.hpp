// What a command takes, as plain data from CLI11's tree: completions and man pages are made of it, so they cannot
// differ from what is parsed.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace kirchhoff::cli {

/// An option or a file that a command takes.
struct CommandOption {
  std::vector<std::string> names;    ///< With their hyphens, short ones first; one name without for a positional.
  std::string value;                 ///< What the help calls its value; empty for a flag.
  std::vector<std::string> choices;  ///< All values, if there are only some.
  std::string description;
  bool positional = false;
  bool required = false;

  bool takes_value() const { return !value.empty(); }
  /// Whether its value is the name of a file.
  bool takes_file() const { return value == "FILE" || value == "MODEL"; }
};

struct Command {
  std::string name;
  std::string summary;
  std::string footer;
  std::vector<CommandOption> options;
  std::vector<Command> commands;  ///< Its verbs.
};

Command command_of(const CLI::App& app);

}  // namespace kirchhoff::cli
