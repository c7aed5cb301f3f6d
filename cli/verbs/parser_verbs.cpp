#include "verbs/parser_verbs.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>

namespace kirchhoff::cli {
namespace {

constexpr const char* kTrainExample =
    R"(Dev scores after each epoch choose the model that is kept. A checkpoint, MODEL.checkpoint, is written after each epoch
and on Ctrl-C; --resume goes on from it. Options and methods: docs/guides/parser.md

Example:
  kirchhoff train --train examples/treebank/train.conllu --dev examples/treebank/dev.conllu --model demo.model
)";

constexpr const char* kParseExample =
    R"(CoNLL-U in, CoNLL-U out: HEAD and DEPREL are filled in, everything else stays. With --kbest or --samples every sentence
comes several times. Manual: docs/guides/parser.md

Example:
  kirchhoff parse --model demo.model --probs examples/treebank/dev.conllu
)";

/// Names of values on the command line.
template <class T>
using Names = std::vector<std::pair<std::string, T>>;

const Names<Root> kRoots = {{"single", Root::single}, {"multi", Root::multi}};
const Names<Loss> kLosses = {{"crf", kCrfLoss},
                             {"svm", kSvmLoss},
                             {"perceptron", kPerceptronLoss},
                             {"softmax-margin", kSoftmaxMarginLoss},
                             {"risk", kRiskLoss}};
const Names<StepRule::Kind> kSteps = {{"adagrad", StepRule::Kind::adagrad}, {"aggressive", StepRule::Kind::aggressive}};
const Names<FeatureSet> kFeatures = {{"supported", FeatureSet::supported}, {"complete", FeatureSet::complete}};
const Names<SentenceFormat> kFormats = {{"conllu", SentenceFormat::conllu},
                                        {"conllx", SentenceFormat::conllx},
                                        {"json", SentenceFormat::json},
                                        {"displacy", SentenceFormat::displacy}};
const Names<ParseSolver> kSolvers = {
    {"auto", ParseSolver::automatic}, {"bp", ParseSolver::bp}, {"ad3", ParseSolver::ad3}, {"lp", ParseSolver::lp}};

template <class T, class Value>
void add_choice(CLI::App& verb, const std::string& option, Value& value, const std::string& help,
                const Names<T>& names) {
  std::vector<std::string> choices;
  std::string type;
  for (const auto& [name, unused] : names) {
    choices.push_back(name);
    type += (type.empty() ? "" : "|") + name;
  }
  const auto set = [&value, &names](const std::string& given) {
    value = std::find_if(names.begin(), names.end(), [&](const auto& n) { return n.first == given; })->second;
  };
  verb.add_option_function<std::string>(option, set, help)
      ->type_name(type)
      ->check(CLI::IsMember(choices).description(""));
}

template <class T>
CLI::Option* add_number(CLI::App& verb, const std::string& name, T& value, const std::string& help, double least,
                        double most) {
  return verb.add_option(name, value, help)->type_name("X")->check(CLI::Range(least, most).description(""));
}

void add_train(CLI::App& app, TrainVerb& train) {
  CLI::App& verb = *app.add_subcommand("train", "Train a dependency parser on a treebank");
  TrainOptions& o = train.options;
  verb.add_option("--train", train.train.file, "The treebank, CoNLL-U")->required()->type_name("FILE");
  verb.add_option("--dev", train.dev, "Held-out trees that choose the best epoch")->type_name("FILE");
  verb.add_option("--model", train.model, "The model to write")->required()->type_name("FILE");
  add_choice(verb, "--root", train.train.root, "How many words may hang from the root [single]", kRoots);
  add_number(verb, "--order", o.order, "1: arcs; 2: also next siblings and grandparents [1]", 1, 2);
  add_choice(verb, "--loss", o.loss, "[softmax-margin]", kLosses);
  add_number(verb, "--beta", train.beta, "Instead: inverse temperature of the loss; inf: the best tree only", 1e-6,
             HUGE_VAL);
  add_number(verb, "--gamma", train.gamma, "Instead: weight of wrong heads in the loss", 0, 1e6);
  add_choice(verb, "--step", o.step.kind, "[adagrad]", kSteps);
  add_number(verb, "--rate", o.step.rate, "Learning rate of adagrad [0.03]", 1e-9, 1e3);
  add_number(verb, "--lambda", train.lambda, "Regularisation of the aggressive step [100 / sentences]", 1e-12, 1e12);
  add_choice(verb, "--features", o.features, "Those of gold trees, or also of wrong arcs and parts [supported]",
             kFeatures);
  add_number(verb, "--min-count", o.min_count, "Leave out features seen less often [2]", 1, 1e6);
  add_number(verb, "--max-heads", o.pruning.max_heads, "Heads per word the full model looks at [10]", 1, 1000);
  add_number(verb, "--prune", o.pruning.threshold, "Least probability of a head, relative to the best [0.003]", 0, 1);
  add_number(verb, "--epochs", o.epochs, "[8]", 1, 10000);
  add_number(verb, "--batch", o.batch, "Sentences to a step [8]", 1, 100000);
  add_number(verb, "--threads", o.threads, "0: all cores; the model does not depend on it [0]", 0, 1024);
  verb.add_option("--seed", o.seed, "Of the order of sentences [0]")->type_name("S");
  CLI::Option* u =
      verb.add_option("--unannotated", train.unannotated, "Sentences without trees, CoNLL-U")->type_name("FILE");
  add_number(verb, "--entropy-weight", o.unannotated.entropy_weight, "Of the entropy of their trees [0]", 0, 1e6)
      ->needs(u);
  verb.add_option("--constraints", train.constraints, "Shares of heads by tag for them, lines 'DET -> NOUN right 0.9'")
      ->type_name("FILE")
      ->needs(u);
  add_number(verb, "--constraint-weight", o.unannotated.constraint_weight, "[10]", 0, 1e6)->needs(u);
  verb.add_option("--teacher", train.teacher, "A model whose probabilities on them are learnt")
      ->type_name("MODEL")
      ->needs(u);
  add_number(verb, "--teacher-weight", o.unannotated.teacher_weight, "[1]", 0, 1e6)->needs(u);
  verb.add_option("--licence", train.licence, "For the model card")->type_name("TEXT");
  verb.add_flag("--resume", o.resume, "Go on from MODEL.checkpoint, to the very same model");
  verb.add_flag("--skip-bad", train.train.skip_bad, "Report and skip sentences that are not trees");
  verb.add_flag("--quiet", train.quiet, "Nothing on standard error but errors");
  verb.footer(kTrainExample);
}

void add_parse(CLI::App& app, ParseVerb& parse) {
  CLI::App& verb = *app.add_subcommand("parse", "Parse sentences with a trained model");
  verb.add_option("FILE", parse.input.file, "CoNLL-U; - or nothing: standard input")->type_name("");
  verb.add_option("--model", parse.model, "Made by 'kirchhoff train'")->required()->type_name("FILE");
  add_choice(verb, "--format", parse.format, "Of the output [conllu]", kFormats);
  add_choice(verb, "--root", parse.options.root, "How many words may hang from the root [as the model was trained]",
             kRoots);
  verb.add_flag("--probs", parse.options.probabilities,
                "ArcProb= and LabelProb= in MISC, # log_prob and # entropy as comments");
  CLI::Option* k = add_number(verb, "--kbest", parse.options.k_best, "The K best trees of each sentence", 1, 1e6);
  add_number(verb, "--samples", parse.options.samples, "K random trees of each sentence", 1, 1e6)->excludes(k);
  verb.add_option("--seed", parse.options.seed, "Of the samples [0]")->type_name("S");
  add_choice(verb, "--solver", parse.options.solver, "Of a second-order model's trees [bp; ad3 after --loss svm]",
             kSolvers);
  verb.add_flag("--keep-heads", parse.options.keep_heads, "Heads that are given stay");
  verb.add_flag("--skip-bad", parse.input.skip_bad,
                "Report and skip sentences that are not well-formed, or have no tree with the heads that stay");
  add_number(verb, "--threads", parse.threads, "0: all cores [0]", 0, 1024);
  verb.footer(kParseExample);
}

void add_model(CLI::App& app, ModelVerb& model) {
  CLI::App& verb = *app.add_subcommand("model", "What is in a model file: kirchhoff model info FILE");
  verb.require_subcommand(1);
  CLI::App& info = *verb.add_subcommand("info", "Print the model card");
  info.add_option("FILE", model.model, "Made by 'kirchhoff train'")->required()->type_name("");
}

}  // namespace

void add_parser_verbs(CLI::App& app, ParserVerbs& verbs) {
  add_train(app, verbs.train);
  add_parse(app, verbs.parse);
  add_model(app, verbs.model);
}

std::optional<int> run_parser_verb(const CLI::App& app, ParserVerbs& verbs) {
  if (app.got_subcommand("train")) return run_train(verbs.train);
  if (app.got_subcommand("parse")) return run_parse(verbs.parse);
  if (app.got_subcommand("model")) return run_model_info(verbs.model);
  return std::nullopt;
}

}  // namespace kirchhoff::cli
