// The verb `train` learns a parser from a treebank and writes a model file.
#include "io/files.hpp"
#include "io/terminal.hpp"
#include "io/train_progress.hpp"
#include "option_use.hpp"
#include "options.hpp"
#include "usage_error.hpp"
#include "verbs/train_cost.hpp"
#include "verbs/train_parts.hpp"
#include "verbs/train_unannotated.hpp"
#include "verbs/verbs.hpp"

#include <kirchhoff/pipeline.hpp>
#include <kirchhoff/version.hpp>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cmath>
#include <csignal>
#include <ctime>

namespace kirchhoff::cli {
namespace {

constexpr const char* kHelp =
    R"(The epoch with the best scores on the --dev trees gives the model that is kept. A checkpoint, MODEL.checkpoint, is
written after each epoch and on Ctrl-C; --resume goes on from it. The model is written when training ends. Options and
methods: docs/guides/parser.md

Examples:
  kirchhoff train --train examples/treebank/train.conllu --dev examples/treebank/dev.conllu --model demo.model
  kirchhoff train --train examples/treebank/train.conllu --model pipeline.model --pipeline
)";

constexpr int kSignalled = 128;  // Shells report a program that signal number s ended with the status 128 + s.

struct TrainVerbOptions {
  TreebankOptions train;
  std::string dev;
  UnannotatedOptions unannotated;
  std::string start;
  std::string model;
  std::string licence;
  std::optional<NamedLoss> loss;
  std::optional<double> beta, gamma, lambda;
  TrainCost cost = TrainCost::mistakes;
  TrainOptions options{.root = Root::single};
  TrainPartsOptions parts;
  bool quiet = false;
};

volatile std::sig_atomic_t interrupted = 0;

void note_interrupt(int signal) { interrupted = signal; }

PartSet parts_named(const std::string& text) try { return parse_parts(text); } catch (const InputError& error) {
  throw UsageError(fmt::format("--parts: {}", without_function(error.what())));
}

std::string checkpoint_of(const TrainVerbOptions& verb) { return verb.model + ".checkpoint"; }

/// The loss that --loss, --beta, --gamma and --cost name together.
Loss loss_named(const TrainVerbOptions& verb) {
  Loss loss = verb.loss ? loss_of(*verb.loss) : verb.options.loss;
  if (verb.beta) loss.beta = *verb.beta;
  if (verb.gamma) loss.gamma = *verb.gamma;
  return with_train_cost(loss, verb.cost);
}

/// The library's options, with what the command line says in other words.
TrainOptions library_options(const TrainVerbOptions& verb, std::size_t sentences, std::string_view command_line) {
  TrainOptions o = verb.options;
  o.root = verb.train.root;
  o.loss = loss_named(verb);
  if (verb.lambda) o.step.cap = 1.0 / (*verb.lambda * static_cast<double>(std::max<std::size_t>(1, sentences)));
  if (!verb.unannotated.file.empty()) o.unannotated = unannotated_of(verb.unannotated, verb.train);
  if (!verb.start.empty()) o.start = ParserModel::open(verb.start);
  o.model = verb.model;
  if (has_parser(verb.parts) && !OutputFile(verb.model).is_special()) o.checkpoint = checkpoint_of(verb);
  const std::time_t now = std::time(nullptr);
  o.card = {{"program", fmt::format("kirchhoff {}", kVersion)},
            {"date", fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(now))},
            {"train", verb.train.file.empty() ? "none" : verb.train.file},
            {"dev", verb.dev.empty() ? "none" : verb.dev},
            {"command", std::string(command_line)},
            {"licence", verb.licence.empty() ? "not stated" : verb.licence}};
  return o;
}

std::string epoch_text(const EpochReport& report, bool has_dev) {
  std::string loss = fmt::format("epoch {}: loss {:.4f}, {:.1f} s", report.epoch, report.loss, report.seconds);
  if (!has_dev) return loss;
  return fmt::format("{}, dev UAS {:.2f} LAS {:.2f} calibration error {:.2f} %{}", loss, report.uas, report.las,
                     report.calibration, report.best ? ", best so far" : "");
}

void check_uses(const CLI::App& app, const TrainVerbOptions& verb) {
  const bool maximum = std::isinf(loss_named(verb).beta);
  const bool adagrad = verb.options.step.kind == StepRule::Kind::adagrad;
  refuse_unused(app,
                {"--order",     "--parts", "--projective", "--relaxed", "--labels",      "--loss",     "--beta",
                 "--gamma",     "--cost",  "--step",       "--rate",    "--lambda",      "--features", "--min-count",
                 "--max-heads", "--prune", "--epochs",     "--batch",   "--unannotated", "--resume"},
                has_parser(verb.parts), "models with a parser");
  refuse_unused(app, {"--beta", "--gamma", "--cost"}, verb.loss != NamedLoss::risk, "every --loss but risk");
  check_cost(verb.cost, verb.options.labels);
  check_parts_uses(app, verb.parts);
  refuse_unused(app, {
                         {"--relaxed", maximum && verb.options.parts != kArcs,
                          "--loss svm, or another with --beta inf, and --parts next, all or others"},
                         {"--rate", adagrad, "--step adagrad"},
                         {"--lambda", !adagrad, "--step aggressive"},
                     });
  if (verb.options.parts.non_projective && !maximum) {
    throw UsageError("--parts: nonprojective needs --loss svm, or another with --beta inf");
  }
  check_unannotated_uses(app, verb.unannotated, !verb.train.file.empty());
  if (verb.train.file.empty() && verb.unannotated.file.empty()) throw UsageError("--train is required");
}

/// Refuses what cannot be written, or would write over a file that is read.
void check_outputs(const TrainVerbOptions& verb) {
  if (verb.model == "-") throw UsageError("--model: a model is not written to standard output; ./- is a file");
  std::vector<std::string> inputs;
  const UnannotatedOptions& text = verb.unannotated;
  for (const std::string* file : {&verb.train.file, &verb.dev, &text.file, &text.constraints, &text.features,
                                  &text.teacher, &verb.start, &verb.parts.lexicon, &verb.parts.clusters}) {
    if (!file->empty()) inputs.push_back(*file);
  }
  if (!checked_output("--model", verb.model, inputs).is_special()) {
    checked_output("--model", checkpoint_of(verb), inputs);
  } else if (verb.options.resume) {
    throw UsageError(fmt::format("--resume: {} is not a regular file, so there is no checkpoint", verb.model));
  }
}

/// Signals that save the state and end the training, unless whoever started the program had them ignored (nohup).
void catch_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGXCPU}) {
    if (std::signal(signal, note_interrupt) == SIG_IGN) std::signal(signal, SIG_IGN);
  }
}

/// What training leaves: the size of the model file, or nothing when it was stopped.
std::optional<std::size_t> train_model(const TrainVerbOptions& verb, const std::vector<Sentence>& train,
                                       const std::vector<Sentence>& dev, const TrainOptions& options,
                                       const TrainEvents& events) {
  if (!verb.parts.pipeline && has_parser(verb.parts)) {
    const TrainResult result = train_parser(train, dev, options, events);
    if (result.stopped) return std::nullopt;
    return result.model->bytes();
  }
  const std::optional<Pipeline> learnt = train_pipeline(train, dev, pipeline_options(verb.parts, options), events);
  if (!learnt) return std::nullopt;
  return learnt->bytes();
}

int run(const TrainVerbOptions& verb, std::string_view command_line) {
  check_one_standard_input({{"--train", verb.train.file},
                            {"--dev", verb.dev},
                            {"--unannotated", verb.unannotated.file},
                            {"--constraints", verb.unannotated.constraints},
                            {"--constraint-features", verb.unannotated.features}});
  check_outputs(verb);
  using Need = TreebankInput::Need;
  std::vector<Sentence> train, dev;
  if (!verb.train.file.empty()) train = read_sentences_of(verb.train, verb.train.file, Need::trees);
  if (!verb.dev.empty()) dev = read_sentences_of(verb.train, verb.dev, Need::trees_to_score);
  const TrainOptions options = library_options(verb, train.size(), command_line);
  TrainProgressLine line(verb.quiet);
  catch_signals();
  const TrainEvents events{.progress = [&](const TrainProgress& progress) { line.show(progress); },
                           .note = [&](const std::string& text) { line.say(text); },
                           .epoch = [&](const EpochReport& report) { line.say(epoch_text(report, !dev.empty())); },
                           .stop = [] { return interrupted != 0; }};
  const std::optional<std::size_t> bytes = train_model(verb, train, dev, options, events);
  if (!bytes) {
    complain(
        options.checkpoint.empty()
            ? "stopped"
            : fmt::format("stopped; to go on, run the same command with --resume (state: {})", options.checkpoint));
    return kSignalled + interrupted;
  }
  line.say(fmt::format("{}: {:.1f} MB", verb.model, static_cast<double>(*bytes) / 1e6));
  return 0;
}

void add_learning(CLI::App& verb, TrainVerbOptions& train) {
  TrainOptions& o = train.options;
  const auto set_order = [&o](int order) { o.parts = order == 2 ? kNextSiblings : kArcs; };
  CLI::Option* order = add_number_function<int>(verb, "--order", set_order, "N", {1, 2},
                                                "Is short for --parts arcs (1) and --parts next (2) [1].");
  verb.add_option_function<std::string>(
          "--parts", [&o](const std::string& text) { o.parts = parts_named(text); },
          "Chooses what the model scores: arcs; also next siblings and grandparents (next); also every two siblings "
          "and grandparents (all); or a list of siblings=next|all, grandparents, bigrams, nonprojective [arcs].")
      ->type_name("LIST")
      ->excludes(order);
  verb.add_flag(
      "--projective", o.projective,
      "Learns to tell a tree from the others whose arcs do not cross, and leaves out trees whose arcs do; for "
      "models of arcs, which 'kirchhoff parse --projective' is to use.");
  verb.add_flag("--relaxed", o.relaxed,
                "Learns from the relaxation's solution, which may be fractional, in the place of the best tree: for "
                "--beta inf and --parts.");
  add_choice(verb, "--labels", o.labels,
             "Chooses relations after the tree, by what is around each arc (given_tree), or learns and chooses them "
             "together with it, by a loss that counts wrong relations, too (joint) [given_tree].");
  add_choice(verb, "--loss", train.loss, "Chooses the loss that training makes small [softmax_margin].");
  add_number(verb, "--beta", train.beta, "X", {1e-6, HUGE_VAL},
             "Replaces the loss's inverse temperature; inf looks at the best tree only.");
  add_number(verb, "--gamma", train.gamma, "X", {0, 1e6}, "Replaces the weight that wrong heads have in the loss.");
  add_choice(verb, "--cost", train.cost,
             "Chooses what gamma weighs: wrong heads (mistakes), the arcs in which trees differ, two for a wrong head "
             "(hamming), or words whose head or relation is wrong (las); with --labels joint all of them count "
             "relations [mistakes].");
  add_choice(verb, "--step", o.step.kind,
             "Chooses how weights are updated: by AdaGrad, or by steps as long as the loss allows [adagrad].");
  add_number(verb, "--rate", o.step.rate, "X", {1e-9, 1e3}, "AdaGrad's learning rate [0.03].");
  add_number(
      verb, "--lambda", train.lambda, "X", {1e-12, 1e12},
      "How strongly the aggressive step is regularised: it is no longer than 1 / (X * number of sentences) [10 / "
      "number of sentences].");
  add_choice(verb, "--features", o.features,
             "Chooses the features that get a weight: those of gold trees (supported), or also those of wrong arcs and "
             "parts (complete) [supported].");
  add_number(verb, "--min-count", o.min_count, "N", {1, 1e6}, "Leaves out features that are seen less often [2].");
  add_number(verb, "--max-heads", o.pruning.max_heads, "N", {1, 1000},
             "Lets the pruner keep at most this many heads of each word for the full model [10].");
  add_number(verb, "--prune", o.pruning.threshold, "P", {0, 1},
             "Lets the pruner drop heads whose probability is less than P times that of the word's best [0.003].");
  add_number(verb, "--epochs", o.epochs, "N", {1, 10000}, "Goes through the treebank this many times [8].");
  add_number(verb, "--batch", o.batch, "N", {1, 100000}, "Takes a step after this many sentences [8].");
}

}  // namespace

Action add_train(CLI::App& verb) {
  auto options = std::make_shared<TrainVerbOptions>();
  TrainVerbOptions& train = *options;
  train.train.file.clear();
  add_input_file(verb, "--train", train.train.file, "FILE",
                 "The treebank to learn from, in CoNLL-U; not needed with --unannotated.");
  add_input_file(verb, "--dev", train.dev, "FILE", "Held-out trees, which choose the best epoch.");
  add_text(verb, "--model", train.model, "FILE", "The model file to write.")->required();
  add_choice(verb, "--root", train.train.root,
             "Says how many words may hang from the root of a tree: one, or several [single].");
  add_learning(verb, train);
  add_threads(verb, train.options.threads, " The model does not depend on it.");
  add_seed(verb, train.options.seed, "the order of sentences");
  add_unannotated(verb, train.unannotated);
  add_input_file(verb, "--start", train.start, "MODEL",
                 "Begins with the weights of this model, and without --train with its relations.");
  add_train_parts(verb, train.parts);
  add_text(verb, "--licence", train.licence, "TEXT", "States the model's licence in its card.");
  verb.add_flag("--resume", train.options.resume,
                "Goes on from MODEL.checkpoint, and comes to the very same model as without the interruption.");
  verb.add_flag("--skip-bad", train.train.skip_bad, "Reports sentences that are not trees and leaves them out.");
  add_quiet(verb, train.quiet, "everything but errors");
  verb.footer(kHelp);
  return [options, &verb](std::string_view command_line) {
    check_uses(verb, *options);
    return run(*options, command_line);
  };
}

}  // namespace kirchhoff::cli
