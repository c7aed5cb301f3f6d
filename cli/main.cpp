// The command line: options to one verb, exceptions to one line and an exit status.
#include "answers/wfsm_wants.hpp"
#include "io/files.hpp"
#include "verbs/parser_verbs.hpp"
#include "verbs/solve_options.hpp"
#include "verbs/treebank_verbs.hpp"
#include "verbs/verbs.hpp"

#include <kirchhoff/version.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <charconv>
#include <csignal>
#include <cstdint>
#include <map>
#include <new>

namespace kirchhoff::cli {
namespace {

constexpr int kError = 1;
constexpr int kUsage = 2;

constexpr int kMaxTrees = 1'000'000'000;

constexpr const char* kDescription = "Inference over trees, automata and factor graphs, and a dependency parser.";

constexpr const char* kTreeExample =
    R"(Input: one JSON object per line, {"id":..., "scores":[[...]]}; row = head, column = dependent, node 0 = root,
null = impossible; column 0 and the diagonal are ignored. Manual: docs/reference/cli.md

Example, two words:
  echo '{"id":"a","scores":[[null,0,1],[null,null,2],[null,0.5,null]]}' |
    kirchhoff tree --root single --want log_partition,marginals,entropy
)";

constexpr const char* kDecodeExample =
    R"(Input: as for 'kirchhoff tree', with optional "require":[[head,dependent],...] and "forbid":[...] on each line.
Output: {"id":..., "trees":[{"heads":[...], "score":..., "log_prob":...}, ...], "mass":...}, best tree first;
log_prob and mass are given that the line's constraints hold. Manual: docs/reference/cli.md

Example, the two best trees in which word 2 is not the root's child:
  echo '{"id":"a","scores":[[null,0,1,2],[null,null,2,0],[null,0.5,null,1],[null,1,3,null]],"forbid":[[0,2]]}' |
    kirchhoff decode --root single --k 2
)";

constexpr const char* kSampleExample =
    R"(Input: as for 'kirchhoff decode'.
Output: {"id":..., "trees":[{"heads":[...], "score":..., "log_prob":...}, ...], "method":...}, with the method that ran;
beam adds "perturbed" to each tree and "threshold" to the line. Manual: docs/reference/cli.md

Example, how often each tree comes up among 1000:
  echo '{"id":"a","scores":[[null,0,1,2],[null,null,2,0],[null,0.5,null,1],[null,1,3,null]],"forbid":[[0,2]]}' |
    kirchhoff sample --root single --count 1000 --counts
)";

constexpr const char* kDrawExample =
    R"(Input: as for 'kirchhoff tree', with an optional "words":["She","saw",...] on each line.

Example, two words:
  echo '{"words":["Birds","sing"],"scores":[[null,0,3],[null,null,1],[null,4,null]]}' |
    kirchhoff draw --root single --html birds.html
)";

constexpr const char* kWfsmExample =
    R"(Input: AT&T text, as OpenFst's fstprint writes it. Lines FROM TO SYMBOL [WEIGHT] (acceptor), FROM TO SYMBOL OUTPUT
[WEIGHT] (transducer, if some line has five fields) and STATE [WEIGHT] (final); the first line's state is the start.
Output: one JSON object. Manual: docs/guides/machines.md

Example, a loop of weight exp(-1) and a way out:
  printf '0 0 1 1.0\n0 1 2 0.5\n1\n' | kirchhoff wfsm --want log_partition,counts,entropy,paths=2,string="1 1 2"
)";

struct Options {
  std::string root;
  std::string method = "auto";
  std::string want = "log_partition,marginals";
  TreeOptions tree;
  DecodeOptions decode;
  SamplingOptions sample;
  DrawOptions draw;
  WfsmOptions wfsm;
  SolveOptions solve;
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

// CLI11 takes -1 and numbers of more than 64 bits.
std::string seed_number(std::string& text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool good = error == std::errc() && end == text.data() + text.size();
  return good ? "" : fmt::format("'{}' is not a whole number from 0 to 2^64 - 1", text);
}

void add_root(CLI::App& verb, std::string& root) {
  verb.add_option("--root", root, "How many children the root has: exactly one, or any number")
      ->required()
      ->type_name("single|multi")
      ->check(CLI::IsMember({"single", "multi"}).description(""));
}

void add_input(CLI::App& verb, InputOptions& input, bool& quiet) {
  input.max_line_mb = default_max_line_mb();
  verb.add_option("--max-line-mb", input.max_line_mb, fmt::format("Refuse longer lines [{}]", input.max_line_mb))
      ->type_name("MB")
      ->check(CLI::Range(1, 4000).description(""));
  verb.add_flag("--quiet", quiet, "No progress and no summary on standard error");
  verb.add_option("FILE", input.file, "JSON lines; - or nothing: standard input")->type_name("");
}

void add_lines(CLI::App& verb, LineOptions& lines) {
  verb.add_option("--threads", lines.threads, "0: all cores [0]")
      ->type_name("T")
      ->check(CLI::Range(0, 1024).description(""));
  verb.add_flag("--strict", lines.strict, "Stop at the first graph without any tree");
  add_input(verb, lines.input, lines.quiet);
}

void add_accuracy(CLI::App& verb, std::string& method, Accuracy& accuracy) {
  verb.add_option("--method", method, "auto: fast where its error is within the tolerance [auto]")
      ->type_name("auto|fast|robust")
      ->check(CLI::IsMember({"auto", "fast", "robust"}).description(""));
  verb.add_option("--tolerance", accuracy.tolerance, "Relative error of marginals the fast method may have [1e-12]")
      ->type_name("X")
      ->check(CLI::Validator(positive_number, ""));
}

void add_tree(CLI::App& app, Options& options) {
  CLI::App& verb = *app.add_subcommand("tree", "Answer questions about each graph of a JSON Lines file");
  add_root(verb, options.root);
  verb.add_option("--want", options.want, "What to compute, separated by commas [log_partition,marginals]")
      ->type_name("LIST");
  add_accuracy(verb, options.method, options.tree.question.accuracy);
  add_lines(verb, options.tree.lines);
  verb.footer(fmt::format("--want takes any of these, or 'all' (whatever the line has the fields for):\n{}\n{}",
                          wants_help(), kTreeExample));
}

void add_decode(CLI::App& app, Options& options) {
  CLI::App& verb = *app.add_subcommand("decode", "Find the best trees of each graph of a JSON Lines file");
  add_root(verb, options.root);
  CLI::Option* k = verb.add_option("--k", options.decode.k, "How many trees, best first [1]")
                       ->type_name("K")
                       ->check(CLI::Range(0, kMaxTrees).description(""));
  verb.add_flag("--mbr", options.decode.mbr, "Instead, the tree with the most heads expected to be right")->excludes(k);
  add_accuracy(verb, options.method, options.decode.accuracy);
  add_lines(verb, options.decode.lines);
  verb.footer(kDecodeExample);
}

void add_sample(CLI::App& app, Options& options) {
  CLI::App& verb = *app.add_subcommand("sample", "Draw random trees of each graph of a JSON Lines file");
  SamplingOptions& sample = options.sample;
  add_root(verb, options.root);
  verb.add_option("--count", sample.count, "How many trees of each graph")
      ->required()
      ->type_name("K")
      ->check(CLI::Range(0, kMaxTrees).description(""));
  verb.add_option("--method", sample.method, "How they are drawn: see below [auto]")->type_name("NAME");
  verb.add_flag("--without-replacement", sample.without_replacement, "No tree twice; auto is then beam");
  verb.add_option("--seed", sample.seed, "Other seeds, other trees; graph i (from 0) has seed S + i [0]")
      ->type_name("S")
      ->check(CLI::Validator(seed_number, ""));
  verb.add_flag("--counts", sample.counts, "Each tree once, with how often it was drawn, most frequent first");
  add_lines(verb, sample.lines);
  verb.footer(fmt::format("--method takes one of these:\n{}\n{}", sample_methods_help(), kSampleExample));
}

void add_draw(CLI::App& app, Options& options) {
  CLI::App& verb = *app.add_subcommand("draw", "Print each sentence's likely heads; draw them as HTML or SVG");
  add_root(verb, options.root);
  verb.add_option("--html", options.draw.html, "Write a page with the arcs drawn")->type_name("FILE");
  verb.add_option("--svg", options.draw.svg, "Write one picture with the arcs drawn")->type_name("FILE");
  verb.add_option("--min-probability", options.draw.min_probability, "Show arcs at least this probable [0.05]")
      ->type_name("P")
      ->check(CLI::Range(0.0, 1.0).description(""));
  add_accuracy(verb, options.method, options.draw.accuracy);
  add_input(verb, options.draw.input, options.draw.quiet);
  verb.footer(kDrawExample);
}

void add_wfsm(CLI::App& app, Options& options) {
  CLI::App& verb = *app.add_subcommand("wfsm", "Answer questions about a weighted finite-state machine");
  WfsmOptions& o = options.wfsm;
  verb.add_option("--want", o.want, "What to compute, separated by commas [log_partition,counts]")->type_name("LIST");
  verb.add_option("--isymbols", o.input_symbols, "Names of the symbols, lines NAME NUMBER")->type_name("FILE");
  verb.add_option("--osymbols", o.output_symbols, "The same for a transducer's output")->type_name("FILE");
  const std::map<std::string, WeightKind> weights = {
      {"neglog", WeightKind::neglog}, {"log", WeightKind::log}, {"real", WeightKind::real}};
  verb.add_option("--weights", o.weights, "What the weights are: -log w, log w or w [neglog]")
      ->type_name("neglog|log|real")
      ->transform(CLI::CheckedTransformer(weights).description(""));
  const std::map<std::string, ArcFormat> arcs = {
      {"auto", ArcFormat::automatic}, {"acceptor", ArcFormat::acceptor}, {"transducer", ArcFormat::transducer}};
  verb.add_option("--arcs", o.arcs, "What lines with four fields are [auto]")
      ->type_name("auto|acceptor|transducer")
      ->transform(CLI::CheckedTransformer(arcs).description(""));
  verb.add_option("--features", o.features, "Lines ARC FEATURE VALUE, arcs and features from 0")->type_name("FILE");
  add_accuracy(verb, options.method, o.accuracy);
  verb.add_option("--seed", o.seed, "Of the samples [0]")->type_name("S")->check(CLI::Validator(seed_number, ""));
  verb.add_option("--threads", o.threads, "For the samples, 0: all cores [0]")
      ->type_name("T")
      ->check(CLI::Range(0, 1024).description(""));
  verb.add_flag("--quiet", o.quiet, "Nothing on standard error but errors");
  verb.add_option("FILE", o.file, "AT&T text; - or nothing: standard input")->type_name("");
  verb.footer(fmt::format("--want takes any of these:\n{}\n{}", wfsm_wants_help(), kWfsmExample));
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

int sample(Options& options) {
  options.sample.root = root_of(options.root);
  return run_sample(options.sample);
}

int draw(Options& options) {
  options.draw.root = root_of(options.root);
  options.draw.accuracy = accuracy_of(options.draw.accuracy, options.method);
  return run_draw(options.draw);
}

int wfsm(Options& options) {
  options.wfsm.accuracy = accuracy_of(options.wfsm.accuracy, options.method);
  return run_wfsm(options.wfsm);
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
  if (app.got_subcommand("sample")) return sample(options);
  if (app.got_subcommand("draw")) return draw(options);
  if (app.got_subcommand("wfsm")) return wfsm(options);
  if (app.got_subcommand("solve")) return run_solve(options.solve);
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
  add_sample(app, options);
  add_draw(app, options);
  add_wfsm(app, options);
  add_solve(app, options.solve);
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
