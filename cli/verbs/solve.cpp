// The verb `solve` finds the marginals or the best assignment of factor graphs.
#include "answers/factor_answer.hpp"
#include "io/files.hpp"
#include "io/memory.hpp"
#include "io/terminal.hpp"
#include "option_use.hpp"
#include "options.hpp"
#include "usage_error.hpp"
#include "verbs/questions.hpp"
#include "verbs/verbs.hpp"

#include <fmt/format.h>

namespace kirchhoff::cli {

/// The formats of factor graphs.
enum class FactorFormat { json, uai };

}  // namespace kirchhoff::cli

namespace kirchhoff {

template <>
inline constexpr std::array<std::string_view, 2> kNames<cli::FactorFormat> = {"json", "uai"};

}  // namespace kirchhoff

namespace kirchhoff::cli {
namespace {

constexpr const char* kHelp =
    R"(The input has one JSON object per line, {"id":..., "scores":[...], "factors":[{"type":"xor","vars":[0,1]}, ...]}, or is
a UAI file of type MARKOV. Types: xor, or, nand, imply, at_most_one, budget, knapsack, or_out, and_out, xor_out,
pair, table, sequence, rooted_tree, compression, tree, head. Trees with scores of pairs of arcs are
{"arcs":[[...], ...], "root":"single", "pairs":[[0,2,2,1,0.5], ...]}.
Manual: docs/reference/formats.md

Example, wet grass and what explains it:
  echo '{"scores":[-1,-0.5,2],"factors":[{"type":"or_out","vars":[0,1,2]},{"type":"pair","vars":[0,1],"score":-1}]}' |
    kirchhoff solve --method bp
)";

constexpr int kMaxIterations = 1'000'000'000;

struct SolveOptions {
  LineOptions lines;
  SolveSettings settings;
  std::optional<FactorFormat> format;  ///< The file's name decides when this is not set.
};

int run_uai(const SolveOptions& options) {
  const InputOptions& input = options.lines.input;
  const LineAnswer answer = answer_uai(read_file(input.file, input.max_line_mb, "--max-line-mb"), options.settings);
  const std::string message = fmt::format("{}: {}", input_name(input.file), answer.message);
  write_stdout(answer.output);
  if (answer.ends_run(options.lines.strict)) throw FileError(message);
  if (answer.status == LineAnswer::Status::good) return 0;
  complain(message);
  return 1;
}

FactorFormat format_of(const SolveOptions& options) {
  const FactorFormat by_name = options.lines.input.file.ends_with(".uai") ? FactorFormat::uai : FactorFormat::json;
  return options.format.value_or(by_name);
}

void check_uses(const CLI::App& verb, const SolveSettings& settings, bool json) {
  const SolveMethod method = settings.method;
  const bool sparse = settings.sparse;
  if (!sparse && verb.count("--method") == 0) throw UsageError("--method is required");
  const bool bp = !sparse && (method == SolveMethod::bp || method == SolveMethod::max_product);
  const bool ad3 = !sparse && method == SolveMethod::ad3;
  refuse_unused(verb, {
                          {"--schedule", bp, "--method bp and max_product"},
                          {"--damping", bp, "--method bp and max_product"},
                          {"--free-energy", bp, "--method bp and max_product"},
                          {"--retry-damping", bp, "--method bp and max_product"},
                          {"--max-iterations", bp || ad3 || sparse, "--method bp, max_product and ad3, and --sparse"},
                          {"--tolerance", bp || ad3 || sparse, "--method bp, max_product and ad3, and --sparse"},
                          {"--beliefs", bp && method == SolveMethod::bp, "--method bp"},
                          {"--duals", ad3 && json, "--method ad3 and --format json"},
                          {"--posteriors", (ad3 || sparse) && json, "--method ad3 or --sparse, and --format json"},
                          {"--gap", ad3, "--method ad3"},
                          {"--exact", ad3, "--method ad3"},
                          {"--time-limit", ad3 || (!sparse && method == SolveMethod::ilp), "--method ad3 and ilp"},
                          {"--allow-unknown", json, "--format json"},
                      });
}

int run(const SolveOptions& options) {
  const SolveMethod method = options.settings.method;
  const bool by_coin = method == SolveMethod::lp || method == SolveMethod::ilp;
  if (by_coin && !options.settings.sparse) end_without_memory();
  if (format_of(options) == FactorFormat::uai) return run_uai(options);
  return run_lines(options.lines,
                   {[&](std::string_view line, std::size_t) { return answer_factor_line(line, options.settings); }});
}

void add_settings(CLI::App& verb, SolveSettings& settings) {
  CLI::Option* method = add_choice(
      verb, "--method", settings.method,
      "Chooses how to solve: belief propagation with sums (bp) or maxima (max_product), the linear programming "
      "relaxation (lp), integer programming (ilp), dual decomposition (ad3), or enumeration (exact).");
  verb.add_flag("--sparse", settings.sparse,
                "Finds sparse marginals by LP-SparseMAP, in the place of a method: the point of the relaxation that is "
                "best less half its squared distance from the scores.")
      ->excludes(method);
  add_choice(verb, "--schedule", settings.bp.schedule,
             "The order in which bp and max_product update messages: all at once, one after the other, or the one that "
             "changed most first [sequential].");
  add_number(verb, "--damping", settings.bp.damping, "X", {0, 1, NumberRange::Ends::only_low},
             "How much of the old message bp and max_product keep in the new one, from 0 up to but not "
             "including 1 [0].");
  add_number(verb, "--retry-damping", settings.bp.retry_damping, "X", {0, 1, NumberRange::Ends::only_low},
             "Lets bp and max_product start again with this damping when they do not converge [0, they do not].");
  add_choice(verb, "--free-energy", settings.bp.free_energy,
             "What bp and max_product make stationary: Bethe's free energy, or a convex one, which has one fixed point "
             "and a log Z that is never too low [bethe].");
  add_number_function<int>(
      verb, "--max-iterations",
      [&settings](int limit) {
        settings.bp.max_iterations = settings.ad3.max_iterations = settings.sparsemap.max_iterations = limit;
      },
      "N", {1, kMaxIterations},
      "Stops after this many iterations [1000 for bp and max_product, 10000 for ad3, 20000 for --sparse].");
  add_number_function<double>(
      verb, "--tolerance",
      [&settings](double x) { settings.bp.tolerance = settings.ad3.tolerance = settings.sparsemap.tolerance = x; }, "X",
      kNotNegative,
      "Stops bp and max_product when no message changes by more [1e-9], and ad3 and --sparse when the factors agree as "
      "closely [1e-6, 1e-9].");
  verb.add_flag("--beliefs", settings.beliefs,
                "Makes bp also print the probability of every configuration of each factor of up to 16 variables.");
  verb.add_flag("--duals", settings.duals,
                "Makes ad3 also print the part of its variables' scores that each factor got, which proves the bound.");
  verb.add_flag("--posteriors", settings.posteriors,
                "Makes ad3 and --sparse also print each factor's mixture of configurations in the solution.");
  add_number(verb, "--gap", settings.ad3.gap, "X", kNotNegative,
             "Stops ad3 when the bound is at most this much above the value, relative to the bound [1e-6].");
  add_number(verb, "--time-limit", settings.ad3.time_limit, "S", kNotNegative,
             "Stops ad3 and ilp after this many seconds for each graph. There is no limit without this option.");
  verb.add_flag_callback(
      "--exact", [&settings] { settings.ad3.search = Search::exact; },
      "Lets ad3 branch and bound until the gap is closed.");
}

}  // namespace

ReadLineQuestions add_solve_questions(CLI::App& verb) {
  const auto settings = std::make_shared<SolveSettings>();
  add_settings(verb, *settings);
  add_unknown(verb, settings->unknown);
  return [settings, &verb](const Stop& stop) {
    check_uses(verb, *settings, true);
    settings->bp.stop = settings->ad3.stop = settings->sparsemap.stop = stop;
    return LineQuestions{
        [settings](std::string_view line, std::size_t) { return answer_factor_line(line, *settings); }};
  };
}

Action add_solve(CLI::App& verb) {
  auto options = std::make_shared<SolveOptions>();
  options->lines.infeasible = "infeasible";
  add_settings(verb, options->settings);
  add_choice(verb, "--format", options->format,
             "The format of the input: JSON Lines, or one UAI network [uai for a file named *.uai, else json].");
  add_unknown(verb, options->settings.unknown);
  add_lines(verb, options->lines, "the first graph that is infeasible or has no answer");
  verb.footer(kHelp);
  return [options, &verb](std::string_view) {
    check_uses(verb, options->settings, format_of(*options) == FactorFormat::json);
    return run(*options);
  };
}

}  // namespace kirchhoff::cli
