// The verb `rank` orders sentences without trees by what annotating them would teach a model.
#include "answers/rank_report.hpp"
#include "io/files.hpp"
#include "io/terminal.hpp"
#include "json/read_error.hpp"
#include "option_use.hpp"
#include "options.hpp"
#include "verbs/verbs.hpp"

#include <kirchhoff/rank.hpp>

#include <fmt/format.h>

#include <new>

namespace kirchhoff::cli {
namespace {

constexpr const char* kHelp =
    R"(CoNLL-U comes in and goes out, those sentences first that the model knows least about; their heads do not matter.
Manual: docs/guides/parser.md

Example, after the one of 'kirchhoff train --help':
  kirchhoff rank --model demo.model --by entropy --top 5 --table examples/treebank/dev.conllu
)";

constexpr double kMostSentences = 1e9;

struct RankVerbOptions {
  TreebankOptions input;
  std::string model;
  RankOptions rank;
  StatisticsOptions statistics;
  bool json = false, table = false;
};

/// Says why a sentence is left out; ends the run unless it may be.
void refuse(const RankVerbOptions& verb, const std::string& file, const Sentence& sentence,
            const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::bad_alloc&) {
    throw FileError(about(file, sentence, "out of memory"));
  } catch (const InputError& problem) {
    const std::string message = about(file, sentence, without_function(problem.what()));
    if (!verb.input.skip_bad) throw FileError(message);
    complain(message + " (skipped)");
  }
}

int run(const CLI::App& app, const RankVerbOptions& verb) {
  const bool per_word = verb.rank.by != RankBy::margin;
  refuse_unused(app, {{"--per", per_word, "--by entropy, variance and expected_gradient"}});
  const ParserModel model = ParserModel::open(verb.model);
  if (verb.rank.by == RankBy::expected_gradient && model.parts() != kArcs) {
    throw FileError(
        fmt::format("{}: it scores parts of several arcs ({}), and --by expected_gradient is for models of "
                    "arcs",
                    verb.model, to_string(model.parts())));
  }
  TreebankInput input(verb.input, TreebankInput::Need::sentences);
  const auto ranked = rank_sentences(
      model, [&] { return input.next(); }, verb.rank, verb.statistics,
      [&](const Sentence& sentence, const std::exception_ptr& error) { refuse(verb, input.name(), sentence, error); });
  if (verb.table) {
    write_stdout(rank_table(ranked, verb.rank));
    return 0;
  }
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    write_stdout(verb.json ? rank_json(ranked[i], i + 1, verb.rank) : rank_conllu(ranked[i], i + 1, verb.rank));
  }
  return 0;
}

}  // namespace

Action add_rank(CLI::App& verb) {
  auto options = std::make_shared<RankVerbOptions>();
  add_file(verb, options->input.file, "CoNLL-U");
  add_input_file(verb, "--model", options->model, "FILE", "The model file, as 'kirchhoff train' writes it.")
      ->required();
  add_choice(verb, "--by", options->rank.by,
             "Says what comes first: trees with much entropy, a small margin between the two best, a large variance of "
             "heads, or a large gradient expected of their trees [entropy].");
  add_choice(verb, "--per", options->rank.per, "Says what a value counts for, a word or the whole sentence [word].");
  add_number(verb, "--top", options->rank.top, "K", {1, kMostSentences}, "Keeps the first K sentences only.");
  add_choice(verb, "--root", options->statistics.root,
             "Says how many words may hang from the root: one, or several [as the model was trained].");
  add_projective(verb, options->statistics.projective);
  CLI::Option* json = verb.add_flag("--json", options->json, "Prints a line of JSON for each sentence instead.");
  verb.add_flag("--table", options->table, "Prints a table for people instead.")->excludes(json);
  verb.add_flag("--skip-bad", options->input.skip_bad,
                "Reports and leaves out sentences that are not well-formed or too long.");
  add_threads(verb, options->statistics.threads, " The output does not depend on it.");
  verb.footer(kHelp);
  return [options, &verb](std::string_view) { return run(verb, *options); };
}

}  // namespace kirchhoff::cli
