// A dependency parser: trained on a treebank, it gives trees with relations, and probabilities for all of them.
//
//   ParserModel model = ParserModel::open("en.model");
//   Parser parser(model);
//   Parsed parsed = parser.parse(sentence);       // parsed.tree.heads, parsed.tree.labels
//
// Scores are linear in the features of arcs; relations are chosen given the tree. How models are trained is in
// train.hpp; features, learning and model files are described in docs/methods/parser.md.
#pragma once

#include "kirchhoff/conllu.hpp"
#include "kirchhoff/decode.hpp"
#include "kirchhoff/dependency_graph.hpp"
#include "kirchhoff/parallel.hpp"
#include "kirchhoff/part_set.hpp"

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace kirchhoff {

/// Which heads the full model looks at. Each word keeps at most `max_heads` of them, and each of these is at least
/// `threshold` times as probable as the word's best one under a fast arc-factored CRF, the pruner.
struct Pruning {
  double threshold = 3e-3;
  int max_heads = 10;
};

/// Thrown when a model file is damaged, or was written by another program or by a newer version.
class ModelError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

namespace parser {
struct Model;
struct ModelAccess;
}  // namespace parser

/// Where the bytes of an open model are.
enum class ModelMemory {
  own,  ///< Copied into memory, so that no change to the file reaches a model that is open.
  /// In the file, of which all processes of a machine that map it share one copy in memory. A file that is replaced by
  /// renaming, as `save` does, does no harm; one that is written to or cut short while it is open does.
  mapped
};
template <>
inline constexpr std::array<std::string_view, 2> kNames<ModelMemory> = {"own", "mapped"};

/// A trained model. It is immutable, and copies share it. Everything that parsing relies on is verified when a file is
/// opened, so that no file can do harm.
class ParserModel {
 public:
  /// Throws ModelError.
  static ParserModel open(const std::string& path, ModelMemory memory = ModelMemory::own);
  /// Writes the file as a whole, as OutputFile does, so that nobody ever sees half a model. Throws ModelError.
  void save(const std::string& path) const;

  /// The model card says what the model was made from and how: data, options, scores, date.
  const std::vector<std::pair<std::string, std::string>>& card() const;
  const std::vector<std::string>& labels() const;  ///< The relations the model knows.
  /// The root mode the model was trained with.
  Root root() const;
  /// What the model scores, beside arcs.
  const PartSet& parts() const;
  std::size_t bytes() const;  ///< The size of the model file.
  /// The sentence with the tree's heads as HEAD and its labels as DEPREL.
  Sentence annotate(const Sentence& sentence, const Tree& tree) const;

 private:
  friend struct parser::ModelAccess;
  explicit ParserModel(std::shared_ptr<const parser::Model> model) : model_(std::move(model)) {}
  std::shared_ptr<const parser::Model> model_;
};

/// How a model with parts of several arcs finds its best tree. Probabilities, k best trees and samples always come from
/// belief propagation, which leaves out the scores of non-projective arcs.
enum class ParseSolver {
  automatic,  ///< Belief propagation for a model that was trained with beta < inf, AD3 for any other.
  bp,         ///< Belief propagation, followed by the best tree under the arcs' weights.
  ad3,        ///< The highest-scoring tree by dual decomposition.
  lp,         ///< By linear programming. This is slow, and meant for reference.
  exact,      ///< The highest-scoring tree, by AD3 with branch and bound; Inference says whether ten seconds proved it.
};
template <>
inline constexpr std::array<std::string_view, 5> kNames<ParseSolver> = {"automatic", "bp", "ad3", "lp", "exact"};

struct ParseOptions {
  ParseSolver solver = ParseSolver::automatic;
  std::optional<Root> root = {};  ///< Replaces the model's root mode.
  /// Only trees whose arcs do not cross count, in everything that is found. A model of parts finds them under the arcs'
  /// weights that belief propagation gives.
  bool projective = false;
  bool probabilities = false;  ///< Fills in the probabilities of Parsed.
  bool arc_scores = false;     ///< Fills in Parsed::arc_scores.
  bool keep_heads = false;     ///< Heads stay. InputError: one does not exist; Infeasible: no tree has them.
  /// Arcs that must, and arcs that must not be in the tree. Pruning makes room for them, so that a word whose only
  /// likely head is forbidden still gets its next best one. They condition everything that is found. InputError: there
  /// is no such arc; Infeasible: no tree has them.
  Constraints constraints = {};
  /// For parse_all: the constraints of sentence i (from 0), in the place of those above. Several threads call it.
  std::function<Constraints(std::size_t)> constraints_of = {};
  int k_best = 0;          ///< How many of the best trees Parsed::trees gets.
  int samples = 0;         ///< How many independent samples it gets instead; not together with k_best.
  std::uint64_t seed = 0;  ///< The seed of the samples.
  /// parse_all parses what this makes of each sentence, such as the same with tags. Several threads call it.
  std::function<Sentence(const Sentence&)> prepare = {};
};

/// How well the inference of a model with parts of several arcs did. A model of arcs is always solved exactly.
struct Inference {
  bool propagated = false;  ///< Belief propagation was run,
  bool converged = true;    ///< and its probabilities no longer changed
  int iterations = 0;       ///< after so many iterations,
  double residual = 0.0;    ///< by more than this.
  bool searched = false;    ///< The best tree was looked for by AD3 or linear programming,
  bool certified = true;    ///< and is proved to be the best one, but for `gap`;
  bool integral = true;     ///< the relaxation's solution was a tree.
  double gap = 0.0;         ///< No tree has a score that is higher by more than this.
};

struct Parsed {
  Tree tree;  ///< The heads, and the labels as indices into ParserModel::labels().
  /// The probability of each arc of the tree; [0] is unused. Like all probabilities it is there when it was asked for.
  std::vector<double> arc_probabilities;
  /// The probability of each label given the tree. Joint labels depend on their arc alone, so that the product with
  /// the arc's probability is that of the arc with this label; each has a temperature, which was fitted on dev.
  std::vector<double> label_probabilities;
  double log_prob = 0.0;    ///< The log-probability of the heads.
  double entropy = 0.0;     ///< The entropy of the distribution over heads, in nats.
  std::vector<Tree> trees;  ///< The k best trees with their best labels, or the samples: joint labels are random, too.
  Matrix arc_scores;        ///< What Parser::arc_scores gives.
  Inference inference;
};

/// Where the time of a Parser went, in seconds.
struct ParseTimes {
  double encode = 0.0;  ///< Turning strings into numbers.
  double prune = 0.0;   ///< The pruner's scores and marginals.
  double score = 0.0;   ///< Features and their weights.
  double tree = 0.0;    ///< The best tree, and probabilities, k best trees and samples when they are asked for.
  double label = 0.0;   ///< Relations: their features, their weights, and the choice.
};

/// A model and the memory to use it. Each thread needs one of its own. Once it is warm, no inner loop allocates.
class Parser {
 public:
  explicit Parser(ParserModel model);
  ~Parser();
  Parser(Parser&&) noexcept;
  Parser& operator=(Parser&&) noexcept;

  const ParserModel& model() const { return model_; }
  const ParseTimes& times() const;
  Parsed parse(const Sentence& sentence, const ParseOptions& options = {});
  /// An (n+1) x (n+1) matrix with -inf for arcs that were pruned. It is already divided by the model's temperature. Of
  /// the options, `root`, `projective`, `keep_heads` and `constraints` matter, which say what pruning must leave. Joint
  /// labels are summed out: what comes from labels is the logarithm of a sum over those of the arc.
  Matrix arc_scores(const Sentence& sentence, const ParseOptions& options = {});
  /// The factor graph whose best assignment is the best tree, for the solvers of solve.hpp: a variable for the head of
  /// each word, a TREE factor and what scores the parts: HEAD factors for next siblings, PAIRs for others, flows for
  /// non-projective arcs. Scores are not divided by the temperature. Throws InputError for a model of both next
  /// siblings and non-projective arcs.
  DependencyGraph factor_graph(const Sentence& sentence);

 private:
  struct Work;
  ParserModel model_;
  std::unique_ptr<Work> work_;
};

/// One sentence of a stream with what was found for it.
struct ParsedSentence {
  Sentence sentence;         ///< The sentence as it came from the source, or as ParseOptions::prepare made it.
  Parsed parsed;             ///< The parse, which is empty when there is an error.
  std::exception_ptr error;  ///< Why this sentence could not be parsed; null when it was.
};
/// Gives the next sentence, or nothing at the end.
using SentenceSource = std::function<std::optional<Sentence>()>;
using ParsedSink = std::function<void(ParsedSentence&&)>;

/// Parses a stream of sentences on several threads. The sink gets every sentence in the order of the source, with a
/// parse or an error, and may throw to end the work. Source and sink are called by one thread at a time, but not always
/// by the same one. What the source throws is thrown again after the sink has all sentences before it. When `stop`
/// returns true, Stopped is thrown. Sentence i (from 0) is sampled with the seed options.seed + (i << 32), so the
/// result does not depend on the number of threads. Memory holds some hundred sentences at a time.
void parse_all(const ParserModel& model, const SentenceSource& source, const ParsedSink& sink,
               const ParseOptions& options = {}, int threads = kAllCores, const Stop& stop = {});
/// The same for sentences that are all there. Throws the error of the first sentence that cannot be parsed.
std::vector<Parsed> parse_all(const ParserModel& model, std::span<const Sentence> sentences,
                              const ParseOptions& options = {}, int threads = kAllCores, const Stop& stop = {});

}  // namespace kirchhoff
