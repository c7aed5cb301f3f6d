// The verb `decode` finds the best trees of each graph of a JSON Lines file.
#include "answers/decode_answer.hpp"
#include "option_use.hpp"
#include "options.hpp"
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

struct DecodeOptions {
  LineOptions lines;
  DecodeSettings settings;
};

void check_uses(const CLI::App& verb, const DecodeOptions& options) {
  const bool best = !options.settings.sparse;
  constexpr std::string_view kUsers = "the best trees, not for --sparse";
  refuse_unused(verb, {{"--k-best", best, kUsers},
                       {"--mbr", best, kUsers},
                       {"--method", best, kUsers},
                       {"--projective", best, kUsers},
                       {"--tolerance", best, kUsers},
                       {"--floor", best, kUsers},
                       automatic_use("--tolerance", options.settings.accuracy),
                       automatic_use("--floor", options.settings.accuracy)});
}

int run(const DecodeOptions& options) {
  const AnswerSize size = options.settings.k_best > kManyTrees ? AnswerSize::much_larger : AnswerSize::like_lines;
  return run_lines(options.lines, size,
                   [&](std::string_view line, std::size_t) { return answer_decode_line(line, options.settings); });
}

}  // namespace

Action add_decode(CLI::App& verb) {
  auto options = std::make_shared<DecodeOptions>();
  add_required_root(verb, options->settings.root);
  add_projective(verb, options->settings.projective);
  CLI::Option* k_best = add_number(verb, "--k-best,--kbest,--k", options->settings.k_best, "K", {0, kMaxTrees},
                                   "Prints the K best trees of each graph, best first [1].");
  verb.add_flag("--mbr", options->settings.mbr,
                "Prints instead the tree with the most heads that are expected to be right.")
      ->excludes(k_best);
  verb.add_flag(
      "--sparse", options->settings.sparse,
      "Prints instead SparseMAP's trees: the few, with probabilities, whose mixture is nearest to the scores.");
  add_accuracy(verb, options->settings.accuracy);
  add_floor(verb, options->settings.accuracy);
  add_unknown(verb, options->settings.unknown);
  add_lines(verb, options->lines);
  verb.footer(kHelp);
  return [options, &verb](std::string_view) {
    check_uses(verb, *options);
    return run(*options);
  };
}

}  // namespace kirchhoff::cli
