// The verb `segment` answers questions about the segmentations of each line of a JSON Lines file.
#include "answers/segment_answer.hpp"
#include "option_use.hpp"
#include "options.hpp"
#include "verbs/verbs.hpp"

#include <fmt/format.h>

namespace kirchhoff::cli {
namespace {

constexpr const char* kHelp = R"(
The input has one JSON object per line, {"id":..., "segments":[[[...]]], "transitions":[[...]]}. Segments are the scores
of those that begin at each position: a matrix with a row for each length, from 1 on, and a column for each tag. What
would end beyond the last position is ignored. Transitions are a matrix, whose rows are tags and whose columns are the
tags of the next segment. null is impossible. Manual: docs/reference/cli.md

Example, two positions, segments of one or two of them, and one tag:
  echo '{"id":"a","segments":[[[0],[1]],[[0.5],[0]]],"transitions":[[0.25]]}' |
    kirchhoff segment --want log_partition,entropy,k_best=2
)";

struct SegmentOptions {
  LineOptions lines;
  SegmentQuestions questions;
  std::string want = "log_partition,marginals";
};

int run(const CLI::App& verb, SegmentOptions& options) {
  options.questions.wants = parse_segment_wants(options.want);
  refuse_unused(verb, {{"--seed", wants_random_segments(options.questions.wants), "--want samples=K or distinct=K"}});
  const AnswerSize size = is_bulky_segments(options.questions) ? AnswerSize::much_larger : AnswerSize::like_lines;
  return run_lines(options.lines, {[&](std::string_view line, std::size_t index) {
                                     return answer_segment_line(line, index, options.questions);
                                   },
                                   size});
}

}  // namespace

Action add_segment(CLI::App& verb) {
  auto options = std::make_shared<SegmentOptions>();
  options->lines.items = "lines";
  options->lines.infeasible = "without any segmentation";
  SegmentQuestions& questions = options->questions;
  add_text(verb, "--want", options->want, "LIST",
           "Lists what to compute, with commas between the names [log_partition,marginals].");
  add_choice(verb, "--method", questions.method,
             "Answers in doubles where they are certain to suffice (automatic, the default, and fast), or always in "
             "numbers of extended range (robust).");
  add_seed(verb, questions.seed, "which segmentations are drawn; line i, counted from 0, has seed S + i");
  add_unknown(verb, questions.unknown);
  add_lines(verb, options->lines, "the first line that has no segmentation or no answer");
  verb.footer(fmt::format("--want takes any of these, or 'all', which is whatever the line has the fields for:\n{}{}",
                          segment_wants_help(), kHelp));
  return [options, &verb](std::string_view) { return run(verb, *options); };
}

}  // namespace kirchhoff::cli
