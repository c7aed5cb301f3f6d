// The command line: options to one verb, exceptions to one line and an exit status.
#include "files.hpp"
#include "parser_verbs.hpp"
#include "treebank_verbs.hpp"
#include "verbs.hpp"

#include <kirchhoff/version.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <csignal>
#include <new>

namespace kirchhoff::cli {
namespace {

constexpr int kError = 1;
constexpr int kUsage = 2;

constexpr const char* kDescription = "Exact inference over dependency trees (spanning arborescences).";

constexpr const char* kTreeExample =
    R"(Input: one JSON object per line, {"id":..., "scores":[[...]]}; row = head, column = dependent, node 0 = root,
null = impossible; column 0 and the diagonal are ignored. Manual: docs/cli.md

Example, two words:
  echo '{"id":"a","scores":[[null,0,1],[null,null,2],[null,0.5,null]]}' |
    kirchhoff tree --root single --want log_partition,marginals,entropy
)";

constexpr const char* kDecodeExample =
    R"(Input: as for 'kirchhoff tree', with optional "require":[[head,dependent],...] and "forbid":[...] on each line.
Output: {"id":..., "trees":[{"heads":[...], "score":..., "log_prob":...}, ...], "mass":...}, best tree first;
log_prob and mass are given that the line's constraints hold. Manual: docs/cli.md

Example, the two best trees in which word 2 is not the root's child:
  echo '{"id":"a","scores":[[null,0,1,2],[null,null,2,0],[null,0.5,null,1],[null,1,3,null]],"forbid":[[0,2]]}' |
    kirchhoff decode --root single --k 2
)";

constexpr const char* kDrawExample =
    R"(Input: as for 'kirchhoff tree', with an optional "words":["She","saw",...] on each line.

Example, two words:
  echo '{"words":["Birds","sing"],"scores":[[null,0,3],[null,null,1],[null,4,null]]}' |
    kirchhoff draw --root single --html birds.html
)";

struct Options {
  std::string root;
  std::string method = "auto";
  std::string want = "log_partition,marginals";
  TreeOptions tree;
  DecodeOptions decode;
  DrawOptions draw;
  TreebankVerbs treebank;
  ParserVerbs parser;
};

struct NamedMethod {
  std::string_view name;
  Method method;
};
constexpr NamedMethod kMethods[] = {{"auto", Method::automatic}, {"fast", Method::fast}, {"robust", Method::robust}};

// CLI11's own says "not in range 2.2e-308 - 1.7e308", with all digits.
std::string positive_number(std::string& text) {
  double value = 0.0;
  const bool good = CLI::detail::lexical_cast(text, value) && value > 0.0 && value <= 1.0;
  return good ? "" : fmt::format("'{}' is not a number above 0 and at most 1", text);
}

void add_shared(CLI::App& verb, Options& options, InputOptions& input, Accuracy& accuracy, bool& quiet) {
  verb.add_option("--root", options.root, "How many children the root has: exactly one, or any number")
      ->required()
      ->type_name("single|multi")
      ->check(CLI::IsMember({"single", "multi"}).description(""));
  verb.add_option("--method", options.method, "auto: fast where its error is within the tolerance [auto]")
      ->type_name("auto|fast|robust")
      ->check(CLI::IsMember({"auto", "fast", "robust"}).description(""));
  verb.add_option("--tolerance", accuracy.tolerance, "Relative error of marginals the fast method may have [1e-12]")
      ->type_name("X")
      ->check(CLI::Validator(positive_number, ""));
  input.max_line_mb = default_max_line_mb();
  verb.add_option("--max-line-mb", input.max_line_mb, fmt::format("Refuse longer lines [{}]", input.max_line_mb))
      ->type_name("MB")
      ->check(CLI::Range(1, 4000).description(""));
  verb.add_flag("--quiet", quiet, "No progress and no summary on standard error");
  verb.add_option("FILE", input.file, "JSON lines; - or nothing: standard input")->type_name("");
}

void add_tree(CLI::App& app, Options& options) {
  CLI::App& verb = *app.add_subcommand("tree", "Answer questions about each graph of a JSON Lines file");
  add_shared(verb, options, options.tree.input, options.tree.question.accuracy, options.tree.quiet);
  verb.add_option("--want", options.want, "What to compute, separated by commas [log_partition,marginals]")
      ->type_name("LIST");
  verb.add_option("--threads", options.tree.threads, "0: all cores [0]")
      ->type_name("T")
      ->check(CLI::Range(0, 1024).description(""));
  verb.add_flag("--strict", options.tree.strict, "Stop at the first graph without any tree");
  verb.footer(fmt::format("--want takes any of these, or 'all' (whatever the line has the fields for):\n{}\n{}",
                          wants_help(), kTreeExample));
}

void add_decode(CLI::App& app, Options& options) {
  CLI::App& verb = *app.add_subcommand("decode", "Find the best trees of each graph of a JSON Lines file");
  add_shared(verb, options, options.decode.input, options.decode.accuracy, options.decode.quiet);
  CLI::Option* k = verb.add_option("--k", options.decode.k, "How many trees, best first [1]")
                       ->type_name("K")
                       ->check(CLI::Range(0, 1'000'000'000).description(""));
  verb.add_flag("--mbr", options.decode.mbr, "Instead, the tree with the most heads expected to be right")->excludes(k);
  verb.add_option("--threads", options.decode.threads, "0: all cores [0]")
      ->type_name("T")
      ->check(CLI::Range(0, 1024).description(""));
  verb.add_flag("--strict", options.decode.strict, "Stop at the first graph without any tree");
  verb.footer(kDecodeExample);
}

void add_draw(CLI::App& app, Options& options) {
  CLI::App& verb = *app.add_subcommand("draw", "Print each sentence's likely heads; draw them as HTML or SVG");
  add_shared(verb, options, options.draw.input, options.draw.accuracy, options.draw.quiet);
  verb.add_option("--html", options.draw.html, "Write a page with the arcs drawn")->type_name("FILE");
  verb.add_option("--svg", options.draw.svg, "Write one picture with the arcs drawn")->type_name("FILE");
  verb.add_option("--min-probability", options.draw.min_probability, "Show arcs at least this probable [0.05]")
      ->type_name("P")
      ->check(CLI::Range(0.0, 1.0).description(""));
  verb.footer(kDrawExample);
}

Accuracy accuracy_of(Accuracy accuracy, const std::string& method) {
  for (const NamedMethod& m : kMethods) {
    if (m.name == method) accuracy.method = m.method;
  }
  return accuracy;
}

Root root_of(const std::string& name) { return name == "multi" ? Root::multi : Root::single; }

int tree(Options& options) {
  Question& question = options.tree.question;
  question.root = root_of(options.root);
  question.accuracy = accuracy_of(question.accuracy, options.method);
  parse_wants(options.want, question);
  return run_tree(options.tree);
}

int decode(Options& options) {
  options.decode.root = root_of(options.root);
  options.decode.accuracy = accuracy_of(options.decode.accuracy, options.method);
  return run_decode(options.decode);
}

int draw(Options& options) {
  options.draw.root = root_of(options.root);
  options.draw.accuracy = accuracy_of(options.draw.accuracy, options.method);
  return run_draw(options.draw);
}

int help(const CLI::App& app, std::string_view about) {
  if (about.empty()) {
    write_stdout(app.help());
    return 0;
  }
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (verb->get_name() != about) continue;
    write_stdout(verb->help("kirchhoff"));
    return 0;
  }
  throw UsageError(fmt::format("no command '{}'", about));
}

int run_verb(const CLI::App& app, Options& options) {
  if (app.got_subcommand("tree")) return tree(options);
  if (app.got_subcommand("decode")) return decode(options);
  if (app.got_subcommand("draw")) return draw(options);
  if (const auto status = run_treebank_verb(app, options.treebank)) return *status;
  if (const auto status = run_parser_verb(app, options.parser)) return *status;
  fmt::print(stderr, "{}", app.help());
  return kUsage;
}

int usage_error(const CLI::App& app, const std::string& message) {
  const auto verbs = app.get_subcommands();
  const std::string verb = verbs.empty() ? "" : verbs.front()->get_name() + " ";
  complain(fmt::format("{} (see 'kirchhoff {}--help')", message, verb));
  return kUsage;
}

int run(int argc, char** argv) {
  CLI::App app(kDescription, "kirchhoff");
  app.set_version_flag("--version", std::string("kirchhoff ") + kVersion);
  Options options;
  add_tree(app, options);
  add_decode(app, options);
  add_draw(app, options);
  add_treebank_verbs(app, options.treebank);
  add_parser_verbs(app, options.parser);
  for (int i = 0; i < argc; ++i) options.parser.train.command += (i > 0 ? " " : "") + std::string(argv[i]);
  app.add_subcommand("help", "Help about a command: kirchhoff help tree");
  try {
    // Before CLI11 takes the second word for a command.
    if (argc > 1 && std::string_view(argv[1]) == "help") return help(app, argc > 2 ? argv[2] : "");
    app.parse(argc, argv);
    return run_verb(app, options);
  } catch (const CLI::Success& e) {
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    return usage_error(app, e.what());
  } catch (const UsageError& e) {
    return usage_error(app, e.what());
  }
}

int guarded(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::bad_alloc&) {
    complain("out of memory");
  } catch (const std::exception& e) {
    complain(e.what());
  }
  return kError;
}

}  // namespace
}  // namespace kirchhoff::cli

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is an error of write()
  return kirchhoff::cli::guarded(argc, argv);
}
