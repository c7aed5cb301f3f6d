// The verb `eval` compares one parser's output, or that of two, with the gold standard.
#include "answers/eval_report.hpp"
#include "io/files.hpp"
#include "io/input_file.hpp"
#include "io/terminal.hpp"
#include "json/read_error.hpp"
#include "option_use.hpp"
#include "options.hpp"
#include "verbs/verbs.hpp"

#include <kirchhoff/evaluate.hpp>

#include <fmt/format.h>

namespace kirchhoff::cli {
namespace {

constexpr const char* kHelp =
    R"(Scores are percentages (F1) as in the CoNLL 2018 shared task, with intervals by bootstrap over sentences. With a second
system there are p-values by approximate randomization. Definitions: docs/reference/scores.md

Example, after those of 'kirchhoff train --help' and 'kirchhoff parse --help':
  kirchhoff eval examples/treebank/dev.conllu parsed.conllu --by deprel
)";

constexpr int kMaxSamples = 100'000'000;

struct EvalOptions {
  TreebankOptions gold;  ///< This also says how the systems' files are read.
  std::string system;
  std::string second;  ///< Empty when there is only one system.
  std::optional<SliceBy> by;
  ResamplingOptions resampling;
  bool json = false;
};

/// Reads all sentences. A file of the wrong format is an error even with skip_bad, because what is left out of the gold
/// standard must be left out of the other files too.
std::vector<Sentence> read_sentences_of(const std::string& file, const EvalOptions& options) {
  TreebankOptions input = options.gold;
  input.file = file;
  input.skip_bad = false;
  TreebankInput reader(input, TreebankInput::Need::sentences);
  return read_all(reader);
}

struct GoldSentences {
  std::vector<Sentence> sentences;  ///< Only trees are here.
  std::vector<bool> is_bad;         ///< Says of all sentences which are left out.
};

GoldSentences read_gold(const EvalOptions& options) {
  GoldSentences gold;
  for (Sentence& sentence : read_sentences_of(options.gold.file, options)) {
    const auto problem = tree_problem(sentence.heads(), options.gold.root);
    gold.is_bad.push_back(problem.has_value());
    if (!problem) {
      gold.sentences.push_back(std::move(sentence));
      continue;
    }
    const std::string message = about(input_name(options.gold.file), sentence, *problem);
    if (!options.gold.skip_bad) throw FileError(message);
    complain(message + " (skipped)");
  }
  if (gold.sentences.empty()) throw FileError(fmt::format("{}: no sentences", input_name(options.gold.file)));
  return gold;
}

/// Reads and scores a parser's output, whose bad trees are counted and not skipped.
ScoredSystem system_of(const GoldSentences& gold, const std::string& file, const EvalOptions& options) {
  ScoredSystem out{read_sentences_of(file, options), {}, {}};
  if (gold.sentences.size() < gold.is_bad.size()) {
    if (out.sentences.size() != gold.is_bad.size()) {
      throw FileError(fmt::format("{}: {} sentences; where {} are skipped there must be {}", input_name(file),
                                  out.sentences.size(), gold.is_bad.size() - gold.sentences.size(),
                                  gold.is_bad.size()));
    }
    std::size_t i = 0;
    std::erase_if(out.sentences, [&](const Sentence&) { return gold.is_bad[i++]; });
  }
  try {
    out.evaluation = evaluate(gold.sentences, out.sentences, options.gold.root);
  } catch (const InputError& e) {
    throw FileError(
        fmt::format("{}, {}: {}", input_name(options.gold.file), input_name(file), without_function(e.what())));
  }
  if (options.resampling.samples > 0) out.intervals = bootstrap_intervals(out.evaluation, options.resampling);
  return out;
}

void check_uses(const CLI::App& verb, const EvalOptions& options) {
  const bool resamples = options.resampling.samples > 0;
  refuse_unused(verb, {{"--confidence", resamples, "--samples of more than 0"},
                       {"--seed", resamples, "--samples of more than 0"}});
}

int run(const EvalOptions& options) {
  check_one_standard_input({{"GOLD", options.gold.file}, {"SYSTEM", options.system}, {"SECOND", options.second}});
  const GoldSentences gold = read_gold(options);
  EvalResults results;
  results.resampling = options.resampling;
  results.systems.push_back(system_of(gold, options.system, options));
  if (!options.second.empty()) {
    results.systems.push_back(system_of(gold, options.second, options));
    if (options.resampling.samples > 0) {
      results.comparison = compare(results.systems[0].evaluation, results.systems[1].evaluation, options.resampling);
    }
  }
  if (options.by) results.parts = slices(gold.sentences, results.systems[0].sentences, *options.by);
  write_stdout(options.json ? eval_json(results) : eval_table(results));
  return 0;
}

}  // namespace

Action add_eval(CLI::App& verb) {
  auto options = std::make_shared<EvalOptions>();
  add_input_file(verb, "GOLD", options->gold.file, "", "The file with the gold standard.")->required();
  add_input_file(verb, "SYSTEM", options->system, "", "The file with the parser's output.")->required();
  add_input_file(verb, "SECOND", options->second, "",
                 "The file with another parser's output, to compare with the first.");
  add_treebank(verb, options->gold);
  add_choice(verb, "--by", options->by,
             "Also prints scores by parts: by sentence length, part of speech, relation, or distance from the head.");
  verb.add_flag("--json", options->json, "Prints one JSON object instead of a table.");
  add_number(verb, "--samples", options->resampling.samples, "N", {0, kMaxSamples},
             "Resamples the sentences this many times for intervals and p-values; 0 leaves them out [1000].");
  add_number(verb, "--confidence", options->resampling.confidence, "P", {0.01, 0.9999},
             "The probability with which an interval is to cover the true score [0.95].");
  add_seed(verb, options->resampling.seed, "which sentences are resampled");
  verb.footer(kHelp);
  return [options, &verb](std::string_view) {
    check_uses(verb, *options);
    return run(*options);
  };
}

}  // namespace kirchhoff::cli
