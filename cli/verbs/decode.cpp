// The verb `decode` finds the best trees of each graph of a JSON Lines file.
#include "answers/decode_answer.hpp"
#include "option_use.hpp"
#include "options.hpp"
#include "verbs/questions.hpp"
#include "verbs/verbs.hpp"

namespace kirchhoff::cli {
namespace {

constexpr const char* kHelp =
    R"(The input is as for 'kirchhoff tree', with optional "require":[[head,dependent],...] and "forbid":[...] on each line.
The output is {"id":..., "trees":[{"heads":[...], "score":..., "log_prob":...}, ...], "mass":...}, best tree first;
log_prob and mass are given that the line's constraints hold. Manual: docs/reference/cli.md

Example, the two best trees in which word 2 is not the root's child:
  echo '{"id":"a","scores":[[null,0,1,2],[null,null,2,0],[null,0.5,null,1],[null,1,3,null]],"forbid":[[0,2]]}' |
    kirchhoff decode --root single --k-best 2
)";

constexpr int kMaxTrees = 1'000'000'000;
/// More trees than this make an answer that is much larger than its line.
constexpr int kManyTrees = 100;

void check_uses(const CLI::App& verb, const DecodeSettings& settings) {
  const bool best = !settings.sparse;
  constexpr std::string_view kUsers = "the best trees, not for --sparse";
  refuse_unused(verb, {{"--k-best", best, kUsers},
                       {"--mbr", best, kUsers},
                       {"--method", best, kUsers},
                       {"--projective", best, kUsers},
                       {"--tolerance", best, kUsers},
                       {"--floor", best, kUsers},
                       automatic_use("--tolerance", settings.accuracy),
                       automatic_use("--floor", settings.accuracy)});
}

}  // namespace

ReadLineQuestions add_decode_questions(CLI::App& verb) {
  const auto settings = std::make_shared<DecodeSettings>();
  add_required_root(verb, settings->root);
  add_projective(verb, settings->projective);
  CLI::Option* k_best = add_number(verb, "--k-best,--kbest,--k", settings->k_best, "K", {0, kMaxTrees},
                                   "Prints the K best trees of each graph, best first [1].");
  verb.add_flag("--mbr", settings->mbr, "Prints instead the tree with the most heads that are expected to be right.")
      ->excludes(k_best);
  verb.add_flag(
      "--sparse", settings->sparse,
      "Prints instead SparseMAP's trees: the few, with probabilities, whose mixture is nearest to the scores.");
  add_accuracy(verb, settings->accuracy);
  add_floor(verb, settings->accuracy);
  add_unknown(verb, settings->unknown);
  return [settings, &verb](const Stop&) {
    check_uses(verb, *settings);
    return LineQuestions{[settings](std::string_view line, std::size_t) { return answer_decode_line(line, *settings); },
                         settings->k_best > kManyTrees ? AnswerSize::much_larger : AnswerSize::like_lines,
                         settings->k_best};
  };
}

Action add_decode(CLI::App& verb) {
  const ReadLineQuestions questions = add_decode_questions(verb);
  const auto lines = std::make_shared<LineOptions>();
  add_lines(verb, *lines);
  verb.footer(kHelp);
  return [=](std::string_view) { return run_lines(*lines, questions({})); };
}

}  // namespace kirchhoff::cli
