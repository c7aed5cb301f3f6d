// Training a dependency parser: options, and the call that turns a treebank into a model. Losses are in learn.hpp.
//
//   TrainResult result = train_parser(train, dev, {.root = Root::single, .parts = kNextSiblings});
//   result.model->save("en.model");
//
// The methods are described in docs/methods/parser.md.
#pragma once

#include "kirchhoff/learn.hpp"
#include "kirchhoff/parallel.hpp"
#include "kirchhoff/parser.hpp"

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kirchhoff {

/// Which features can have a weight.
enum class FeatureSet {
  supported,  ///< The features of gold arcs.
  complete,   ///< Also those that only wrong arcs and parts have, once they get a weight [Martins10, section 5].
};
template <>
inline constexpr std::array<std::string_view, 2> kNames<FeatureSet> = {"supported", "complete"};

/// Of the words tagged `dependent`, this share has a head that is tagged `head` and stands on that side. The tag "ROOT"
/// is the root's.
struct TagConstraint {
  enum class Side { left, right, any };
  std::string dependent, head;
  Side side = Side::any;
  double share = 0.0;
};
template <>
inline constexpr std::array<std::string_view, 3> kNames<TagConstraint::Side> = {"left", "right", "any"};
/// Reads lines such as "DET -> NOUN right 0.9", in which # begins a comment. Throws ParseError.
std::vector<TagConstraint> read_tag_constraints(std::istream& in, const std::string& name);

/// Sentences without trees, and what the model should make of them. They need a model of order 1.
struct Unannotated {
  std::vector<Sentence> sentences = {};
  double entropy_weight = 0.0;  ///< The weight of the entropy of their trees.
  std::vector<TagConstraint> constraints = {};
  double constraint_weight = 10.0;  ///< The weight of the squared differences between expected and given shares.
  std::optional<ParserModel> teacher = {};
  double teacher_weight = 1.0;  ///< The weight of KL(teacher || model).
};

struct TrainOptions {
  Root root;
  PartSet parts = {};  ///< What the model scores beside arcs. Non-projective arcs need beta = inf.
  /// For beta = inf: the loss is the bound of the relaxation, and its solution, which may be fractional, takes the
  /// place of the best tree.
  bool relaxed = false;
  /// The loss is over projective trees, and trees with arcs that cross are not learnt from; a model of arcs only. Parse
  /// with ParseOptions::projective then.
  bool projective = false;
  Loss loss = kSoftmaxMarginLoss;
  StepRule step = {};
  Pruning pruning = {};
  int pruner_epochs = 3;  ///< How many epochs the pruner is trained for.
  FeatureSet features = FeatureSet::supported;
  Unannotated unannotated = {};  ///< A batch of these follows each batch of trees.
  int min_count = 2;             ///< Features that are seen less often are left out.
  int epochs = 8;
  int batch = 8;  ///< Sentences to a step. The model depends on this, but not on the number of threads.
  std::uint64_t seed = 0;
  int threads = kAllCores;
  std::string arc_templates = {}, label_templates = {};  ///< Empty templates stand for the built-in ones.
  std::string model = {};  ///< The file that gets the best model when training ends; none is written when it is empty.
  /// The file that gets the state of the training, with the best model so far, after each epoch and when stopped; not
  /// after the last epoch, unless there is no model to be written or that cannot be. It is written while the next epoch
  /// runs, and removed when the model is written.
  std::string checkpoint = {};
  bool resume = false;                                         ///< Goes on from the checkpoint.
  std::vector<std::pair<std::string, std::string>> card = {};  ///< More lines for the model card.
};

/// What happened in an epoch.
struct EpochReport {
  int epoch = 0;
  double loss = 0.0;  ///< The mean over sentences.
  double seconds = 0.0;
  double uas = 0.0, las = 0.0;  ///< On dev, in percent of all words; 0 without dev.
  double calibration = 0.0;     ///< The expected calibration error of the arcs' probabilities on dev, in percent.
  bool best = false;            ///< True when this is the best epoch so far, whose model is kept.
};

struct TrainProgress {
  std::string stage;  ///< "pruner", "features", "epoch 1", ...
  std::size_t sentences = 0;
  std::size_t all_sentences = 0;
  double mean_loss = 0.0;
};

/// The library prints nothing, it calls these instead. Any of them may be empty.
struct TrainEvents {
  std::function<void(const TrainProgress&)> progress = {};
  std::function<void(const std::string&)> note = {};
  std::function<void(const EpochReport&)> epoch = {};
  /// Called after a hundred sentences or so, with many threads after 64 for each. Return true to end the training after
  /// a checkpoint.
  Stop stop = {};
};

struct TrainResult {
  std::optional<ParserModel> model;  ///< The best model; none when training was stopped before the first epoch's end.
  std::vector<EpochReport> epochs;
  bool stopped = false;  ///< True when TrainEvents::stop ended the training.
};

/// Trains on the trees of `train` and keeps the epoch with the best LAS on `dev`, or the last one without dev. Throws
/// InputError when there is no sentence or one is not a tree of options.root, and ModelError for a bad checkpoint, a
/// file that cannot be written, and when another training writes to the same file.
TrainResult train_parser(const std::vector<Sentence>& train, const std::vector<Sentence>& dev,
                         const TrainOptions& options, const TrainEvents& events = {});

}  // namespace kirchhoff
