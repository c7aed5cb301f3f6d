// The verb `sample` draws random trees of each graph of a JSON Lines file.
#include "answers/sample_answer.hpp"
#include "options.hpp"
#include "usage_error.hpp"
#include "verbs/questions.hpp"
#include "verbs/verbs.hpp"

#include <fmt/format.h>

#include <array>
#include <vector>

namespace kirchhoff::cli {
namespace {

constexpr const char* kHelp = R"(
The input is as for 'kirchhoff decode'. The output is {"id":..., "trees":[{"heads":[...], "score":..., "log_prob":...},
...], "method":...} with the method that ran; beam adds "perturbed" to each tree and "threshold" to the line, and
--expected-draws "expected_draws".
Manual: docs/reference/cli.md

Example, how often each tree comes up among 1000:
  echo '{"id":"a","scores":[[null,0,1,2],[null,null,2,0],[null,0.5,null,1],[null,1,3,null]],"forbid":[[0,2]]}' |
    kirchhoff sample --root single --count 1000 --counts
)";

constexpr int kMaxTrees = 1'000'000'000;
/// More trees than this make an answer that is much larger than its line.
constexpr int kManyTrees = 100;

struct SampleVerbOptions {
  SampleSettings settings;
  std::string method{to_string(Sampler::automatic)};
  bool without_replacement = false;
};

/// A value of --method.
struct SampleMethod {
  std::string_view name;
  Draws draws;
  Sampler sampler;
  std::optional<Root> only;  ///< The kind of root it is for; nothing stands for both.
  std::string_view help;
};

constexpr SampleMethod independent(Sampler sampler, std::optional<Root> only, std::string_view help) {
  return {to_string(sampler), Draws::independent, sampler, only, help};
}

constexpr std::array kSampleMethods = {
    independent(Sampler::automatic, {}, "the fastest for each graph, which never stalls"),
    independent(Sampler::wilson, Root::multi, "loop-erased random walks"),
    independent(Sampler::wilson_marginal, Root::single, "the root's child from its marginal, then wilson"),
    independent(Sampler::wilson_reject, Root::single, "wilson until the root has one child"),
    independent(Sampler::colbourn, {}, "head after head, from conditional marginals"),
    SampleMethod{"trie", Draws::trie, {}, {}, "without replacement, one tree after the other"},
    SampleMethod{"beam", Draws::beam, {}, {}, "without replacement, all at once, with perturbed log-probabilities"},
};

bool is_distinct(const SampleMethod& method) { return method.draws != Draws::independent; }

bool fits(const SampleMethod& method, const SampleVerbOptions& options) {
  const bool replaces = !is_distinct(method) && method.sampler != Sampler::automatic;
  return method.only.value_or(options.settings.root) == options.settings.root &&
         !((options.without_replacement || options.settings.projective) && replaces);
}

const SampleMethod* find_method(std::string_view name) {
  for (const SampleMethod& method : kSampleMethods) {
    if (spells(name, method.name)) return &method;
  }
  return nullptr;
}

[[noreturn]] void refuse_method(std::string_view problem, const SampleVerbOptions& options) {
  std::vector<std::string_view> fitting;
  for (const SampleMethod& method : kSampleMethods) {
    if (fits(method, options)) fitting.push_back(method.name);
  }
  throw UsageError(fmt::format("--method {} {}; with --root {}{}{} take one of: {}", options.method, problem,
                               to_string(options.settings.root), options.settings.projective ? " --projective" : "",
                               options.without_replacement ? " --without-replacement" : "", fmt::join(fitting, ", ")));
}

/// The method of the options, or beam where they leave the choice. Throws UsageError when it does not fit them.
const SampleMethod& method_of(const SampleVerbOptions& options) {
  const SampleMethod* method = find_method(options.method);
  if (method == nullptr) refuse_method("is unknown", options);
  if (!fits(*method, options)) refuse_method("does not fit", options);
  if (options.without_replacement && !is_distinct(*method)) method = find_method("beam");
  if (options.settings.counts && is_distinct(*method)) {
    throw UsageError("--counts is for samples with replacement; without, no tree comes twice");
  }
  if (options.settings.expected_draws && (is_distinct(*method) || options.settings.projective)) {
    throw UsageError("--expected-draws is for samples with replacement of trees of all kinds, which walks can draw");
  }
  return *method;
}

std::string methods_help() {
  std::string out;
  for (const SampleMethod& method : kSampleMethods) {
    const std::string_view root = method.only ? to_string(*method.only) : "both";
    out += fmt::format("  {:<16} {:<7} {}\n", method.name, root, method.help);
  }
  return out;
}

}  // namespace

ReadLineQuestions add_sample_questions(CLI::App& verb) {
  auto options = std::make_shared<SampleVerbOptions>();
  SampleSettings& settings = options->settings;
  add_required_root(verb, settings.root);
  add_projective(verb, settings.projective);
  add_number(verb, "--count", settings.count, "K", {0, kMaxTrees}, "Draws this many trees of each graph.")->required();
  add_text(verb, "--method", options->method, "NAME", "Chooses how trees are drawn, as listed below [automatic].");
  verb.add_flag("--without-replacement", options->without_replacement,
                "Draws no tree twice; the automatic choice is then beam.");
  add_seed(verb, settings.seed, "which trees are drawn; graph i, counted from 0, has seed S + i");
  verb.add_flag("--counts", settings.counts,
                "Prints each tree once, with how often it was drawn, most frequent first.");
  verb.add_flag(
      "--expected-draws", settings.expected_draws,
      "Also prints how many random numbers a walk of this method takes for a tree on average; 0 for colbourn, "
      "which does not walk.");
  add_unknown(verb, settings.unknown);
  return [options](const Stop&) {
    const SampleMethod& method = method_of(*options);
    SampleSettings& own = options->settings;
    own.draws = method.draws;
    own.sampler = method.sampler;
    return LineQuestions{[options](std::string_view line, std::size_t index) {
                           return answer_sample_line(line, index, options->settings);
                         },
                         own.count > kManyTrees ? AnswerSize::much_larger : AnswerSize::like_lines, own.count};
  };
}

Action add_sample(CLI::App& verb) {
  const ReadLineQuestions questions = add_sample_questions(verb);
  const auto lines = std::make_shared<LineOptions>();
  add_lines(verb, *lines);
  verb.footer(fmt::format("--method takes one of these, for the kind of --root in the second column:\n{}{}",
                          methods_help(), kHelp));
  return [=](std::string_view) { return run_lines(*lines, questions({})); };
}

}  // namespace kirchhoff::cli
