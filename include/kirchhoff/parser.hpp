// A dependency parser: trained on a treebank, it gives trees with relations, and probabilities for all of them.
//
//   ParserModel model = ParserModel::open("en.model");
//   Parser parser(model);
//   Parsed parsed = parser.parse(sentence);       // parsed.tree.heads, parsed.tree.labels
//
// Scores are linear in the features of arcs; relations are chosen given the tree. Features, learning and model files:
// docs/methods/parser.md.
#pragma once

#include "kirchhoff/conllu.hpp"
#include "kirchhoff/decode.hpp"

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kirchhoff {

/// L_{beta,gamma} [Martins10, eq. 22]: 1/beta log sum over trees y of exp beta [score(y) - score(gold) + gamma
/// cost(y)], the cost being the number of words with a wrong head.
struct Loss {
  double beta = 1.0;
  double gamma = 0.0;
  bool risk = false;  ///< instead: the expected number of words with a wrong head, E[cost]
};
inline constexpr Loss kCrfLoss{1.0, 0.0};
inline constexpr Loss kSvmLoss{std::numeric_limits<double>::infinity(), 1.0};
inline constexpr Loss kPerceptronLoss{std::numeric_limits<double>::infinity(), 0.0};
inline constexpr Loss kSoftmaxMarginLoss{1.0, 1.0};
inline constexpr Loss kRiskLoss{1.0, 0.0, true};

/// A function of the arc scores and its gradient.
struct ArcObjective {
  double value = 0.0;
  Matrix gradient;
};
/// InputError when gold is not a tree of this root mode, or has an impossible arc. O(n^3), for beta = inf O(n^2).
ArcObjective structured_loss(const MatrixRef& scores, const Heads& gold, Root root, Loss loss);

struct StepRule {
  enum class Kind {
    aggressive,  ///< [Martins10, alg. 1]: min(1 / (lambda m), loss / |gradient|^2), no learning rate
    adagrad,     ///< [Duchi11]
  };
  Kind kind = Kind::adagrad;
  double rate = 0.03;  ///< of adagrad
  double cap = 0.01;   ///< 1 / (lambda m), of aggressive
};

/// Which heads the full model looks at: per word at most `most_heads`, each at least `threshold` times as probable as
/// the word's best one under a fast arc-factored CRF.
struct Pruning {
  double threshold = 3e-3;
  int most_heads = 10;
  int epochs = 3;  ///< of training the pruner
};

enum class FeatureSet {
  supported,  ///< features of gold arcs
  complete,   ///< also those only wrong arcs and parts have, kept once they get a weight [Martins10, section 5]
};

/// A model file is damaged, of another program, or of a newer version.
class ModelError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

namespace parser {
struct Model;
}

/// Immutable; copies share it. A file is mapped into memory, not read, and its checksum is verified.
class ParserModel {
 public:
  /// Throws ModelError.
  static ParserModel open(const std::string& path);
  /// Writes beside the file and renames: nobody sees half a model. Throws ModelError.
  void save(const std::string& path) const;

  /// The model card: data, options, scores, date.
  const std::vector<std::pair<std::string, std::string>>& card() const;
  const std::vector<std::string>& labels() const;
  Root root() const;
  std::size_t bytes() const;

 private:
  friend class Parser;
  friend class Trainer;
  explicit ParserModel(std::shared_ptr<const parser::Model> model) : model_(std::move(model)) {}
  std::shared_ptr<const parser::Model> model_;
};

/// Of the words tagged `dependent`, the share whose head is tagged `head` ("ROOT": the root) and stands on that side.
struct TagConstraint {
  enum class Side { left, right, any };
  std::string dependent, head;
  Side side = Side::any;
  double share = 0.0;
};
/// Lines "DET -> NOUN right 0.9"; # begins a comment. ParseError.
std::vector<TagConstraint> read_tag_constraints(std::istream& in, const std::string& name);

/// Sentences without trees, and what the model shall make of them. For order 1.
struct Unlabelled {
  std::vector<Sentence> sentences = {};
  double entropy_weight = 0.0;  ///< of the entropy of their trees
  std::vector<TagConstraint> constraints = {};
  double constraint_weight = 10.0;  ///< of the squared differences between expected and given shares
  std::optional<ParserModel> teacher = {};
  double teacher_weight = 1.0;  ///< of KL(teacher || model)
};

struct TrainOptions {
  Root root;
  int order = 1;  ///< 1: arcs; 2: also next siblings and grandparents
  Loss loss = kSoftmaxMarginLoss;
  StepRule step = {};
  Pruning pruning = {};
  FeatureSet features = FeatureSet::supported;
  Unlabelled unlabelled = {};  ///< a batch of these follows each batch of trees
  int min_count = 2;           ///< features seen less often are left out
  int epochs = 8;
  int batch = 8;  ///< sentences to a step; a function of this, not of the number of threads
  std::uint64_t seed = 0;
  int threads = 1;
  std::string arc_templates = {}, label_templates = {};  ///< empty: the built-in ones
  std::string model = {};       ///< file to write whenever dev says it is the best so far; empty: none
  std::string checkpoint = {};  ///< file to write after each epoch and when stopped; empty: none
  bool resume = false;          ///< go on from the checkpoint
  std::vector<std::pair<std::string, std::string>> card = {};  ///< more lines for the model card
};

/// What happened in an epoch.
struct EpochReport {
  int epoch = 0;
  double loss = 0.0;  ///< mean over sentences
  double seconds = 0.0;
  double uas = 0.0, las = 0.0;  ///< on dev, percent of all words; 0 without dev
  double calibration = 0.0;     ///< on dev: expected calibration error of the arcs' probabilities, percent
  bool best = false;            ///< the best so far: this is the model that is kept
};

struct TrainProgress {
  std::string stage;  ///< "pruner", "features", "epoch 1", ...
  std::size_t sentences = 0;
  std::size_t all_sentences = 0;
  double mean_loss = 0.0;
};

/// The library prints nothing: these are told instead. Any may be empty.
struct TrainEvents {
  std::function<void(const TrainProgress&)> progress = {};
  std::function<void(const std::string&)> note = {};
  std::function<void(const EpochReport&)> epoch = {};
  std::function<bool()> stop = {};  ///< asked every 64 sentences or so: true ends it, after a checkpoint
};

/// How a model of second order finds its trees. Probabilities, k best trees and samples are always those of bp.
enum class ParseSolver {
  automatic,  ///< bp for a model trained with beta < inf, else ad3
  bp,         ///< belief propagation, then the best tree of the arcs' weights
  ad3,        ///< the highest-scoring tree by dual decomposition
  lp,         ///< the same by linear programming: slow, for reference
};

struct ParseOptions {
  ParseSolver solver = ParseSolver::automatic;
  std::optional<Root> root = {};  ///< instead of the model's
  bool probabilities = false;
  bool scores = false;      ///< for Parsed::arc_scores
  bool keep_heads = false;  ///< heads already given stay; InputError when no tree has them
  int k_best = 0;           ///< how many trees for Parsed::trees
  int samples = 0;          ///< likewise, independent samples; not together with k_best
  std::uint64_t seed = 0;
};

struct Parsed {
  Tree tree;                       ///< heads, and labels as indices into ParserModel::labels()
  std::vector<double> arc_prob;    ///< of the tree's arcs, [0] unused; with probabilities only, as all below
  std::vector<double> label_prob;  ///< of its labels, given the tree
  double log_prob = 0.0;           ///< of the heads
  double entropy = 0.0;            ///< of the distribution over heads, nats
  std::vector<Tree> trees;         ///< k best or samples, with labels
  Matrix arc_scores;               ///< as of Parser::arc_scores
};

/// Where the time of a Parser went, in seconds.
struct ParseTimes {
  double encode = 0.0;  ///< strings to numbers
  double prune = 0.0;   ///< the pruner's scores and marginals
  double score = 0.0;   ///< features and their weights
  double tree = 0.0;    ///< inference: best tree; probabilities, k best and samples when asked for
  double label = 0.0;   ///< relations: features, weights, choice
};

/// A model and the memory to use it: one for each thread. No allocation in the inner loops once warm.
class Parser {
 public:
  explicit Parser(ParserModel model);
  ~Parser();
  Parser(Parser&&) noexcept;
  Parser& operator=(Parser&&) noexcept;

  const ParserModel& model() const { return model_; }
  const ParseTimes& times() const;
  Parsed parse(const Sentence& sentence, const ParseOptions& options = {});
  /// The sentence with HEAD and DEPREL of the parse.
  Sentence annotate(const Sentence& sentence, const Parsed& parsed) const;
  /// (n+1) x (n+1), -inf for arcs that were pruned; already divided by the model's temperature.
  Matrix arc_scores(const Sentence& sentence);

 private:
  struct Work;
  ParserModel model_;
  std::unique_ptr<Work> work_;
};

struct TrainResult {
  std::optional<ParserModel> model;  ///< the best one; none when stopped before the first epoch's end
  std::vector<EpochReport> epochs;
  bool stopped = false;  ///< by TrainEvents::stop
};

/// InputError when there is no sentence or one is not a tree of options.root; ModelError for a bad checkpoint.
TrainResult train_parser(const std::vector<Sentence>& train, const std::vector<Sentence>& dev,
                         const TrainOptions& options, const TrainEvents& events = {});

}  // namespace kirchhoff
