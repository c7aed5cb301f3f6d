// Reads the command line with CLI11 and calls the verb it names. Every error becomes one line on standard error.
#include "program.hpp"

#include "help_formatter.hpp"
#include "io/files.hpp"
#include "io/memory.hpp"
#include "io/terminal.hpp"
#include "usage_error.hpp"
#include "verbs/parse_table.hpp"

#include <kirchhoff/version.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <new>
#include <sstream>
#include <string>
#include <vector>

namespace kirchhoff::cli {
namespace {

constexpr int kError = 1;
constexpr int kUsage = 2;

constexpr const char* kDescription = "Inference over trees, automata and factor graphs, and a dependency parser.";
constexpr const char* kFooter =
    R"('kirchhoff VERB --help' explains a verb and its options. Manual: docs/reference/cli.md

Example:
  kirchhoff help tree
)";

/// Writes a text that CLI11 made by way of string streams, which leave out what they have no memory for.
void write_help(const std::string& text) {
  if (refused_memory() > 0) throw std::bad_alloc();
  write_stdout(text);
}

/// A verb with the parser of its options.
struct AddedVerb {
  CLI::App* parser;
  Action action;
};

std::vector<AddedVerb> add_verbs(CLI::App& app, std::span<const Verb> verbs) {
  std::vector<AddedVerb> added;
  for (const Verb& verb : verbs) {
    CLI::App* parser = app.add_subcommand(std::string(verb.name), std::string(verb.summary));
    added.push_back({parser, verb.add(*parser)});
  }
  return added;
}

int print_help(const CLI::App& app, const std::vector<AddedVerb>& verbs, std::string_view about) {
  if (about.empty()) {
    write_help(app.help());
    return 0;
  }
  for (const AddedVerb& verb : verbs) {
    if (verb.parser->get_name() != about) continue;
    write_help(verb.parser->help("kirchhoff"));
    return 0;
  }
  throw UsageError(fmt::format("no command '{}'", about));
}

std::string version_text() {
  const BuildInfo build = build_info();
  return fmt::format("kirchhoff {}\ncommit {}\nkernels for {}\nwith {}", kVersion, build.commit, build.simd,
                     build.libraries);
}

int usage_error(const CLI::App& app, const std::string& message) {
  const auto verbs = app.get_subcommands();
  const std::string verb = verbs.empty() ? "" : verbs.front()->get_name() + " ";
  complain(fmt::format("{} (see 'kirchhoff {}--help')", message, verb));
  return kUsage;
}

int run(std::span<const Verb> table, int argc, const char* const* argv) {
  CLI::App app(kDescription, "kirchhoff");
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_help_flag("-h,--help", "Prints this help and exits.");
  app.set_version_flag("--version", version_text(), "Prints the version, the commit and what is built in, and exits.");
  app.footer(kFooter);
  app.require_subcommand(0, 1);  // What follows a verb is not another one: a file may be called "model".
  const std::vector<AddedVerb> verbs = add_verbs(app, table);
  app.add_subcommand("help", "Explain a verb: kirchhoff help tree");
  const std::vector<std::string_view> words(argv, argv + argc);
  try {
    // This comes first, because CLI11 would take the second word for a verb to run.
    if (argc > 1 && words[1] == "help") return print_help(app, verbs, argc > 2 ? words[2] : "");
    app.parse(argc, argv);
    for (const AddedVerb& verb : verbs) {
      if (verb.parser->parsed()) return verb.action(fmt::format("{}", fmt::join(words, " ")));
    }
  } catch (const CLI::Success& e) {
    std::ostringstream text;
    const int status = app.exit(e, text);
    write_help(text.str());
    return status;
  } catch (const CLI::ParseError& e) {
    return usage_error(app, e.what());
  } catch (const UsageError& e) {
    return usage_error(app, e.what());
  }
  write_stderr(app.help());
  return kUsage;
}

}  // namespace

int run_program(std::span<const Verb> verbs, int argc, const char* const* argv) {
  prepare_for_lack_of_memory(argc > 1 ? argv[1] : "");
  try {
    parse_table_in_python(std::span(argv, static_cast<std::size_t>(argc)));
    return run(verbs, argc, argv);
  } catch (...) {
    complain_of_current_exception();
  }
  return kError;
}

}  // namespace kirchhoff::cli
