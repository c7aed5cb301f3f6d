// The verb `chain` answers questions about the tag sequences of each chain of a JSON Lines file.
#include "answers/chain_answer.hpp"
#include "option_use.hpp"
#include "options.hpp"
#include "verbs/verbs.hpp"

#include <fmt/format.h>

namespace kirchhoff::cli {
namespace {

constexpr const char* kHelp = R"(
The input has one JSON object per line, {"id":..., "emissions":[[...]], "transitions":[[...]]}. Emissions have a row of
scores, one for each tag, for each position. Transitions are one matrix, whose rows are tags and whose columns are the
tags that follow, or a list of such matrices, one for each position but the first. null is impossible.
Manual: docs/reference/cli.md

Example, three positions and two tags:
  echo '{"id":"a","emissions":[[0,1],[0.5,0],[0,2]],"transitions":[[0.5,0],[0,null]]}' |
    kirchhoff chain --want log_partition,entropy,k_best=2
)";

struct ChainOptions {
  LineOptions lines;
  ChainQuestions questions;
  std::string want = "log_partition,marginals";
};

int run(const CLI::App& verb, ChainOptions& options) {
  options.questions.wants = parse_chain_wants(options.want);
  refuse_unused(verb, {{"--seed", wants_random_tags(options.questions.wants), "--want samples=K or distinct=K"}});
  const AnswerSize size = is_bulky(options.questions) ? AnswerSize::much_larger : AnswerSize::like_lines;
  return run_lines(options.lines, {[&](std::string_view line, std::size_t index) {
                                     return answer_chain_line(line, index, options.questions);
                                   },
                                   size});
}

}  // namespace

Action add_chain(CLI::App& verb) {
  auto options = std::make_shared<ChainOptions>();
  options->lines.items = "chains";
  options->lines.infeasible = "without any sequence";
  ChainQuestions& questions = options->questions;
  add_text(verb, "--want", options->want, "LIST",
           "Lists what to compute, with commas between the names [log_partition,marginals].");
  add_choice(verb, "--method", questions.method,
             "Answers in doubles where they are certain to suffice (automatic, the default, and fast), or always in "
             "numbers of extended range (robust).");
  add_seed(verb, questions.seed, "which sequences are drawn; chain i, counted from 0, has seed S + i");
  add_unknown(verb, questions.unknown);
  add_lines(verb, options->lines, "the first chain that has no sequence or no answer");
  verb.footer(fmt::format("--want takes any of these, or 'all', which is whatever the line has the fields for:\n{}{}",
                          chain_wants_help(), kHelp));
  return [options, &verb](std::string_view) { return run(verb, *options); };
}

}  // namespace kirchhoff::cli
