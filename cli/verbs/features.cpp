// The verb `features` tells what a model expects of features over a corpus: means, variances and correlations.
#include "answers/features_report.hpp"
#include "io/files.hpp"
#include "json/read_error.hpp"
#include "number.hpp"
#include "option_use.hpp"
#include "options.hpp"
#include "usage_error.hpp"
#include "verbs/verbs.hpp"

#include <kirchhoff/model_statistics.hpp>

#include <fmt/format.h>

#include <cmath>
#include <sstream>

namespace kirchhoff::cli {
namespace {

constexpr const char* kHelp =
    R"(A template such as 'dir | h.upos d.upos' has one feature for each direction and pair of tags of head and dependent. They
need not be the model's, which must be one of arcs. Manual: docs/guides/parser.md

Example, after the one of 'kirchhoff train --help':
  kirchhoff features --model demo.model --template 'dir | h.upos d.upos' --most 10 examples/treebank/dev.conllu
)";

constexpr int kMostFeatures = 10000;

/// Reads lines "VALUE FEATURE", in which a feature's name may have blanks.
std::vector<std::pair<std::string, double>> read_direction(const std::string& file) {
  std::vector<std::pair<std::string, double>> direction;
  std::istringstream in(read_file(file));
  std::string line;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string::npos || line[begin] == '#') continue;
    const std::size_t end = line.find_first_of(" \t", begin);
    const std::size_t name = line.find_first_not_of(" \t\r", end);
    const std::optional<double> value = parse_number<double>(line.substr(begin, end - begin));
    if (end == std::string::npos || name == std::string::npos || !value || !std::isfinite(*value)) {
      throw FileError(fmt::format("{}:{}:{}: expected a number and the name of a feature, such as '1 h.upos=VERB'",
                                  file, number, begin + 1));
    }
    direction.emplace_back(line.substr(name, line.find_last_not_of(" \t\r") + 1 - name), *value);
  }
  return direction;
}

struct FeaturesVerbOptions {
  TreebankOptions input;
  std::string model, direction;
  std::vector<std::string> templates;
  FeatureChoice choice;
  StatisticsOptions statistics;
  bool json = false;
};

int run(const CLI::App& app, FeaturesVerbOptions& verb) {
  refuse_unused(app, {{"--most", verb.choice.names.empty(), "the most expected features, without --feature"}});
  check_one_standard_input({{"the treebank", verb.input.file}, {"--direction", verb.direction}});
  const ParserModel model = ParserModel::open(verb.model);
  if (model.parts() != kArcs) {
    throw FileError(
        fmt::format("{}: it scores parts of several arcs ({}), and covariances are exact for models of arcs "
                    "only",
                    verb.model, to_string(model.parts())));
  }
  if (!verb.direction.empty()) verb.choice.direction = read_direction(verb.direction);
  for (const std::string& line : verb.templates) verb.choice.templates += line + "\n";
  try {
    feature_statistics(model, {}, verb.choice);  // Templates are checked before the sentences are read.
  } catch (const InputError& error) {
    throw UsageError("--template: " + std::string(without_function(error.what())));
  }
  TreebankInput input(verb.input, TreebankInput::Need::sentences);
  const std::vector<Sentence> sentences = read_all(input);
  try {
    const FeatureStatistics found = feature_statistics(model, sentences, verb.choice, verb.statistics);
    write_stdout(verb.json ? features_json(found) : features_table(found));
  } catch (const InputError& error) {
    throw FileError(fmt::format("{}: {}", input.name(), without_function(error.what())));
  }
  return 0;
}

}  // namespace

Action add_features(CLI::App& verb) {
  auto options = std::make_shared<FeaturesVerbOptions>();
  const auto add_list = [&](const std::string& option, std::vector<std::string>& list, const std::string& placeholder,
                            const std::string& help) {
    return verb.add_option(option, list, help)->type_name(placeholder)->allow_extra_args(false);
  };
  add_file(verb, options->input.file, "CoNLL-U");
  add_input_file(verb, "--model", options->model, "FILE", "The model file, as 'kirchhoff train' writes it.")
      ->required();
  add_list("--template", options->templates, "TEMPLATE",
           "A feature template of arcs, as docs/methods/parser.md describes them; may be given several times.")
      ->required();
  add_list(
      "--feature", options->choice.names, "NAME",
      "Takes the feature of this name, as the first column has it, instead of the most expected ones; may be given "
      "several times.");
  add_input_file(verb, "--direction", options->direction, "FILE",
                 "Adds a column: the Hessian of the log-likelihood by weights of features, times the vector that lines "
                 "'VALUE FEATURE' of this file give.");
  add_number(verb, "--most", options->choice.most, "N", {1, kMostFeatures},
             "Takes the N features with the largest expectations [50].");
  add_choice(verb, "--root", options->statistics.root,
             "Says how many words may hang from the root: one, or several [as the model was trained].");
  add_projective(verb, options->statistics.projective);
  verb.add_flag("--json", options->json, "Prints one JSON object, with all covariances, instead of a table.");
  verb.add_flag("--skip-bad", options->input.skip_bad, "Reports and leaves out sentences that are not well-formed.");
  add_threads(verb, options->statistics.threads, " The output does not depend on it.");
  verb.footer(kHelp);
  return [options, &verb](std::string_view) { return run(verb, *options); };
}

}  // namespace kirchhoff::cli
