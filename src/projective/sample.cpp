// Projective trees from the top down: every choice is drawn from the inside sums below it. Without replacement, the
// same choices form a trie in which trees come in the order of their perturbed log-probabilities.
#include "base/check.hpp"
#include "base/random.hpp"
#include "base/stop.hpp"
#include "projective/state.hpp"
#include "projective/trie.hpp"
#include "sample/labels.hpp"

#include <cmath>
#include <limits>
#include <string>

namespace kirchhoff {
namespace projective {
namespace {

using numeric::ExtendedDual;
using P = ProjectiveTreeDistribution;
using Labelled = LabelledProjectiveTreeDistribution;

double log_of_number(const ExtendedDual& x) { return log_of(x.m, x.e); }

Charts<double> double_charts(const P& p) {
  const Matrix logs = normalised_log_weights(ProjectiveAccess::state(p));
  return {p.words(), p.root(), 1.0, [&](int h, int d) { return std::exp(logs(h, d)); }};
}
RobustCharts charts_of(const P& p) { return robust_charts(log_weights(ProjectiveAccess::state(p)), p.root()); }

// The options' shares of their sum. Rounding must not choose what is impossible: `last` is an option that is possible.
template <class Number>
int draw_option(const Derivation<Number>& walk, base::Random& random) {
  thread_local std::vector<Number> weights;
  weights.clear();
  Number sum{};
  for (int k = walk.first_option(); k <= walk.last_option(); ++k) sum += weights.emplace_back(walk.weight(k));
  double left = random.uniform();
  int last = walk.first_option();
  for (std::size_t i = 0; i < weights.size() && left >= 0.0; ++i) {
    double share = 0.0;
    if constexpr (std::is_same_v<Number, double>) {
      share = weights[i] / sum;
    } else if (weights[i].m > 0.0) {
      share = numeric::power(weights[i].m / sum.m, static_cast<std::int64_t>(weights[i].e - sum.e));
    }
    if (share == 0.0) continue;
    last = walk.first_option() + static_cast<int>(i);
    left -= share;
  }
  return last;
}

template <class Number>
Heads draw_heads(const Charts<Number>& charts, base::Random& random) {
  Derivation<Number> walk(charts);
  while (!walk.done()) {
    const bool only = walk.first_option() == walk.last_option();
    walk.choose(only ? walk.first_option() : draw_option(walk, random));
  }
  return walk.heads();
}

void complete_tree(const P& p, Tree& tree) {
  numeric::Sum score;
  for (int d = 1; d <= p.words(); ++d) score.add(p.scores()(tree.heads[d], d));
  tree.score = score.value();
  tree.log_prob = p.log_prob(tree.heads);
}
void complete_tree(const Labelled& p, Tree& tree) {
  numeric::Sum score;
  for (int d = 1; d <= p.words(); ++d) score.add(p.scores()(tree.heads[d], d, tree.labels[d]));
  tree.score = score.value();
  tree.log_prob = p.log_prob(tree.heads, tree.labels);
}

}  // namespace
}  // namespace projective

struct ProjectiveTreeSampler::State {
  ProjectiveTreeDistribution tree;
  std::optional<LabelledProjectiveTreeDistribution> labelled;
  std::optional<projective::Charts<double>> fast;
  std::optional<projective::RobustCharts> robust;

  State(const ProjectiveTreeDistribution& p, std::optional<LabelledProjectiveTreeDistribution> with_labels)
      : tree(p), labelled(std::move(with_labels)) {
    if (p.report().method == Method::fast) {
      fast.emplace(projective::double_charts(p));
    } else {
      robust.emplace(projective::charts_of(p));
    }
  }
};

ProjectiveTreeSampler::ProjectiveTreeSampler(const ProjectiveTreeDistribution& p)
    : state_(std::make_shared<State>(p, std::nullopt)) {}
ProjectiveTreeSampler::ProjectiveTreeSampler(const LabelledProjectiveTreeDistribution& p)
    : state_(std::make_shared<State>(p.tree(), p)) {}

Tree ProjectiveTreeSampler::sample(std::uint64_t seed, std::uint64_t index) const {
  base::Random random(seed, index);
  Tree tree;
  tree.heads =
      state_->fast ? projective::draw_heads(*state_->fast, random) : projective::draw_heads(*state_->robust, random);
  if (!state_->labelled) {
    projective::complete_tree(state_->tree, tree);
  } else {
    tree.labels = sample::sample_labels(state_->labelled->scores(), tree.heads, random);
    projective::complete_tree(*state_->labelled, tree);
  }
  return tree;
}

std::vector<Tree> ProjectiveTreeSampler::samples(int count, const SampleOptions& options) const {
  if (count < 0) base::input_error("sample_trees", "count is " + std::to_string(count) + ", expected 0 or more");
  std::vector<Tree> trees(count);
  parallel_for(trees.size(), options.threads, [&](std::size_t i) { trees[i] = sample(options.seed, i); });
  return trees;
}

std::vector<Tree> sample_trees(const ProjectiveTreeDistribution& p, int count, const SampleOptions& options) {
  return ProjectiveTreeSampler(p).samples(count, options);
}
std::vector<Tree> sample_trees(const LabelledProjectiveTreeDistribution& p, int count, const SampleOptions& options) {
  return ProjectiveTreeSampler(p).samples(count, options);
}

struct DistinctProjectiveTrees::State {
  ProjectiveTreeDistribution tree;
  std::optional<LabelledProjectiveTreeDistribution> labelled;
  projective::Trie<numeric::ExtendedDual> trie;
  double perturbed = HUGE_VAL;

  State(const ProjectiveTreeDistribution& p, std::optional<LabelledProjectiveTreeDistribution> with_labels,
        std::uint64_t seed)
      : tree(p),
        labelled(std::move(with_labels)),
        trie(projective::charts_of(p), projective::log_of_number,
             labelled ? [this](Arc arc) { return sample::label_logs(labelled->scores(), arc); }
                      : projective::Trie<numeric::ExtendedDual>::Labels(),
             {seed}) {}

  std::optional<Tree> next() {
    const double priority = trie.next_priority();
    std::optional<Tree> found = trie.next();
    if (!found) return found;
    perturbed = priority;
    labelled ? projective::complete_tree(*labelled, *found) : projective::complete_tree(tree, *found);
    return found;
  }
};

DistinctProjectiveTrees::DistinctProjectiveTrees(const ProjectiveTreeDistribution& p, std::uint64_t seed)
    : state_(std::make_unique<State>(p, std::nullopt, seed)) {}
DistinctProjectiveTrees::DistinctProjectiveTrees(const LabelledProjectiveTreeDistribution& p, std::uint64_t seed)
    : state_(std::make_unique<State>(p.tree(), p, seed)) {}
DistinctProjectiveTrees::~DistinctProjectiveTrees() = default;
DistinctProjectiveTrees::DistinctProjectiveTrees(DistinctProjectiveTrees&&) noexcept = default;
DistinctProjectiveTrees& DistinctProjectiveTrees::operator=(DistinctProjectiveTrees&&) noexcept = default;

std::optional<Tree> DistinctProjectiveTrees::next() { return state_->next(); }

double DistinctProjectiveTrees::perturbed() const { return state_->perturbed; }

double DistinctProjectiveTrees::threshold() { return state_->trie.next_priority(); }

PerturbedTrees DistinctProjectiveTrees::first(int k, const Stop& stop) {
  if (k < 0) base::input_error("sample_without_replacement", "k is " + std::to_string(k) + ", expected 0 or more");
  PerturbedTrees result;
  for (int i = 0; i < k; ++i) {
    std::optional<Tree> tree = next();
    if (!tree) break;
    result.trees.push_back(std::move(*tree));
    result.perturbed.push_back(perturbed());
    if (base::stops(stop)) break;
  }
  result.threshold = threshold();
  return result;
}

PerturbedTrees sample_without_replacement(const ProjectiveTreeDistribution& p, int k, const SampleOptions& options,
                                          const Stop& stop) {
  return DistinctProjectiveTrees(p, options.seed).first(k, stop);
}
PerturbedTrees sample_without_replacement(const LabelledProjectiveTreeDistribution& p, int k,
                                          const SampleOptions& options, const Stop& stop) {
  return DistinctProjectiveTrees(p, options.seed).first(k, stop);
}

}  // namespace kirchhoff
