// Parses a sentence: prune its arcs, score those that are left, find the tree or its distribution, and label it.
#include "base/check.hpp"
#include "dependency/second_order.hpp"
#include "parser/features/part_keys.hpp"
#include "parser/file/model.hpp"
#include "parser/inference/labeller.hpp"
#include "parser/inference/pruner.hpp"

#include "kirchhoff/projective.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>

namespace kirchhoff {
namespace {

/// The constraints of the options, and the heads that stay.
Constraints constraints_on(const Sentence& sentence, const ParseOptions& options) {
  Constraints constraints = options.constraints;
  if (!options.keep_heads) return constraints;
  for (int d = 1; d <= sentence.size(); ++d) {
    const int head = sentence.head(d);
    if (head > sentence.size() || head == d) {
      base::input_error("Parser", "word " + std::to_string(d) + ": its head " + std::to_string(head) +
                                      " is not another of the " + std::to_string(sentence.size()) +
                                      " words or the root, and so cannot be kept");
    }
    if (head >= 0) constraints.require.push_back({head, d});
  }
  return constraints;
}

/// Adds the time since the last lap to a sum.
class Laps {
 public:
  void restart() { last_ = Clock::now(); }
  void add_lap(double& sum) {
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

/// The scores of the candidates; all other arcs have -inf.
Matrix candidate_scores(const parser::Model& model, const parser::Candidates& candidates,
                        const parser::FeatureKeys& features, std::vector<std::uint64_t>& keys, int words) {
  Matrix scores = Matrix::Constant(words + 1, words + 1, -std::numeric_limits<double>::infinity());
  for (int d = 1; d <= words; ++d) {
    const auto i = static_cast<std::size_t>(d);
    for (std::uint32_t c = candidates.begin[i]; c < candidates.begin[i + 1]; ++c) {
      const int h = candidates.heads[c];
      keys.clear();
      features.append({h, d}, keys);
      model.arcs.prefetch(keys);
      scores(h, d) = model.arcs.sum(keys);
    }
  }
  return scores;
}

/// The graph of a model that scores non-projective arcs, with flow variables that say which those are.
DependencyGraph graph_with_flows(const Matrix& scores, Root root, const dependency::DependencyParts& parts,
                                 const parser::Candidates& candidates, const std::vector<double>& part_scores) {
  if (parts.has_heads) {
    base::input_error("Parser", "factor_graph: there is none for both next siblings and non-projective arcs");
  }
  DependencyModel model{scores, root, {}, {}, {}, TreeForm::factor};
  const auto arc = [&](std::uint32_t c) { return Arc{candidates.heads[c], parts.dependents[c]}; };
  std::size_t part = 0;
  for (const auto& [a, b] : parts.pairs) model.pairs.push_back({arc(a), arc(b), part_scores[part++]});
  for (const std::uint32_t c : parts.arc_parts) model.non_projective.push_back({arc(c), part_scores[part++]});
  return dependency_graph(model);
}

/// Fills in probabilities, and the k best trees or samples.
template <class Distribution>
void describe(const Distribution& p, const ParseOptions& options, Parsed& parsed) {
  parsed.log_prob = p.log_prob(parsed.tree.heads);
  parsed.tree.log_prob = parsed.log_prob;
  parsed.entropy = entropy(p);
  const auto marginals = p.marginals();
  parsed.arc_probabilities.assign(parsed.tree.heads.size(), 0.0);
  for (int d = 1; d <= p.words(); ++d) {
    const auto i = static_cast<std::size_t>(d);
    parsed.arc_probabilities[i] = marginals(parsed.tree.heads[i], d);
  }
  if (options.k_best > 0) parsed.trees = k_best_trees(p, options.k_best);
  if (options.samples > 0) parsed.trees = sample_trees(p, options.samples, {.seed = options.seed, .threads = 1});
}

}  // namespace

struct Parser::Work {
  explicit Work(const parser::Model& m)
      : model(m), features(m.arc_templates), part_keys(m.part_templates), labeller(m) {}

  void read(const Sentence& sentence) {
    if (sentence.size() == 0) base::input_error("Parser", "sentence: has no words");
    if (const auto problem = parser::length_problem(sentence)) base::input_error("Parser", "sentence: " + *problem);
    laps.restart();
    encoded = parser::encode(sentence, model.inventory);
    laps.add_lap(times.encode);
  }

  /// The arcs that are left after pruning, which keeps all that the constraints could need.
  parser::Candidates candidates(Root root, const Constraints& constraints, bool projective = false) {
    Matrix tables = parser::table_scores(model.tables, model.pruner, encoded);
    if (!constraints.empty()) tables = constrained(tables, root, constraints);
    parser::Candidates kept = parser::prune(tables, root, model.settings.pruning);
    if (projective) kept = parser::with_tree(kept, best_projective_tree(tables, root).heads);
    laps.add_lap(times.prune);
    return kept;
  }

  Matrix score_arcs(const parser::Candidates& candidates) {
    features.read(encoded);
    Matrix s = candidate_scores(model, candidates, features, keys, encoded.words);
    if (model.settings.joint) add_labels(candidates, s);
    return s;
  }

  /// Sums joint labels out. After training with beta = inf a tree is as good as its best labels, and highest_scores
  /// becomes the scores with these.
  void add_labels(const parser::Candidates& candidates, Matrix& s) {
    labeller.read(encoded);
    if (model.settings.map) highest_scores = s;
    parser::for_each_arc(candidates, [&](int h, int d) {
      const parser::Labeller::Folded labels = labeller.fold({h, d});
      s(h, d) += labels.sum;
      if (model.settings.map) highest_scores(h, d) += labels.best;
    });
  }
  /// The scores whose best tree is looked for.
  const Matrix& decoded(const Matrix& s) const { return highest_scores.size() > 0 ? highest_scores : s; }

  /// The scores of the candidates.
  Matrix scores(const parser::Candidates& candidates, Root root, ParseSolver solver) {
    Matrix s = score_arcs(candidates);
    best_heads.clear();
    inference = {};
    if (model.settings.parts != kArcs) apply_parts(candidates, root, solver, s);
    s /= model.settings.temperature;
    if (highest_scores.size() > 0) highest_scores /= model.settings.temperature;
    laps.add_lap(times.score);
    return s;
  }

  /// Appends the scores of the parts.
  void score_parts(const dependency::DependencyParts& parts, std::vector<double>& into) {
    part_keys.read(encoded);
    part_keys.for_each(parts, [&](const auto& found) {
      model.arcs.prefetch(found);
      into.push_back(model.arcs.sum(found));
    });
  }

  /// Replaces the scores by the log-weights at the TREE factor, which give a distribution over trees with the marginals
  /// that belief propagation finds. If a solver is asked for the best tree, best_heads becomes that tree.
  void apply_parts(const parser::Candidates& candidates, Root root, ParseSolver solver, Matrix& s) {
    const dependency::DependencyParts parts = dependency::list_parts(encoded.words, candidates, model.settings.parts);
    part_scores.clear();
    score_parts(parts, part_scores);
    if (solver == ParseSolver::automatic) solver = model.settings.map ? ParseSolver::ad3 : ParseSolver::bp;
    if (solver != ParseSolver::bp) {
      const std::vector<double> of_best = parser::list_of(candidates, decoded(s));
      search({parts, candidates, root, of_best, part_scores}, solver);
    }
    highest_scores.resize(0, 0);  // They lack the parts.
    const std::vector<double> arc_scores = parser::list_of(candidates, s);
    const dependency::ScoredParts scored{parts, candidates, root, arc_scores, part_scores};
    const dependency::PartBeliefs b = dependency::propagate_beliefs(scored, dependency::kParsing);
    inference.propagated = true;
    inference.converged = b.converged;
    inference.iterations = b.iterations;
    inference.residual = b.residual;
    for (std::size_t c = 0; c < candidates.size(); ++c) {
      s(candidates.heads[c], parts.dependents[c]) = b.tree_weights[c];
    }
  }

  void search(const dependency::ScoredParts& scored, ParseSolver solver) {
    const dependency::MapEffort effort{.solver = solver == ParseSolver::ad3  ? dependency::MapSolver::ad3
                                                 : solver == ParseSolver::lp ? dependency::MapSolver::lp
                                                                             : dependency::MapSolver::exact};
    dependency::BestTree best = dependency::find_best_tree(scored, effort);
    best_heads = std::move(best.heads);
    inference.searched = true;
    inference.gap = std::max(0.0, best.bound - best.score);
    inference.certified = inference.gap <= effort.gap * std::max(1.0, std::abs(best.bound));
    inference.integral = best.integral;
  }

  const parser::Model& model;
  parser::Encoded encoded;
  parser::FeatureKeys features;
  parser::PartKeys part_keys;
  parser::Labeller labeller;
  std::vector<std::uint64_t> keys;
  std::vector<double> part_scores;
  Heads best_heads;
  Matrix highest_scores;  ///< Empty but for models of joint labels that were trained with beta = inf.
  Inference inference;
  Laps laps;
  ParseTimes times;
};

Parser::Parser(ParserModel model)
    : model_(std::move(model)), work_(std::make_unique<Work>(*parser::ModelAccess::model_of(model_))) {}
Parser::~Parser() = default;
Parser::Parser(Parser&&) noexcept = default;
Parser& Parser::operator=(Parser&&) noexcept = default;

const ParseTimes& Parser::times() const { return work_->times; }

Matrix Parser::arc_scores(const Sentence& sentence, const ParseOptions& options) {
  work_->read(sentence);
  const Root root = options.root.value_or(work_->model.settings.root);
  const Constraints constraints = constraints_on(sentence, options);
  return work_->scores(work_->candidates(root, constraints, options.projective), root, ParseSolver::bp);
}

DependencyGraph Parser::factor_graph(const Sentence& sentence) {
  Work& work = *work_;
  work.read(sentence);
  const Root root = work.model.settings.root;
  const parser::Candidates candidates = work.candidates(root, {});
  const Matrix scores = work.score_arcs(candidates);
  const PartSet& set = work.model.settings.parts;
  if (set == kArcs) return dependency_graph({work.decoded(scores), root, {}, {}, {}, TreeForm::factor});
  const dependency::DependencyParts parts = dependency::list_parts(sentence.size(), candidates, set);
  const auto part_scores = std::make_shared<std::vector<double>>();
  work.score_parts(parts, *part_scores);
  const std::vector<double> arc_scores = parser::list_of(candidates, work.decoded(scores));
  if (set.non_projective) return graph_with_flows(work.decoded(scores), root, parts, candidates, *part_scores);
  DependencyGraph result{
      dependency::part_graph({parts, candidates, root, arc_scores, *part_scores}, part_scores), sentence.size(), {}};
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    result.arcs.push_back({{candidates.heads[c], parts.dependents[c]}, Variable{static_cast<int>(c)}});
  }
  return result;
}

Parsed Parser::parse(const Sentence& sentence, const ParseOptions& options) {
  if (options.k_best < 0 || options.samples < 0 || (options.k_best > 0 && options.samples > 0)) {
    base::input_error("Parser", "k_best and samples: not negative, and not both");
  }
  Work& work = *work_;
  const Root root = options.root.value_or(work.model.settings.root);
  work.read(sentence);
  const Constraints constraints = constraints_on(sentence, options);
  const ParseSolver solver = options.projective ? ParseSolver::bp : options.solver;
  const Matrix scores = work.scores(work.candidates(root, constraints, options.projective), root, solver);
  Parsed parsed;
  const Matrix& decoded = work.decoded(scores);
  parsed.tree = options.projective        ? best_projective_tree(decoded, root)
                : work.best_heads.empty() ? best_tree(decoded, root)
                                          : tree_of(work.best_heads, scores);
  work.laps.add_lap(work.times.tree);
  work.labeller.read(work.encoded);
  auto labels = work.labeller.label(parsed.tree.heads, options.probabilities);
  parsed.tree.labels = std::move(labels.labels);
  parsed.label_probabilities = std::move(labels.probabilities);
  work.laps.add_lap(work.times.label);
  if (options.arc_scores) parsed.arc_scores = scores;
  parsed.inference = work.inference;
  if (!options.probabilities && options.k_best == 0 && options.samples == 0) return parsed;

  constexpr Accuracy kEnough{.tolerance = 1e-9, .floor = 1e-6};
  if (options.projective) {
    describe(ProjectiveTreeDistribution(scores, root, kEnough), options, parsed);
  } else {
    describe(TreeDistribution(scores, root, kEnough), options, parsed);
  }
  work.laps.add_lap(work.times.tree);
  for (std::size_t k = 0; k < parsed.trees.size(); ++k) {
    parsed.trees[k].labels = work.labeller.labels_of(parsed.trees[k].heads, k, options);
  }
  work.laps.add_lap(work.times.label);
  return parsed;
}

}  // namespace kirchhoff
