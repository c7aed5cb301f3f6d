// Reads what training is to make of sentences without trees.
#include "verbs/train_unannotated.hpp"

#include "io/files.hpp"
#include "option_use.hpp"
#include "options.hpp"
#include "usage_error.hpp"

#include <fmt/format.h>

#include <sstream>

namespace kirchhoff::cli {
namespace {

/// "shannon", or "renyi=2".
double entropy_order_of(const std::string& text) {
  constexpr std::string_view kRenyi = "renyi=";
  if (text == "shannon") return 1.0;
  if (!text.starts_with(kRenyi)) {
    throw UsageError(fmt::format("--regularise: '{}' is not shannon or renyi=ALPHA", text));
  }
  const std::string order = text.substr(kRenyi.size());
  const std::string problem = number_problem<double>(order, {0, 1e6});
  if (!problem.empty()) throw UsageError(fmt::format("--regularise: {}", problem));
  return parse_number<double>(order).value();
}

}  // namespace

std::vector<Sentence> read_sentences_of(TreebankOptions options, const std::string& file, TreebankInput::Need need) {
  options.file = file;
  TreebankInput input(options, need);
  return read_all(input);
}

Unannotated unannotated_of(const UnannotatedOptions& options, const TreebankOptions& treebank) {
  Unannotated u = options.learnt;
  u.sentences = read_sentences_of(treebank, options.file, TreebankInput::Need::sentences);
  if (!options.constraints.empty()) {
    std::istringstream text(read_file(options.constraints));
    u.constraints = read_tag_constraints(text, options.constraints);
  }
  if (!options.features.empty()) {
    std::istringstream text(read_file(options.features));
    u.feature_constraints = read_feature_constraints(text, options.features);
  }
  if (!options.teacher.empty()) u.teacher = ParserModel::open(options.teacher);
  return u;
}

void check_unannotated_uses(const CLI::App& verb, const UnannotatedOptions& options, bool has_trees) {
  const bool has_constraints = !options.constraints.empty() || !options.features.empty();
  const bool has_teacher = !options.teacher.empty();
  const bool has_entropy = options.learnt.entropy_weight > 0.0;
  refuse_unused(verb, {
                          {"--constraint-weight", has_constraints, "--constraints or --constraint-features"},
                          {"--penalty", has_constraints, "--constraints or --constraint-features"},
                          {"--teacher-weight", has_teacher, "--teacher"},
                          {"--confidence", has_teacher, "--teacher"},
                          {"--divergence", has_teacher && !options.learnt.confidence, "--teacher without --confidence"},
                          {"--regularise", has_entropy, "--entropy-weight above 0"},
                          {"--unannotated-ratio", has_trees, "--train"},
                          {"--unannotated-from", has_trees, "--train"},
                          {"--unannotated", has_entropy || has_constraints || has_teacher,
                           "--entropy-weight above 0, --constraints, --constraint-features or --teacher"},
                      });
}

void add_unannotated(CLI::App& verb, UnannotatedOptions& options) {
  Unannotated& u = options.learnt;
  CLI::Option* file = add_input_file(verb, "--unannotated", options.file, "FILE",
                                     "Also learns from sentences without trees, in CoNLL-U, by the options below.");
  const auto add_weight = [&](const char* name, double& weight, const char* help) {
    add_number(verb, name, weight, "X", {0, 1e6}, help)->needs(file);
  };
  add_weight("--entropy-weight", u.entropy_weight,
             "The weight of the entropy of their trees, which is made small [0].");
  const auto set_order = [&u](const std::string& text) { u.entropy_order = entropy_order_of(text); };
  verb.add_option_function<std::string>("--regularise", set_order,
                                        "Chooses that entropy: Shannon's, or Renyi's of order ALPHA [shannon].")
      ->type_name("shannon|renyi=ALPHA")
      ->needs(file);
  add_input_file(
      verb, "--constraints", options.constraints, "FILE",
      "Reads what share of a tag's heads have another tag, in lines 'DET -> NOUN right 0.9'; their trees are to "
      "have these shares.")
      ->needs(file);
  add_input_file(
      verb, "--constraint-features", options.features, "FILE",
      "Reads what share of words have an arc with a feature, in lines 'h.upos=NOUN d.upos=ADJ agree=Number:same 0.8'; "
      "the atoms of d say which words.")
      ->needs(file);
  add_choice(verb, "--penalty", u.penalty,
             "Chooses what an expected share costs that is not the given one: the squared difference, the divergence "
             "(kl), or how far it is below (hinge) [squared].")
      ->needs(file);
  add_weight("--constraint-weight", u.constraint_weight,
             "The weight of the penalties for shares that are not those [10].");
  add_input_file(verb, "--teacher", options.teacher, "MODEL",
                 "Learns the probabilities that this model gives to their arcs.")
      ->needs(file);
  add_weight("--teacher-weight", u.teacher_weight, "The weight of what is learnt from the teacher [1].");
  add_choice(verb, "--divergence", u.divergence,
             "Chooses the divergence from the teacher: of the model from it (forward), of it from the model (reverse), "
             "or the mean of both (symmetric) [forward].")
      ->needs(file);
  add_number(verb, "--confidence", u.confidence, "P", {0, 1},
             "Learns the teacher's arcs of at least this probability as if they were annotated, and nothing else of "
             "it: self-training.")
      ->needs(file);
  add_number(verb, "--unannotated-min-count", u.min_count, "N", {0, 1e6},
             "Gives weights to features of their candidate arcs, too, that are seen this often; 0 to none [0, and 20 "
             "without --train].")
      ->needs(file);
  add_number(verb, "--unannotated-ratio", u.ratio, "X", {1e-6, 1e6},
             "Learns from this many of these sentences for each tree [1].")
      ->needs(file);
  add_number(verb, "--unannotated-from", u.first_epoch, "N", {1, 10000},
             "Learns from trees alone before this epoch [1].")
      ->needs(file);
}

}  // namespace kirchhoff::cli
