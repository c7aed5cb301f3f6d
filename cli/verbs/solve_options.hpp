// The options of `kirchhoff solve`, for main.cpp.
#pragma once

#include "verbs/verbs.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <map>
#include <string>

namespace kirchhoff::cli {

constexpr const char* kSolveExample =
    R"(Input: one JSON object per line, {"id":..., "scores":[...], "factors":[{"type":"xor","vars":[0,1]}, ...]}, or a UAI
file of type MARKOV. Types: xor, or, nand, imply, at_most_one, budget, or_out, xor_out, pair, table, tree.
Manual: docs/methods/factor_graphs.md

Example, wet grass and what explains it:
  echo '{"scores":[-1,-0.5,2],"factors":[{"type":"or_out","vars":[0,1,2]},{"type":"pair","vars":[0,1],"score":-1}]}' |
    kirchhoff solve --method bp
)";

inline void add_solve(CLI::App& app, SolveOptions& options) {
  CLI::App& verb = *app.add_subcommand("solve", "Marginals or the best assignment of each factor graph");
  static const std::map<std::string, SolveMethod> methods = {
      {"bp", SolveMethod::bp},   {"max-product", SolveMethod::max_product},
      {"lp", SolveMethod::lp},   {"ilp", SolveMethod::ilp},
      {"ad3", SolveMethod::ad3}, {"exact", SolveMethod::exact}};
  static const std::map<std::string, Schedule> schedules = {
      {"flooding", Schedule::flooding}, {"sequential", Schedule::sequential}, {"residual", Schedule::residual}};
  const auto named = [&](const char* option, auto& value, const auto& table, const char* names, const char* help) {
    return verb
        .add_option_function<std::string>(
            option, [&value, &table](const std::string& name) { value = table.at(name); }, help)
        ->type_name(names)
        ->check(CLI::IsMember(&table).description(""));
  };
  named("--method", options.method, methods, "bp|max-product|lp|ilp|ad3|exact", "How to solve")->required();
  named("--schedule", options.bp.schedule, schedules, "flooding|sequential|residual",
        "bp, max-product: order of updates [sequential]");
  verb.add_option("--damping", options.bp.damping, "bp, max-product: part of the old message in the new [0]")
      ->type_name("X");
  verb.add_option_function<int>(
          "--max-iterations", [&options](int limit) { options.bp.max_iterations = options.ad3.max_iterations = limit; },
          "Stop after so many [bp 1000, ad3 10000]")
      ->type_name("N")
      ->check(CLI::Range(1, 1'000'000'000).description(""));
  verb.add_option_function<double>(
          "--tolerance", [&options](double x) { options.bp.tolerance = options.ad3.tolerance = x; },
          "On messages or on the factors' agreement [bp 1e-9, ad3 1e-6]")
      ->type_name("X");
  verb.add_option("--gap", options.ad3.gap, "ad3: stop when bound - value is at most this, relative [1e-6]")
      ->type_name("X");
  verb.add_option("--time-limit", options.ad3.time_limit, "ad3, ilp: seconds for each graph")->type_name("S");
  verb.add_flag_callback(
      "--exact", [&options] { options.ad3.search = Search::exact; }, "ad3: branch and bound until the gap is closed");
  verb.add_option("--format", options.format, "json lines or one uai network [by the file's name]")
      ->type_name("json|uai")
      ->check(CLI::IsMember({"json", "uai"}).description(""));
  verb.add_option("--threads", options.threads, "0: all cores [0]")
      ->type_name("T")
      ->check(CLI::Range(0, 1024).description(""));
  options.input.max_line_mb = default_max_line_mb();
  verb.add_option("--max-line-mb", options.input.max_line_mb,
                  fmt::format("Refuse longer lines [{}]", options.input.max_line_mb))
      ->type_name("MB")
      ->check(CLI::Range(1, 4000).description(""));
  verb.add_flag("--strict", options.strict, "Stop at the first infeasible graph");
  verb.add_flag("--quiet", options.quiet, "No progress and no summary on standard error");
  verb.add_option("FILE", options.input.file, "- or nothing: standard input")->type_name("");
  verb.footer(kSolveExample);
}

}  // namespace kirchhoff::cli
