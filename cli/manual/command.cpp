// Reads CLI11's tree of commands and options.
#include "manual/command.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace kirchhoff::cli {
namespace {

/// The choices in "single|multi".
std::vector<std::string> choices_in(const std::string& value) {
  if (value.find('|') == std::string::npos) return {};
  return CLI::detail::split(value, '|');
}

CommandOption option_of(const CLI::Option& option) {
  CommandOption out;
  out.positional = option.get_positional();
  out.required = option.get_required();
  out.description = option.get_description();
  if (out.positional) {
    out.names = {option.get_name(true, false)};
    out.choices = choices_in(option.get_type_name());
  } else {
    for (const std::string& name : option.get_snames()) out.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) out.names.push_back("--" + name);
    if (option.get_items_expected() > 0) out.value = option.get_type_name();
    out.choices = choices_in(out.value);
  }
  return out;
}

}  // namespace

Command command_of(const CLI::App& app) {
  Command out{app.get_name(), app.get_description(), app.get_footer(), {}, {}};
  for (const CLI::Option* option : app.get_options()) out.options.push_back(option_of(*option));
  for (const CLI::App* verb : app.get_subcommands({})) out.commands.push_back(command_of(*verb));
  return out;
}

}  // namespace kirchhoff::cli
