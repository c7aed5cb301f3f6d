// The verbs `completions` and `man` write what shells and man pages know of the program, from its own options.
#include "io/files.hpp"
#include "manual/completions.hpp"
#include "manual/man_page.hpp"
#include "options.hpp"
#include "usage_error.hpp"
#include "verbs/verbs.hpp"

#include <fmt/format.h>

namespace kirchhoff::cli {
namespace {

constexpr const char* kCompletionsHelp =
    R"(An installed program has its completions installed with it. Otherwise, let the shell read them when it starts: put
'. <(kirchhoff completions bash)' in ~/.bashrc, '. <(kirchhoff completions zsh)' after compinit in ~/.zshrc, and
'kirchhoff completions fish | source' in ~/.config/fish/config.fish.

Example:
  kirchhoff completions bash
)";

constexpr const char* kManHelp =
    R"(Without VERB it is the page of the whole program. An installed program has its pages installed with it.

Example:
  kirchhoff man tree
)";

int print_page(const Command& program, const std::string& about) {
  if (about.empty()) {
    write_stdout(man_page(program));
    return 0;
  }
  for (const Command& verb : program.commands) {
    if (verb.name != about) continue;
    write_stdout(man_page_of_verb(verb));
    return 0;
  }
  throw UsageError(fmt::format("no command '{}'", about));
}

}  // namespace

Action add_completions(CLI::App& verb) {
  auto shell = std::make_shared<Shell>();
  add_choice(verb, "SHELL", *shell, "The shell that is to complete command lines.")->required();
  verb.footer(kCompletionsHelp);
  return [shell, &verb](std::string_view) {
    write_stdout(completions(command_of(*verb.get_parent()), *shell));
    return 0;
  };
}

Action add_man(CLI::App& verb) {
  auto about = std::make_shared<std::string>();
  add_text(verb, "VERB", *about, "", "The verb that the page is about.");
  verb.footer(kManHelp);
  return [about, &verb](std::string_view) { return print_page(command_of(*verb.get_parent()), *about); };
}

}  // namespace kirchhoff::cli
