// Parsing: prune, score what is left, find the tree (or its distribution), label it.
#include "base/check.hpp"
#include "parser/file/model.hpp"
#include "parser/inference/labeller.hpp"
#include "parser/training/second_trainer.hpp"

#include "kirchhoff/expectation.hpp"
#include "kirchhoff/sample.hpp"

#include <chrono>

namespace kirchhoff {
namespace {

Constraints kept_heads(const Sentence& sentence) {
  Constraints constraints;
  for (int d = 1; d <= sentence.size(); ++d) {
    if (sentence.head(d) >= 0) constraints.require.push_back({sentence.head(d), d});
  }
  return constraints;
}

/// Adds the time since the last lap to a sum.
class Laps {
 public:
  void start() { last_ = Clock::now(); }
  void end(double& sum) {
    const Clock::time_point now = Clock::now();
    sum += std::chrono::duration<double>(now - last_).count();
    last_ = now;
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point last_;
};

Tree tree_of(const Heads& heads, const Matrix& scores) {
  Tree tree;
  tree.heads = heads;
  for (Eigen::Index d = 1; d < scores.cols(); ++d) tree.score += scores(heads[static_cast<std::size_t>(d)], d);
  return tree;
}

}  // namespace

struct Parser::Work {
  explicit Work(const parser::Model& m)
      : model(m), features(m.arc_templates), second(m.sibling_templates, m.grand_templates), labeller(m) {}

  void read(const Sentence& sentence) {
    if (sentence.size() == 0) base::input_error("Parser", "sentence: has no words");
    laps.start();
    encoded = parser::encode(sentence, model.inventory);
    laps.end(times.encode);
  }

  /// With constraints nothing is pruned that they could need.
  Matrix scores(Root root, const Constraints& constraints, ParseSolver solver) {
    Matrix tables = parser::table_scores(model.tables, model.pruner, encoded);
    if (!constraints.empty()) tables = constrained(tables, root, constraints);
    const parser::Candidates candidates = parser::prune(tables, root, model.settings.pruning);
    laps.end(times.prune);
    features.read(encoded);
    Matrix s = parser::model_scores(model, candidates, features, keys, encoded.words);
    best_heads.clear();
    if (model.settings.order == 2) add_second_order(candidates, root, solver, s);
    s /= model.settings.temperature;
    laps.end(times.score);
    return s;
  }

  /// best_heads is the best tree if a solver was asked for it.
  /// The log-weights at the TREE factor take the place of the scores: a distribution over trees with the marginals that
  /// belief propagation finds.
  void add_second_order(const parser::Candidates& candidates, Root root, ParseSolver solver, Matrix& s) {
    const dependency::DependencyParts parts = dependency::list_parts(encoded.words, candidates);
    second.read(encoded);
    part_scores.clear();
    second.each(parts.siblings, parts.grandparents, [&](const auto& part_keys) {
      model.arcs.prefetch(part_keys);
      part_scores.push_back(model.arcs.sum(part_keys));
    });
    std::vector<double> arc_scores;
    for (std::size_t c = 0; c < candidates.size(); ++c)
      arc_scores.push_back(s(candidates.heads[c], parts.dependents[c]));
    if (solver == ParseSolver::automatic) solver = model.settings.map ? ParseSolver::ad3 : ParseSolver::bp;
    const dependency::ScoredParts scored{parts, candidates, root, arc_scores, part_scores};
    if (solver != ParseSolver::bp) {
      const auto kind = solver == ParseSolver::ad3 ? dependency::MapSolver::ad3 : dependency::MapSolver::lp;
      best_heads = dependency::find_best_tree(scored, {.solver = kind}).heads;
    }
    const dependency::PartBeliefs b = dependency::propagate_beliefs(scored, {.iterations = 30, .tolerance = 1e-4});
    for (std::size_t c = 0; c < candidates.size(); ++c) {
      s(candidates.heads[c], parts.dependents[c]) = b.tree_weights[c];
    }
  }

  void label(Tree& tree) { tree.labels = labeller.label(tree.heads, false).labels; }

  const parser::Model& model;
  parser::Encoded encoded;
  parser::Features features;
  parser::SecondFeatures second;
  parser::Labeller labeller;
  std::vector<std::uint64_t> keys;
  std::vector<double> part_scores;
  Heads best_heads;
  Laps laps;
  ParseTimes times;
};

Parser::Parser(ParserModel model) : model_(std::move(model)), work_(std::make_unique<Work>(*model_.model_)) {}
Parser::~Parser() = default;
Parser::Parser(Parser&&) noexcept = default;
Parser& Parser::operator=(Parser&&) noexcept = default;

const ParseTimes& Parser::times() const { return work_->times; }

Matrix Parser::arc_scores(const Sentence& sentence) {
  work_->read(sentence);
  return work_->scores(work_->model.settings.root, {}, ParseSolver::bp);
}

Parsed Parser::parse(const Sentence& sentence, const ParseOptions& options) {
  if (options.k_best < 0 || options.samples < 0 || (options.k_best > 0 && options.samples > 0)) {
    base::input_error("Parser", "k_best and samples: not negative, and not both");
  }
  Work& work = *work_;
  const Root root = options.root.value_or(work.model.settings.root);
  work.read(sentence);
  const Matrix scores = work.scores(root, options.keep_heads ? kept_heads(sentence) : Constraints{}, options.solver);
  Parsed parsed;
  parsed.tree = work.best_heads.empty() ? best_tree(scores, root) : tree_of(work.best_heads, scores);
  work.laps.end(work.times.tree);
  work.labeller.read(work.encoded);
  auto labels = work.labeller.label(parsed.tree.heads, options.probabilities);
  parsed.tree.labels = std::move(labels.labels);
  parsed.label_probabilities = std::move(labels.probabilities);
  work.laps.end(work.times.label);
  if (options.arc_scores) parsed.arc_scores = scores;
  if (!options.probabilities && options.k_best == 0 && options.samples == 0) return parsed;

  const TreeDistribution p(scores, root, {.tolerance = 1e-9, .floor = 1e-6});
  parsed.log_prob = p.log_prob(parsed.tree.heads);
  parsed.tree.log_prob = parsed.log_prob;
  parsed.entropy = entropy(p);
  const auto marginals = p.marginals();
  parsed.arc_probabilities.assign(parsed.tree.heads.size(), 0.0);
  for (int d = 1; d <= sentence.size(); ++d) {
    const auto i = static_cast<std::size_t>(d);
    parsed.arc_probabilities[i] = marginals(parsed.tree.heads[i], d);
  }
  if (options.k_best > 0) parsed.trees = k_best_trees(p, options.k_best);
  if (options.samples > 0) parsed.trees = sample_trees(p, options.samples, {.seed = options.seed, .threads = 1});
  work.laps.end(work.times.tree);
  for (Tree& tree : parsed.trees) work.label(tree);
  work.laps.end(work.times.label);
  return parsed;
}

Sentence Parser::annotate(const Sentence& sentence, const Parsed& parsed) const {
  Sentence result = sentence;
  for (int d = 1; d <= sentence.size(); ++d) {
    const auto i = static_cast<std::size_t>(d);
    result.set_head(d, parsed.tree.heads[i]);
    result.set(d, Column::deprel, model_.labels()[static_cast<std::size_t>(parsed.tree.labels[i])]);
  }
  return result;
}

ParserModel ParserModel::open(const std::string& path) {
  try {
    return ParserModel(std::make_shared<const parser::Model>(parser::Container::open(path, parser::kModelVersion)));
  } catch (const InputError& error) {
    throw ModelError(path + ": " + error.what());
  }
}

void ParserModel::save(const std::string& path) const { parser::write_atomically(path, model_->file.bytes()); }
const std::vector<std::pair<std::string, std::string>>& ParserModel::card() const { return model_->card; }
const std::vector<std::string>& ParserModel::labels() const { return model_->inventory.labels.names(); }
Root ParserModel::root() const { return model_->settings.root; }
std::size_t ParserModel::bytes() const { return model_->file.bytes().size(); }

}  // namespace kirchhoff
