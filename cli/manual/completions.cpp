// Writes completion scripts that need nothing but the shell. Options that are not known to have few values are
// completed by files, which is right for files and does no harm for numbers.
#include "manual/completions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace kirchhoff::cli {
namespace {

/// The first sentence of a description, without its full stop.
std::string brief(const std::string& description) {
  const std::size_t end = std::min(description.find(". "), description.size());
  std::string out = description.substr(0, end);
  if (out.ends_with('.')) out.pop_back();
  return out;
}

std::string replaced(std::string_view text, std::string_view characters, const std::function<std::string(char)>& by) {
  std::string out;
  for (const char c : text) out += characters.find(c) == std::string_view::npos ? std::string(1, c) : by(c);
  return out;
}

/// Text in single quotes, for all three shells.
std::string in_quotes(const std::string& text) {
  return "'" + replaced(text, "'", [](char) { return "'\\''"; }) + "'";
}

std::vector<std::string> names_of(const std::vector<Command>& commands) {
  std::vector<std::string> out(commands.size());
  std::transform(commands.begin(), commands.end(), out.begin(), [](const Command& command) { return command.name; });
  return out;
}

std::vector<std::string> names_of(const std::vector<CommandOption>& options) {
  std::vector<std::string> out;
  for (const CommandOption& option : options) {
    if (!option.positional) out.insert(out.end(), option.names.begin(), option.names.end());
  }
  return out;
}

/// What may follow a verb besides options and files: its own verbs, all verbs, or values such as "bash".
std::vector<std::string> words_after(const Command& verb, const Command& program) {
  if (!verb.commands.empty()) return names_of(verb.commands);
  if (verb.name == "help" || verb.name == "man") return names_of(program.commands);
  for (const CommandOption& option : verb.options) {
    if (option.positional) return option.choices;
  }
  return {};
}

std::string bash_verb(const Command& verb, const Command& program) {
  std::string out = fmt::format("    {})\n", verb.name);
  out += "      case $previous in\n";
  for (const CommandOption& option : verb.options) {
    if (!option.takes_value()) continue;
    out += fmt::format("        {}) words={} ;;\n", fmt::join(option.names, "|"),
                       in_quotes(fmt::format("{}", fmt::join(option.choices, " "))));
  }
  std::vector<std::string> options = names_of(verb.options);
  for (const Command& inner : verb.commands) {
    const std::vector<std::string> more = names_of(inner.options);
    options.insert(options.end(), more.begin(), more.end());
  }
  out += fmt::format("        *) words={}; [[ $current == -* ]] && words={} ;;\n      esac ;;\n",
                     in_quotes(fmt::format("{}", fmt::join(words_after(verb, program), " "))),
                     in_quotes(fmt::format("{}", fmt::join(options, " "))));
  return out;
}

std::string bash(const Command& program) {
  std::string out = R"(# Completes the command line of kirchhoff in bash. Made by 'kirchhoff completions bash'.
_kirchhoff() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} words=''
  # In --option=value, bash takes "=" for a word of its own.
  [[ $previous == '=' ]] && previous=${COMP_WORDS[COMP_CWORD-2]}
  [[ $current == '=' ]] && current=''
)";
  std::vector<std::string> first = names_of(program.commands);
  const std::vector<std::string> options = names_of(program.options);
  first.insert(first.end(), options.begin(), options.end());
  out += fmt::format("  if ((COMP_CWORD == 1)); then\n    words={}\n  else\n    case ${{COMP_WORDS[1]}} in\n",
                     in_quotes(fmt::format("{}", fmt::join(first, " "))));
  for (const Command& verb : program.commands) out += bash_verb(verb, program);
  return out + R"(    esac
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}
complete -o bashdefault -o default -F _kirchhoff kirchhoff
)";
}

/// Text inside a specification of zsh's _arguments and _describe.
std::string zsh_text(const std::string& text) {
  return replaced(text, "[]:\\", [](char c) { return std::string("\\") + c; });
}

std::string zsh_option(const CommandOption& option) {
  const std::string action = option.choices.empty() ? "_files" : fmt::format("({})", fmt::join(option.choices, " "));
  std::string out;
  for (const std::string& name : option.names) {
    std::string spec = fmt::format("({}){}{}[{}]", fmt::join(option.names, " "), name, option.takes_value() ? "=" : "",
                                   zsh_text(brief(option.description)));
    if (option.takes_value()) spec += fmt::format(":{}:{}", zsh_text(option.value), action);
    out += (out.empty() ? "" : " ") + in_quotes(spec);
  }
  return out;
}

std::string zsh_verb(const Command& verb, const Command& program) {
  std::string out = fmt::format("        {})\n          _arguments", verb.name);
  for (const CommandOption& option : verb.options) {
    if (!option.positional) out += " \\\n            " + zsh_option(option);
  }
  const std::vector<std::string> words = words_after(verb, program);
  if (!words.empty()) out += fmt::format(" \\\n            '1:word:({})'", fmt::join(words, " "));
  return out + " \\\n            '*:file:_files' ;;\n";
}

std::string zsh(const Command& program) {
  std::string out = R"(#compdef kirchhoff
# Completes the command line of kirchhoff in zsh. Made by 'kirchhoff completions zsh'.
_kirchhoff() {
  local curcontext="$curcontext" state line
  local -a verbs
  verbs=(
)";
  for (const Command& verb : program.commands) {
    out += fmt::format("    {}\n", in_quotes(fmt::format("{}:{}", verb.name, zsh_text(verb.summary))));
  }
  out += "  )\n  _arguments -C";
  for (const CommandOption& option : program.options) out += " \\\n    " + zsh_option(option);
  out += R"( \
    '1:verb:->verb' \
    '*::argument:->argument'
  case $state in
    verb) _describe verb verbs ;;
    argument)
      case $line[1] in
)";
  for (const Command& verb : program.commands) out += zsh_verb(verb, program);
  return out + R"(      esac ;;
  esac
}
if [ "$funcstack[1]" = _kirchhoff ]; then _kirchhoff "$@"; else compdef _kirchhoff kirchhoff; fi
)";
}

std::string fish_option(const CommandOption& option, const std::string& condition) {
  if (option.positional) return {};  // fish completes files by itself
  std::string out = "complete -c kirchhoff" + condition;
  for (const std::string& name : option.names) {
    const bool is_long = name.starts_with("--");
    out += fmt::format(" -{} {}", is_long ? "l" : "s", name.substr(is_long ? 2 : 1));
  }
  if (!option.choices.empty()) {
    out += fmt::format(" -x -a {}", in_quotes(fmt::format("{}", fmt::join(option.choices, " "))));
  } else if (option.takes_value()) {
    out += option.takes_file() ? " -r -F" : " -x";
  }
  return out + fmt::format(" -d {}\n", in_quotes(brief(option.description)));
}

std::string fish(const Command& program) {
  std::string out = "# Completes the command line of kirchhoff in fish. Made by 'kirchhoff completions fish'.\n";
  for (const CommandOption& option : program.options) out += fish_option(option, " -n __fish_use_subcommand");
  for (const Command& verb : program.commands) {
    out += fmt::format("complete -c kirchhoff -n __fish_use_subcommand -f -a {} -d {}\n", verb.name,
                       in_quotes(verb.summary));
    const std::string condition = fmt::format(" -n '__fish_seen_subcommand_from {}'", verb.name);
    for (const CommandOption& option : verb.options) out += fish_option(option, condition);
    const std::vector<std::string> words = words_after(verb, program);
    if (words.empty()) continue;
    out +=
        fmt::format("complete -c kirchhoff{} -a {}\n", condition, in_quotes(fmt::format("{}", fmt::join(words, " "))));
  }
  return out;
}

}  // namespace

std::string completions(const Command& program, Shell shell) {
  switch (shell) {
    case Shell::bash:
      return bash(program);
    case Shell::zsh:
      return zsh(program);
    case Shell::fish:
      return fish(program);
  }
  return {};
}

}  // namespace kirchhoff::cli
