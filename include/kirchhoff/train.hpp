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

/// How relations are learnt and chosen.
enum class Labelling {
  given_tree,  ///< After the tree, by what is around each arc in it.
  /// Together with the tree: a CRF over labelled trees, in which the probability of a relation given its arc is exact.
  /// The loss counts words whose head or relation is wrong. Relations know of the two words of their arc only.
  joint,
};
template <>
inline constexpr std::array<std::string_view, 2> kNames<Labelling> = {"given_tree", "joint"};

/// Of the words that `dependent` describes, this share has a head that `head` describes, on that side and at that
/// distance. A description is a UPOS tag such as "NOUN", "*" for every word, or conditions on a word's columns and on
/// what templates read of it, all of which hold: "lemma=be", "upos=VERB&feats=VerbForm=Inf", "suffix=ing". The head
/// "ROOT" is the root.
struct TagConstraint {
  enum class Side { left, right, any };
  enum class Bound { equal, at_least, at_most };
  std::string dependent, head;
  Side side = Side::any;
  double share = 0.0;
  int nearest = 1, farthest = 65535;  ///< The distance between the two, in words, is from one to the other.
  Bound bound = Bound::equal;         ///< Whether the share is this one, or at least or at most this one.
  std::string relation = {};          ///< The arc has this relation, too; empty: any. Needs joint labels.
};
template <>
inline constexpr std::array<std::string_view, 3> kNames<TagConstraint::Side> = {"left", "right", "any"};
/// Reads lines such as "DET -> NOUN right 0.9", "ADV -> VERB any 1-3 0.5" for a distance of one to three, "NOUN -> VERB
/// left deprel=nsubj 0.3" for a relation, or "* -> DET any <=0.01" for a bound (or >=), in which a # after a blank
/// begins a comment. Throws ParseError.
std::vector<TagConstraint> read_tag_constraints(std::istream& in, const std::string& name);

/// Of the words that have the features of `feature` that are about the dependent, this share has an arc with all of it.
/// A feature is written as FeatureStatistics::names has it, in atoms of templates (docs/methods/parser.md) with their
/// values: "h.upos=VERB d.upos=NOUN d-1.form=the dist=leftward:2", where "d.upos=NOUN d-1.form=the" describes the
/// words. A feature without atoms of the dependent is about all words.
struct FeatureConstraint {
  std::string feature;
  double share = 0.0;
  TagConstraint::Bound bound = TagConstraint::Bound::equal;
  std::string relation = {};  ///< As above.
};
/// Reads lines such as "h.upos=NOUN d.upos=ADJ agree=Number:same >=0.8", as above with a share or a bound at the end,
/// and deprel=RELATION before it if there is one. Throws ParseError.
std::vector<FeatureConstraint> read_feature_constraints(std::istream& in, const std::string& name);

/// How far an expected share s is from the share t that it should be.
enum class Penalty {
  squared,  ///< (s - t)^2
  kl,       ///< KL(t, 1 - t || s, 1 - s)
  hinge,    ///< max(0, t - s): shares are at least t, where no bound says at most
};
template <>
inline constexpr std::array<std::string_view, 3> kNames<Penalty> = {"squared", "kl", "hinge"};

/// Which divergence between a teacher t and the model p is made small. What the one has no arcs for is left out of the
/// other: trees are those of arcs that pruning left both.
enum class Divergence {
  forward,    ///< KL(t || p): p covers all that t finds likely.
  reverse,    ///< KL(p || t): p keeps to some of it.
  symmetric,  ///< The mean of both.
};
template <>
inline constexpr std::array<std::string_view, 3> kNames<Divergence> = {"forward", "reverse", "symmetric"};

/// Sentences without trees, and what the model should make of them. Of a model of parts belief propagation says what
/// its entropy, its expectations and its divergences are. Joint relations are summed out, but for constraints that name
/// them and for Shannon's entropy, which is that of trees with relations.
struct Unannotated {
  std::vector<Sentence> sentences = {};
  double entropy_weight = 0.0;  ///< The weight of the entropy of their trees.
  double entropy_order = 1.0;   ///< The order of that entropy, which is Renyi's; 1 is Shannon's.
  std::vector<TagConstraint> constraints = {};
  std::vector<FeatureConstraint> feature_constraints = {};
  double constraint_weight = 10.0;  ///< The weight of the penalties for expected shares.
  Penalty penalty = Penalty::squared;
  std::optional<ParserModel> teacher = {};
  double teacher_weight = 1.0;                  ///< The weight of what is learnt from the teacher:
  Divergence divergence = Divergence::forward;  ///< this divergence, or as below.
  /// With a number, the teacher's arcs of at least this probability are learnt as if they were annotated, and nothing
  /// else of it: the loss is -log of the probability of all trees that have them.
  std::optional<double> confidence = {};
  /// Features of their candidate arcs that are seen this often get a weight, too. 0: those of the trees are enough,
  /// which is the default; without trees that is 20, and 0 is an error.
  std::optional<int> min_count = {};
  double ratio = 1.0;   ///< How many of these sentences are learnt from for each tree.
  int first_epoch = 1;  ///< The epoch that they come in.
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
  /// Without trees joint ones need constraints that name relations, or `start`.
  Labelling labels = Labelling::given_tree;
  Loss loss = kSoftmaxMarginLoss;
  StepRule step = {};
  Pruning pruning = {};
  int pruner_epochs = 3;  ///< How many epochs the pruner is trained for.
  FeatureSet features = FeatureSet::supported;
  Unannotated unannotated = {};  ///< Steps on these follow each batch of trees.
  /// Training begins with the weights of this model, for the features that it has in common with the new one. Without
  /// trees the new model also has its tags, its pruner and its relations, whose weights are learnt further when they
  /// are joint ones.
  std::optional<ParserModel> start = {};
  int min_count = 2;  ///< Features that are seen less often are left out.
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

/// Trains on the trees of `train` and keeps the epoch with the best LAS on `dev`, or the last one without dev. There
/// may be no trees if something is to be learnt from unannotated sentences: then an epoch goes through these, relations
/// are those of options.start, or "root" and "dep" and what constraints name, and the epoch with the best UAS is kept,
/// or with the best LAS for joint relations. The pruner is that of options.start; without that a model of parts learns
/// one from the same sentences, and a model of arcs has none.
/// Throws InputError when there is nothing to learn from or a sentence is not a tree of options.root, and ModelError
/// for a bad checkpoint, a file that cannot be written, and when another training writes to the same file.
TrainResult train_parser(const std::vector<Sentence>& train, const std::vector<Sentence>& dev,
                         const TrainOptions& options, const TrainEvents& events = {});

}  // namespace kirchhoff
