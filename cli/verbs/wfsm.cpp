// The verb `wfsm` answers questions about one machine in OpenFst's text format.
#include "answers/wfsm_wants.hpp"
#include "io/files.hpp"
#include "io/input_file.hpp"
#include "io/terminal.hpp"
#include "io/wfsm_features.hpp"
#include "json/read_error.hpp"
#include "option_use.hpp"
#include "options.hpp"
#include "usage_error.hpp"
#include "verbs/questions.hpp"
#include "verbs/verbs.hpp"

#include <kirchhoff/wfsm_product.hpp>

#include <fmt/format.h>

namespace kirchhoff::cli {
namespace {

constexpr const char* kHelp = R"(
The input is AT&T text, as OpenFst's fstprint writes it. It has lines FROM TO SYMBOL [WEIGHT] (acceptor) or FROM TO
SYMBOL OUTPUT [WEIGHT] (transducer, if some line has five fields), and STATE [WEIGHT] for final states; the first line's
state is the start. The output is one JSON object. Manual: docs/guides/machines.md

Example, a loop of weight exp(-1) and a way out:
  printf '0 0 1 1.0\n0 1 2 0.5\n1\n' | kirchhoff wfsm --want log_partition,counts,entropy,paths=2,string="1 1 2"
)";

struct WfsmOptions {
  std::string file = "-";
  std::string want = "log_partition,counts";
  std::string input_symbols, output_symbols, features, second_features;
  std::string other, intersect, compose;  // files of further machines
  WeightKind weights = WeightKind::neglog;
  ArcFormat arcs = ArcFormat::automatic;
  Accuracy accuracy;
  std::uint64_t seed = 0;
  int threads = 0;
  bool quiet = false;
  ReadText read_machine, read_other;  ///< Find what the names above stand for.
};

SymbolTable table_in(const std::string& file, const WfsmOptions& options) {
  return file.empty() ? SymbolTable() : read_symbols(options.read_other(file), file);
}

WfsmTextOptions text_options(const std::string& file, const WfsmOptions& options, WfsmSymbols symbols) {
  WfsmTextOptions text;
  text.weights = options.weights;
  text.arcs = options.arcs;
  text.symbols = std::move(symbols);
  text.name = input_name(file);
  text.accuracy = options.accuracy;
  return text;
}

/// The product that make() makes for an option; what is wrong with it is said about the option.
template <class Make>
Wfsm product_of(const char* option, Make make) {
  try {
    return in_field<InputError>(option, make).machine;
  } catch (const Infeasible& e) {
    throw Infeasible(fmt::format("{}: {}", option, without_function(e.what())));
  }
}

/// The machine in a text. Without wants that need it, its Z may be infinite.
WfsmSubject read_subject(const std::string& text, const WfsmTextOptions& how, const WantList& wants) {
  try {
    Wfsm machine = read_wfsm(text, how);
    return {WfsmBuilder(machine), std::move(machine), {}, {}, {}};
  } catch (const InputError&) {
    if (wants_sums(wants)) throw;
  }
  return {read_wfsm_builder(text, how), {}, {}, {}, {}};
}

/// What is asked about: the machine in the file, or its product with another.
WfsmSubject find_subject(const WfsmOptions& options, const WantList& wants) {
  const WfsmSymbols names{table_in(options.input_symbols, options), table_in(options.output_symbols, options)};
  const std::string text = options.read_machine(options.file);
  const WfsmTextOptions first = text_options(options.file, options, names);
  const auto second = [&](const std::string& file, const WfsmSymbols& symbols) {
    return read_wfsm_builder(options.read_machine(file), text_options(file, options, symbols));
  };
  // The machines of a product may have an infinite Z, as a transducer that rewrites any string has.
  if (!options.intersect.empty()) {
    const WfsmBuilder a = read_wfsm_builder(text, first), b = second(options.intersect, names);
    Wfsm both = product_of("--intersect", [&] { return intersect(a, b, options.accuracy); });
    return {WfsmBuilder(both), std::move(both), {}, {}, {}};
  }
  if (options.compose.empty()) return read_subject(text, first, wants);
  const SymbolTable& between = names.output.empty() ? names.input : names.output;
  const WfsmBuilder a = read_wfsm_builder(text, first), b = second(options.compose, {between, between});
  Wfsm both = product_of("--compose", [&] { return compose(a, b, options.accuracy); });
  return {WfsmBuilder(both), std::move(both), {}, {}, {}};
}

WfsmSubject subject_of(const WfsmOptions& options, const WantList& wants) {
  WfsmSubject subject = find_subject(options, wants);
  subject.seed = options.seed;
  subject.threads = options.threads;
  return subject;
}

void check_uses(const CLI::App& verb, const WfsmOptions& options, const WantList& wants) {
  refuse_unused(verb, {
                          automatic_use("--tolerance", options.accuracy),
                          {"--seed", wants_samples(wants), "--want samples=K or distinct=K"},
                          {"--features", wants_features(wants),
                           "--want expectation, second_order, covariance, moments=M, cumulants=M or all"},
                          {"--second-features", wants_second_features(wants) && !options.features.empty(),
                           "--features with --want second_order, covariance or all"},
                          {"--other", wants_other(wants), "--want kl, cross_entropy, their gradients or all"},
                          {"--osymbols", options.arcs != ArcFormat::acceptor, "transducers"},
                      });
}

WfsmFeatures features_in(const std::string& file, const WfsmOptions& options, const Wfsm& machine) {
  return wfsm_features_in(options.read_other(file), file, machine);
}

std::string answer(const CLI::App& verb, const WfsmOptions& options) {
  const WantList wants = parse_wfsm_wants(options.want);
  check_uses(verb, options, wants);
  if (!options.intersect.empty() && !options.compose.empty()) {
    throw UsageError("--intersect and --compose cannot be given together");
  }
  WfsmSubject subject = subject_of(options, wants);
  if (!options.features.empty()) subject.features = features_in(options.features, options, *subject.machine);
  if (!options.second_features.empty()) {
    subject.second_features = features_in(options.second_features, options, *subject.machine);
  }
  if (!options.other.empty()) {
    subject.other = read_wfsm(options.read_machine(options.other),
                              text_options(options.other, options, subject.machine->symbols()));
  }
  if (subject.machine && subject.machine->useless_states() > 0 && !options.quiet) {
    complain(fmt::format("{}: {} of {} states are on no trajectory", input_name(options.file),
                         subject.machine->useless_states(), subject.machine->states()));
  }
  return answer_wfsm(subject, wants);
}

int run(const CLI::App& verb, const WfsmOptions& options) {
  check_one_standard_input({{"FILE", options.file},
                            {"--isymbols", options.input_symbols},
                            {"--osymbols", options.output_symbols},
                            {"--features", options.features},
                            {"--second-features", options.second_features},
                            {"--other", options.other},
                            {"--intersect", options.intersect},
                            {"--compose", options.compose}});
  write_stdout(answer(verb, options));
  return 0;
}

void add_options(CLI::App& verb, WfsmOptions& o) {
  add_text(verb, "--want", o.want, "LIST",
           "Lists what to compute, with commas between the names [log_partition,counts].");
  add_input_file(verb, "--isymbols", o.input_symbols, "FILE",
                 "Reads the names of the symbols from a file with lines NAME NUMBER. Without it symbols are numbers.");
  add_input_file(verb, "--osymbols", o.output_symbols, "FILE", "Does the same for the output symbols of a transducer.");
  add_choice(verb, "--weights", o.weights,
             "Says what the numbers in the file are: -log w, log w, or w itself [neglog].");
  add_choice(verb, "--arcs", o.arcs,
             "Says what lines with four fields are. The automatic choice is transducer if some line has five fields, "
             "else acceptor.");
  add_input_file(
      verb, "--features", o.features, "FILE",
      "Reads features from a file with lines ARC FEATURE VALUE, where arcs and features count from 0. Lines with "
      "'start STATE' or 'final STATE' in place of ARC are about starting and ending in a state.");
  add_input_file(verb, "--second-features", o.second_features, "FILE",
                 "Reads a second set of features g for second_order and covariance.");
  add_input_file(verb, "--other", o.other, "FILE",
                 "Reads a machine with the same states and arcs for kl and cross_entropy.");
  add_input_file(
      verb, "--intersect", o.intersect, "FILE",
      "Asks about the intersection with the acceptor in this file: pairs of trajectories that read the same string.");
  add_input_file(
      verb, "--compose", o.compose, "FILE",
      "Asks about the composition with the transducer in this file, which reads what the first machine writes. Its "
      "symbols have the names of --osymbols, or of --isymbols where there is none.");
  add_accuracy(verb, o.accuracy);
  add_seed(verb, o.seed, "the samples");
  add_file(verb, o.file, "AT&T text");
}

}  // namespace

AnswerMachine add_machine_questions(CLI::App& verb) {
  const auto options = std::make_shared<WfsmOptions>();
  add_options(verb, *options);
  options->quiet = true;
  options->threads = 1;
  return [options, &verb](const ReadText& read, int max_count) {
    if (largest_count(parse_wfsm_wants(options->want)) > max_count) {
      throw UsageError(fmt::format("--want: take {} paths or samples at most", max_count));
    }
    options->read_machine = options->read_other = read;
    return answer(verb, *options);
  };
}

Action add_wfsm(CLI::App& verb) {
  const auto options = std::make_shared<WfsmOptions>();
  const auto max_mb = std::make_shared<std::size_t>();
  add_options(verb, *options);
  add_threads(verb, options->threads, " The samples do not depend on it.");
  add_max_mb(verb, "--max-mb", *max_mb, "a machine whose text is");
  add_quiet(verb, options->quiet, "notes about the machine");
  options->read_machine = [max_mb](const std::string& file) { return read_file(file, *max_mb, "--max-mb"); };
  options->read_other = [](const std::string& file) { return read_file(file); };
  verb.footer(fmt::format("--want takes any of these, or 'all', which leaves out arguments and large answers:\n{}{}",
                          wfsm_wants_help(), kHelp));
  return [options, &verb](std::string_view) { return run(verb, *options); };
}

}  // namespace kirchhoff::cli
