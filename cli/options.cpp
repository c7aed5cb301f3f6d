// Options that several verbs share, with the checks that CLI11 lacks and messages that say what to write instead.
#include "options.hpp"

#include "io/files.hpp"
#include "usage_error.hpp"

#include <fmt/format.h>

namespace kirchhoff::cli {
namespace {

constexpr int kMaxThreads = 1024;
constexpr int kMaxMb = 4000;

}  // namespace

CLI::Option* add_names(CLI::App& verb, const std::string& option, const std::string& help,
                       std::span<const std::string_view> names, const std::function<void(std::size_t)>& set) {
  const auto index_of = [names](const std::string& text) {
    std::size_t i = 0;
    while (i < names.size() && !spells(text, names[i])) ++i;
    return i;
  };
  const auto check = [names, index_of](std::string& text) {
    if (index_of(text) < names.size()) return std::string();
    return fmt::format("'{}' is unknown; take one of: {}", text, fmt::join(names, ", "));
  };
  const auto take = [set, index_of](const std::string& text) { set(index_of(text)); };
  return verb.add_option_function<std::string>(option, take, help)
      ->type_name(fmt::format("{}", fmt::join(names, "|")))
      ->check(CLI::Validator(check, ""));
}

CLI::Option* add_text(CLI::App& verb, const std::string& option, std::string& value, const std::string& placeholder,
                      const std::string& help) {
  return verb.add_option(option, value, help)->type_name(placeholder);
}

CLI::Option* add_input_file(CLI::App& verb, const std::string& option, std::string& file,
                            const std::string& placeholder, const std::string& help) {
  const auto check = [](const std::string& name) { return std::string(name.empty() ? kNoName : ""); };
  return add_text(verb, option, file, placeholder, help)->check(CLI::Validator(check, ""));
}

void check_one_standard_input(std::initializer_list<std::pair<std::string_view, std::string_view>> inputs) {
  std::string_view first;
  for (const auto& [option, file] : inputs) {
    if (file != "-") continue;
    if (!first.empty()) throw UsageError(fmt::format("{}: standard input is read as {} already", option, first));
    first = option;
  }
}

CLI::Option* add_file(CLI::App& verb, std::string& file, const std::string& content) {
  return add_input_file(verb, "FILE", file, "",
                        fmt::format("The file to read, {}. It is standard input when FILE is - or left out.", content));
}

void add_required_root(CLI::App& verb, Root& root) {
  add_choice(verb, "--root", root,
             "Says how many children the root of a tree has: exactly one (single), or one or more (multi).")
      ->required();
}

void add_projective(CLI::App& verb, bool& projective) {
  verb.add_flag("--projective", projective,
                "Leaves only trees whose arcs do not cross when they are drawn above the words, the root first.");
}

void add_accuracy(CLI::App& verb, Accuracy& accuracy) {
  add_choice(
      verb, "--method", accuracy.method,
      "Chooses how sums are computed: by the fast method, by the robust one, which is accurate whatever the weights "
      "are, or by the fast one wherever its error stays within the tolerance (automatic, the default).");
  add_number(verb, "--tolerance", accuracy.tolerance, "X", {0, 1, NumberRange::Ends::only_high},
             "The largest relative error that the automatic choice accepts from the fast method [1e-12].");
}

void add_floor(CLI::App& verb, Accuracy& accuracy) {
  add_number(
      verb, "--floor", accuracy.floor, "P", {0, 1},
      "Takes the tolerance of less probable arcs relative to P instead of to their own probability: 1 makes it an "
      "absolute error, which the fast method keeps more often [0].");
}

void add_seed(CLI::App& verb, std::uint64_t& seed, const std::string& what) {
  add_number(verb, "--seed", seed, "S", {0, kAllSeeds},
             fmt::format("The seed of the random numbers that decide {} [0].", what));
}

void add_threads(CLI::App& verb, int& threads, const std::string& more) {
  add_number(verb, "--threads", threads, "T", {0, kMaxThreads},
             fmt::format("The number of threads; 0 stands for all cores [0].{}", more));
}

CLI::Option* add_shard(CLI::App& verb, Shard& shard) {
  const auto problem = [](const std::string& text) {
    return parse_shard(text) ? std::string() : fmt::format("'{}' is not I/N with I from 1 to N", text);
  };
  return verb
      .add_option_function<std::string>(
          "--shard", [&shard](const std::string& text) { shard = parse_shard(text).value(); },
          "Reads only part I of N of the file, for N processes: every sentence is in one part, and the outputs one "
          "after the other are that of the whole file [1/1].")
      ->type_name("I/N")
      ->check(CLI::Validator(problem, ""));
}

void add_quiet(CLI::App& verb, bool& quiet, const std::string& what) {
  verb.add_flag("--quiet", quiet, fmt::format("Keeps {} off standard error.", what));
}

void add_unknown(CLI::App& verb, UnknownFields& unknown) {
  verb.add_flag_callback(
      "--allow-unknown", [&unknown] { unknown = UnknownFields::allowed; },
      "Passes over fields of the input that are not known, such as notes; otherwise they are an error.");
}

void add_max_mb(CLI::App& verb, const std::string& option, std::size_t& mb, const std::string& what) {
  mb = default_max_mb();
  add_number(verb, option, mb, "MB", {1, kMaxMb},
             fmt::format("Refuses {} longer than this many megabytes [{}].", what, mb));
}

void add_input(CLI::App& verb, InputOptions& input, bool& quiet) {
  add_max_mb(verb, "--max-line-mb", input.max_line_mb, "lines that are");
  add_quiet(verb, quiet, "progress and the greeting of a terminal");
  add_file(verb, input.file, "JSON Lines");
}

void add_lines(CLI::App& verb, LineOptions& lines, const std::string& without) {
  add_threads(verb, lines.threads, " The output does not depend on it.");
  verb.add_flag("--strict", lines.strict, fmt::format("Stops with an error at {}.", without));
  add_input(verb, lines.input, lines.quiet);
}

void add_treebank(CLI::App& verb, TreebankOptions& input) {
  add_choice(verb, "--from", input.format, "The format of the input [conllu].");
  add_choice(verb, "--root", input.root,
             "Says how many words may hang from the root of a well-formed tree: one, or several [single].");
  verb.add_flag("--skip-bad", input.skip_bad,
                "Reports sentences that are not well-formed or not trees and goes on; otherwise the first one is an "
                "error.");
}

void add_pictures(CLI::App& verb, PictureOptions& pictures, const std::string& what) {
  verb.add_option("--html", pictures.html,
                  fmt::format("Writes an HTML page with {} drawn; - is standard output.", what))
      ->type_name("FILE");
  verb.add_option("--svg", pictures.svg,
                  fmt::format("Writes one SVG picture with {} drawn; - is standard output.", what))
      ->type_name("FILE");
}

}  // namespace kirchhoff::cli
