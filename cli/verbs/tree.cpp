// The verb `tree` answers questions about the trees of each graph of a JSON Lines file.
#include "answers/tree_answer.hpp"
#include "option_use.hpp"
#include "options.hpp"
#include "verbs/questions.hpp"
#include "verbs/verbs.hpp"

#include <fmt/format.h>

namespace kirchhoff::cli {
namespace {

constexpr const char* kHelp = R"(
The input has one JSON object per line, {"id":..., "scores":[[...]]}. Rows of the scores are heads and columns are
dependents, node 0 is the root, and null is an impossible arc; column 0 and the diagonal are ignored.
Manual: docs/reference/cli.md

Example, two words:
  echo '{"id":"a","scores":[[null,0,1],[null,null,2],[null,0.5,null]]}' |
    kirchhoff tree --root single --want log_partition,marginals,entropy
)";

struct TreeOptions {
  TreeQuestions questions;
  std::string want = "log_partition,marginals";
};

void check_uses(const CLI::App& verb, const TreeOptions& options) {
  refuse_unused(verb, {automatic_use("--tolerance", options.questions.accuracy),
                       automatic_use("--floor", options.questions.accuracy)});
}

}  // namespace

ReadLineQuestions add_tree_questions(CLI::App& verb) {
  auto options = std::make_shared<TreeOptions>();
  add_required_root(verb, options->questions.root);
  add_projective(verb, options->questions.projective);
  add_text(verb, "--want", options->want, "LIST",
           "Lists what to compute, with commas between the names [log_partition,marginals].");
  add_accuracy(verb, options->questions.accuracy);
  add_floor(verb, options->questions.accuracy);
  add_unknown(verb, options->questions.unknown);
  return [options, &verb](const Stop&) {
    check_uses(verb, *options);
    options->questions.wants = parse_tree_wants(options->want);
    return LineQuestions{
        [options](std::string_view line, std::size_t) { return answer_tree_line(line, options->questions); },
        is_bulky(options->questions) ? AnswerSize::much_larger : AnswerSize::like_lines};
  };
}

Action add_tree(CLI::App& verb) {
  const ReadLineQuestions questions = add_tree_questions(verb);
  const auto lines = std::make_shared<LineOptions>();
  add_lines(verb, *lines);
  verb.footer(fmt::format("--want takes any of these, or 'all', which is whatever the line has the fields for:\n{}{}",
                          tree_wants_help(), kHelp));
  return [=](std::string_view) { return run_lines(*lines, questions({})); };
}

}  // namespace kirchhoff::cli
