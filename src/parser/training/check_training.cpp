// Checks the data and the options of a training before it begins, and gives them a fingerprint.
#include "parser/training/check_training.hpp"

#include "base/check.hpp"
#include "parser/features/encode.hpp"
#include "parser/features/hash.hpp"
#include "parser/file/check_model.hpp"
#include "parser/file/model.hpp"
#include "parser/training/constraints.hpp"
#include "parser/training/label_trainer.hpp"

#include "kirchhoff/evaluate.hpp"

#include <bit>
#include <cmath>
#include <unordered_set>

namespace kirchhoff::parser {
namespace {

void check_trees(const std::string& name, const std::vector<Sentence>& sentences, Root root) {
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    if (const auto problem = tree_problem(sentences[i].heads(), root)) {
      base::input_error("train_parser", name + ": sentence " + std::to_string(i + 1) + ": " + *problem);
    }
  }
}

void check_lengths(const std::string& name, const std::vector<Sentence>& sentences) {
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    if (const auto problem = length_problem(sentences[i])) {
      base::input_error("train_parser", name + ": sentence " + std::to_string(i + 1) + ": " + *problem);
    }
  }
}

/// Relations are numbered with 16 bits.
void check_relations(const std::vector<Sentence>& sentences) {
  constexpr std::size_t kMaxRelations = 65535;
  std::unordered_set<std::string> relations;
  for (const Sentence& s : sentences) {
    for (int d = 1; d <= s.size(); ++d) relations.emplace(s.deprel(d));
  }
  if (relations.size() > kMaxRelations) {
    base::input_error("train_parser", "train: has more than " + std::to_string(kMaxRelations) + " relations");
  }
}

/// Whether something is to be learnt from sentences without trees.
bool has_objective(const Unannotated& u) {
  return u.entropy_weight > 0.0 ||
         ((!u.constraints.empty() || !u.feature_constraints.empty()) && u.constraint_weight > 0.0) ||
         (u.teacher && u.teacher_weight > 0.0);
}

void check_unannotated(const std::vector<Sentence>& train, const TrainOptions& options) {
  constexpr const char* kName = "train_parser";
  const Unannotated& u = options.unannotated;
  const auto is_weight = [](double x) { return x >= 0.0 && std::isfinite(x); };
  if (!is_weight(u.entropy_weight) || !is_weight(u.constraint_weight) || !is_weight(u.teacher_weight)) {
    base::input_error(kName, "unannotated: weights must be numbers from 0");
  }
  if (!is_weight(u.entropy_order)) base::input_error(kName, "unannotated.entropy_order: must be a number from 0");
  if (u.confidence && !(*u.confidence >= 0.0 && *u.confidence <= 1.0)) {
    base::input_error(kName, "unannotated.confidence: must be from 0 to 1");
  }
  if (!(u.ratio > 0.0 && u.ratio <= 1e6)) base::input_error(kName, "unannotated.ratio: must be above 0, up to 1e6");
  if (u.min_count.value_or(0) < 0 || u.first_epoch < 1) {
    base::input_error(kName, "unannotated.min_count must be at least 0 and first_epoch at least 1");
  }
  const ConstraintSet constraints(u.constraints, u.feature_constraints);
  for (std::size_t i = 0; i < u.sentences.size(); ++i) {
    if (u.sentences[i].size() == 0) {
      base::input_error(kName, "unannotated: sentence " + std::to_string(i + 1) + " has no words");
    }
  }
  if (!train.empty()) return;
  if (u.sentences.empty()) base::input_error(kName, "train: has no sentences");
  if (!has_objective(u)) {
    base::input_error(kName,
                      "train: has no sentences, and nothing is to be learnt from unannotated ones: constraints, "
                      "a teacher or an entropy need a weight above 0");
  }
  if (u.min_count == 0) base::input_error(kName, "unannotated.min_count: must be at least 1 without trees");
}

/// Relations that constraints name, and joint ones without trees.
void check_named_relations(const std::vector<Sentence>& train, const TrainOptions& options) {
  constexpr const char* kName = "train_parser";
  const std::vector<std::string> named = relations_of(options.unannotated);
  const bool joint = options.labels == Labelling::joint;
  if (!named.empty() && !joint) {
    base::input_error(kName, "constraints: relations, such as deprel=" + named[0] + ", need labels = joint");
  }
  if (!train.empty()) {
    std::unordered_set<std::string> known;
    for (const Sentence& s : train) {
      for (int d = 1; d <= s.size(); ++d) known.emplace(s.deprel(d));
    }
    for (const std::string& name : named) {
      if (!known.contains(name)) base::input_error(kName, "constraints: no tree has the relation '" + name + "'");
    }
    return;
  }
  if (options.start) {
    if (joint || !ModelAccess::model_of(*options.start)->settings.joint) return;
    base::input_error(kName, "start: a model of joint labels needs labels = joint");
  }
  if (joint && named.empty()) {
    base::input_error(kName,
                      "labels: joint ones need trees, a model to start with, or constraints that name relations, such "
                      "as 'NOUN -> VERB left deprel=nsubj 0.3'");
  }
  for (const TagConstraint& c : options.unannotated.constraints) {
    if (c.relation.empty() || (c.relation == kRootRelation) == (c.head == "ROOT")) continue;
    base::input_error(kName, "constraints: without trees '" + std::string(kRootRelation) +
                                 "' is the relation of what hangs from ROOT, and of nothing else");
  }
}

void check_parts(const TrainOptions& options) {
  constexpr const char* kName = "train_parser";
  const bool soft = !std::isinf(options.loss.beta);
  if (options.projective && (options.parts != kArcs || !options.unannotated.sentences.empty())) {
    base::input_error(kName, "projective: needs a model of arcs, and no unannotated sentences");
  }
  if (options.parts.non_projective && soft) {
    base::input_error(kName, "parts: non-projective arcs need a loss with beta = inf, such as svm");
  }
  if (options.relaxed && (soft || options.parts == kArcs)) {
    base::input_error(kName, "relaxed: needs a loss with beta = inf, and parts other than arcs");
  }
}

}  // namespace

void check_training(const std::vector<Sentence>& train, const std::vector<Sentence>& dev, const TrainOptions& options) {
  constexpr const char* kName = "train_parser";
  if (options.epochs < 1 || options.batch < 1 || options.min_count < 1 || options.pruning.max_heads < 1 ||
      options.pruner_epochs < 1) {
    base::input_error(kName, "epochs, batch, min_count and max_heads must be at least 1");
  }
  check_parts(options);
  check_unannotated(train, options);
  check_named_relations(train, options);
  const auto is_step = [](double x) { return x > 0.0 && std::isfinite(x); };
  if (!is_step(options.step.rate) || !is_step(options.step.cap)) base::input_error(kName, "step: must be above 0");
  if (!(options.pruning.threshold >= 0.0 && options.pruning.threshold <= 1.0)) {
    base::input_error(kName, "pruning.threshold: must be from 0 to 1");
  }
  check_lengths("train", train);
  check_lengths("dev", dev);
  check_lengths("unannotated", options.unannotated.sentences);
  check_relations(train);
  check_trees("train", train, options.root);
  check_trees("dev", dev, options.root);
  for (std::size_t i = 0; i < dev.size(); ++i) {
    if (const int word = blank_word(dev[i])) {
      base::input_error(kName, "dev: sentence " + std::to_string(i + 1) + ": the form of word " + std::to_string(word) +
                                   " has blanks only, so it cannot be scored");
    }
  }
}

std::uint64_t fingerprint(const std::vector<Sentence>& train, const std::vector<Sentence>& dev, const TrainOptions& o) {
  std::uint64_t h = hash_text(o.arc_templates + "/" + o.label_templates);
  const auto add = [&](auto value) { h = mix(h ^ std::bit_cast<std::uint64_t>(static_cast<double>(value))); };
  // AdaGrad has no longest step. The number in its place was once the default, and is in checkpoints.
  const double cap = o.step.kind == StepRule::Kind::adagrad ? 0.01 : o.step.cap;
  for (const double value : {o.loss.beta, o.loss.gamma, o.step.rate, cap, o.pruning.threshold}) add(value);
  for (const int value : {static_cast<int>(o.root), o.parts == kArcs ? 1 : 2, static_cast<int>(o.step.kind),
                          o.pruning.max_heads, o.pruner_epochs, static_cast<int>(o.features), o.min_count, o.batch}) {
    add(value);
  }
  // Arcs and next siblings are 1 and 2, as in checkpoints of version 0.1.
  if (o.parts != kArcs && o.parts != kNextSiblings) h = mix(h ^ hash_text(to_string(o.parts)));
  if (o.relaxed) h = mix(h ^ hash_text("relaxed"));
  if (o.projective) h = mix(h ^ hash_text("projective"));
  if (o.labels != Labelling::given_tree) h = mix(h ^ hash_text(to_string(o.labels)));
  h = mix(h ^ o.seed);
  for (const std::vector<Sentence>* sentences : {&train, &dev}) {
    h = mix(h ^ sentences->size());
    for (const Sentence& s : *sentences) h = mix(h ^ hash_text(to_text(s)));
  }
  const Unannotated& u = o.unannotated;
  add(static_cast<int>(o.loss.kind));
  for (const double value : {u.entropy_weight, u.constraint_weight, u.teacher_weight}) add(value);
  h = mix(h ^ u.sentences.size());
  for (const Sentence& s : u.sentences) h = mix(h ^ hash_text(to_text(s)));
  for (const TagConstraint& c : u.constraints) {
    h = mix(h ^ hash_text(c.dependent + ">" + c.head));
    add(static_cast<int>(c.side));
    add(c.share);
    if (c.bound != TagConstraint::Bound::equal) add(static_cast<int>(c.bound));
    if (c.nearest != 1 || c.farthest != TagConstraint{}.farthest) add(c.nearest + 65536.0 * c.farthest);
    if (!c.relation.empty()) h = mix(h ^ hash_text(c.relation));
  }
  for (const FeatureConstraint& c : u.feature_constraints) {
    h = mix(h ^ hash_text(c.feature));
    add(static_cast<int>(c.bound) + c.share / 2.0);
    if (!c.relation.empty()) h = mix(h ^ hash_text(c.relation));
  }
  if (!u.sentences.empty()) {
    add(static_cast<int>(u.penalty));
    for (const double value : {u.entropy_order, u.confidence.value_or(-1.0), u.ratio}) add(value);
    for (const int value : {u.min_count.value_or(-1), u.first_epoch}) add(value);
    if (u.divergence != Divergence::forward) h = mix(h ^ hash_text(to_string(u.divergence)));
  }
  const auto checksum = [](const std::optional<ParserModel>& model) {
    return model ? ModelAccess::model_of(*model)->file.checksum() : 0;
  };
  return mix(h ^ checksum(u.teacher) ^ (o.start ? mix(checksum(o.start)) : 0));
}

std::vector<float> checked_weights(std::vector<float> weights, const StepRule& step) {
  if (are_weights(weights)) return weights;
  const bool is_adagrad = step.kind == StepRule::Kind::adagrad;
  base::input_error("train_parser", std::string("step: weights grow beyond 1e9; ") +
                                        (is_adagrad ? "take a smaller rate" : "take a smaller cap (a larger lambda)"));
}

}  // namespace kirchhoff::parser
