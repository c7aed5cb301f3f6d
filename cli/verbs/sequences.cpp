// The verbs `chain` and `segment` answer questions about tag sequences, and segmentations, of the lines of a file.
#include "answers/sequence_answers.hpp"
#include "option_use.hpp"
#include "options.hpp"
#include "verbs/verbs.hpp"

#include <fmt/format.h>

namespace kirchhoff::cli {
namespace {

constexpr const char* kChainHelp = R"(
The input has one JSON object per line, {"id":..., "emissions":[[...]], "transitions":[[...]]}. Emissions have a row of
scores, one for each tag, for each position. Transitions are one matrix, whose rows are tags and whose columns are the
tags that follow, or a list of such matrices, one for each position but the first. null is impossible.
Manual: docs/reference/cli.md

Example, three positions and two tags:
  echo '{"id":"a","emissions":[[0,1],[0.5,0],[0,2]],"transitions":[[0.5,0],[0,null]]}' |
    kirchhoff chain --want log_partition,entropy,k_best=2
)";

constexpr const char* kSegmentHelp = R"(
The input has one JSON object per line, {"id":..., "segments":[[[...]]], "transitions":[[...]]}. Segments are the scores
of those that begin at each position: a matrix with a row for each length, from 1 on, and a column for each tag. What
would end beyond the last position is ignored. Transitions are a matrix, whose rows are tags and whose columns are the
tags of the next segment. null is impossible. Manual: docs/reference/cli.md

Example, two positions, segments of one or two of them, and one tag:
  echo '{"id":"a","segments":[[[0],[1]],[[0.5],[0]]],"transitions":[[0.25]]}' |
    kirchhoff segment --want log_partition,entropy,k_best=2
)";

struct SequenceOptions {
  LineOptions lines;
  SequenceQuestions questions;
  std::string want = "log_partition,marginals";
};

/// What a line is called in help and messages, and what it has several of.
struct SequenceVerb {
  const char *line, *lines, *item, *infeasible, *help;
};

int run(const CLI::App& verb, SequenceOptions& options, const SequenceAnswers& answers) {
  WantList& wants = options.questions.wants;
  wants = parse_wants(options.want, answers.forms);
  refuse_unused(verb, {{"--seed", needs_seed(wants, answers.forms), "--want samples=K or distinct=K"}});
  const AnswerSize size = is_bulky(wants, answers.forms) ? AnswerSize::much_larger : AnswerSize::like_lines;
  return run_lines(
      options.lines,
      {[&](std::string_view line, std::size_t index) { return answers.answer(line, index, options.questions); }, size});
}

Action add(CLI::App& verb, const SequenceVerb& names, const SequenceAnswers& answers) {
  auto options = std::make_shared<SequenceOptions>();
  options->lines.items = names.lines;
  options->lines.infeasible = names.infeasible;
  SequenceQuestions& questions = options->questions;
  add_text(verb, "--want", options->want, "LIST",
           "Lists what to compute, with commas between the names [log_partition,marginals].");
  add_choice(verb, "--method", questions.method,
             "Answers in doubles where they are certain to suffice (automatic, the default, and fast), or always in "
             "numbers of extended range (robust).");
  add_seed(verb, questions.seed,
           fmt::format("which {}s are drawn; {} i, counted from 0, has seed S + i", names.item, names.line));
  add_unknown(verb, questions.unknown);
  add_lines(verb, options->lines, fmt::format("the first {} that has no {} or no answer", names.line, names.item));
  verb.footer(
      fmt::format("--want takes any of these about the {}s of a line, or 'all', which is whatever the line has "
                  "the fields for:\n{}{}",
                  names.item, wants_help(answers.forms, kSequenceFields), names.help));
  return [options, answers, &verb](std::string_view) { return run(verb, *options, answers); };
}

}  // namespace

Action add_chain(CLI::App& verb) {
  return add(verb, {"chain", "chains", "sequence", "without any sequence", kChainHelp}, chain_answers());
}

Action add_segment(CLI::App& verb) {
  return add(verb, {"line", "lines", "segmentation", "without any segmentation", kSegmentHelp}, segment_answers());
}

}  // namespace kirchhoff::cli
