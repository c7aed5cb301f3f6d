// Independent samples: which sampler runs, with what budget, and the trees they make.
#include "base/check.hpp"
#include "base/random.hpp"
#include "kirchhoff/parallel.hpp"
#include "kirchhoff/sample.hpp"
#include "sample/conditional_walk.hpp"
#include "sample/kernels/wilson.hpp"
#include "sample/labels.hpp"
#include "sample/rejection.hpp"
#include "tree/feasible.hpp"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <mutex>
#include <string>

namespace kirchhoff {
namespace {

// The random streams of one sample.
enum Purpose : std::uint64_t { kWalk = 0, kColbourn = 1, kLabels = 2 };

/// The time of one of Colbourn's samples in draws of a walk (as measured by bench_tree).
double colbourn_in_draws(int n) { return 20.0 + 0.2 * n * n + 0.002 * n * n * n; }

void check_method(Sampler method, Root root) {
  const bool single = root == Root::single;
  if (method == Sampler::wilson && single) {
    base::input_error(
        "TreeSampler",
        "wilson samples multi-root trees; for Root::single take wilson_marginal, wilson_reject or colbourn");
  }
  if ((method == Sampler::wilson_marginal || method == Sampler::wilson_reject) && !single) {
    base::input_error("TreeSampler",
                      "wilson_marginal and wilson_reject sample single-root trees; for Root::multi take "
                      "wilson or colbourn");
  }
}

std::size_t checked_count(int count) {
  if (count < 0) base::input_error("TreeSampler", "count is " + std::to_string(count) + ", expected 0 or more");
  return static_cast<std::size_t>(count);
}

/// Samplers of the scores of more words than this draw their first samples without tables.
constexpr int kTableWords = 256;
/// How many: by then tables, which make draws faster, are worth making.
constexpr std::uint64_t kWithoutTables = 64;

/// Tables of the weights of each word's heads, relative to the best; given the marginals of the root's children,
/// without the root's arcs and with a table of those. Scores are read by rows, some words at a time, because they lie
/// in rows.
sample::AliasTables make_tables(const MatrixRef& scores, const double* children) {
  constexpr int kWords = 8;
  const int n = static_cast<int>(scores.rows()) - 1, first_head = children ? 1 : 0;
  sample::AliasTables tables(n + 1, n + 1);
  std::vector<double> weights((n + 1) * kWords);
  for (int first = 1; first <= n; first += kWords) {
    const int count = std::min(kWords, n + 1 - first);
    for (int head = 0; head <= n; ++head) {
      for (int k = 0; k < count; ++k) weights[k * (n + 1) + head] = scores(head, first + k);
    }
    for (int k = 0; k < count; ++k) {
      double* const w = weights.data() + k * (n + 1);
      w[first + k] = -HUGE_VAL;
      const double best = *std::max_element(w + first_head, w + n + 1);
      if (best == -HUGE_VAL) continue;  // only the root can be its head: it is the root's child in every tree
      for (int head = 0; head <= n; ++head) w[head] = head < first_head ? 0.0 : std::exp(w[head] - best);
      tables.set(first + k, w);
    }
  }
  if (children) tables.set(0, children);
  return tables;
}

}  // namespace

struct TreeSampler::State {
  State(const TreeDistribution& p, Sampler wanted) : root(p.root()), words(p.words()), method(wanted), solved(p) {
    check_method(method, root);
    if (method == Sampler::automatic) choose_method();
    if (method != Sampler::colbourn) tables();
  }
  State(Matrix&& given, Root root_mode, Sampler walk)
      : root(root_mode), words(static_cast<int>(given.rows()) - 1), method(walk), scores(std::move(given)) {
    if (words <= kTableWords) {
      base::check_scores("TreeSampler", scores);
      tree::require_feasible(scores, root);
      tables();
      return;
    }
    scores.diagonal() = scores.row(0);
    without_tables.emplace(scores, root);
  }

  /// Tables are made when they are first needed.
  const sample::AliasTables& tables() const {
    std::call_once(tables_made, [&] {
      if (scores.size() > 0) {  // a distribution may be on its way
        lazy_tables.emplace(make_tables(scores, nullptr));
      } else {
        const bool marginal = method == Sampler::wilson_marginal;
        lazy_tables.emplace(make_tables(solved->scores(), marginal ? solved->marginals().data() : nullptr));
      }
    });
    return *lazy_tables;
  }

  /// The distribution and its inverse are made when they are first needed.
  const TreeDistribution& distribution() const {
    std::call_once(distribution_made, [&] {
      if (!solved) solved.emplace(scores, root);
    });
    return *solved;
  }
  const sample::LaplacianInverse& inverse() const {
    std::call_once(inverse_made, [&] { lazy_inverse.emplace(distribution()); });
    return *lazy_inverse;
  }

  double mean_draws() const {
    if (root == Root::multi) return inverse().expected_draws(0);
    double sum = 0.0;
    for (int child = 1; child <= words; ++child) {
      const double probability = distribution().marginals()(0, child);
      if (probability > 0.0) sum += probability * inverse().expected_draws(child);
    }
    return sum;
  }

  void choose_method() {
    const double other = colbourn_in_draws(words);
    const double draws = mean_draws();
    budget = static_cast<std::int64_t>(4.0 * std::min(draws, other) + 2.0 * other);
    method = draws > other ? Sampler::colbourn : (root == Root::multi ? Sampler::wilson : Sampler::wilson_marginal);
  }

  /// Adds a walk towards `top`; false when the budget is spent.
  bool wilson(int top, std::uint64_t index, base::Random& random, Walk& walk) const {
    if (without_tables && index < kWithoutTables) return without_tables->wilson(random, budget, walk);
    return sample::wilson(tables(), words, top, random, budget, walk);
  }
  /// `child` is the root's child when it has been chosen already, else 0.
  Heads colbourn(std::uint64_t seed, std::uint64_t index, int child) const;
  Walk reject(std::uint64_t seed, std::uint64_t index) const;

  Root root;
  int words;
  Sampler method;
  std::int64_t budget = kLargestWalk;
  std::optional<LabelledTreeDistribution> labelled;
  Matrix scores;  // when there is no distribution yet
  std::optional<sample::RejectionDraws> without_tables;
  mutable std::once_flag distribution_made, inverse_made, tables_made;
  mutable std::optional<sample::AliasTables> lazy_tables;
  mutable std::optional<TreeDistribution> solved;
  mutable std::optional<sample::LaplacianInverse> lazy_inverse;
};

Heads TreeSampler::State::colbourn(std::uint64_t seed, std::uint64_t index, int child) const {
  // One workspace per thread, for the distribution it was used with last.
  thread_local std::optional<sample::ConditionalWalk> walk;
  thread_local std::uint64_t owner = 0;
  if (owner != inverse().id) walk.emplace(inverse());
  owner = inverse().id;
  walk->restart();
  base::Random random(seed, index, kColbourn);
  if (child > 0) walk->choose(child);
  while (!walk->done()) {
    const double u = random.uniform();
    const sample::ConditionalRow row = walk->row();
    const int option = sample::choose_option(row.p, walk->options(), row.sums, u);
    if (option >= 0 && row.p[option] >= row.uncertain) {
      walk->choose(option);
      continue;
    }
    // An option so rare that only the exact row can tell whether it exists.
    std::vector<double> exact = walk->exact_logs();
    for (double& x : exact) x = std::exp(x);
    walk->choose(
        sample::choose_option(exact.data(), walk->options(), sample::lane_sums(exact.data(), exact.size()), u));
  }
  return walk->heads();
}

Walk TreeSampler::State::reject(std::uint64_t seed, std::uint64_t index) const {
  base::Random random(seed, index, kWalk);
  Walk walk;
  for (;; ++walk.tries) {
    if (!wilson(0, index, random, walk)) break;
    if (std::count(walk.heads.begin(), walk.heads.end(), 0) == 1) return walk;
  }
  walk.budget_spent = true;
  walk.heads = colbourn(seed, index, 0);
  return walk;
}

TreeSampler::TreeSampler(const TreeDistribution& p, Sampler method) : state_(std::make_shared<State>(p, method)) {}

TreeSampler::TreeSampler(const LabelledTreeDistribution& p, Sampler method) {
  auto state = std::make_shared<State>(p.tree(), method);
  state->labelled = p;
  state_ = std::move(state);
}

TreeSampler::TreeSampler(const MatrixRef& scores, Root root, Sampler method)
    : TreeSampler(Matrix(scores), root, method) {}

template <std::same_as<Matrix> M>
TreeSampler::TreeSampler(M&& scores, Root root, Sampler method) {
  check_method(method, root);
  if (method != Sampler::wilson && method != Sampler::wilson_reject) {
    *this = TreeSampler(TreeDistribution(scores, root), method);
    return;
  }
  base::check_square("TreeSampler", "scores", scores);
  state_ = std::make_shared<State>(std::move(scores), root, method);
}
template TreeSampler::TreeSampler(Matrix&&, Root, Sampler);

Sampler TreeSampler::method() const { return state_->method; }

double TreeSampler::expected_draws() const {
  switch (state_->method) {
    case Sampler::colbourn:
      return 0.0;
    case Sampler::wilson_reject:
      return sample::LaplacianInverse(TreeDistribution(state_->distribution().scores(), Root::multi)).expected_draws(0);
    default:
      return state_->mean_draws();
  }
}

Walk TreeSampler::walk(std::uint64_t seed, std::uint64_t index) const {
  const State& state = *state_;
  Walk walk;
  if (state.method == Sampler::colbourn) {
    walk.heads = state.colbourn(seed, index, 0);
    return walk;
  }
  if (state.method == Sampler::wilson_reject) return state.reject(seed, index);
  // The number of draws depends on the root's child, so a walk given up keeps it.
  base::Random random(seed, index, kWalk);
  const bool marginal = state.method == Sampler::wilson_marginal;
  const int child = marginal ? static_cast<int>(state.tables().draws().draw(0, random.bits())) : 0;
  if (state.wilson(child, index, random, walk)) return walk;
  walk.budget_spent = true;
  walk.heads = state.colbourn(seed, index, child);
  return walk;
}

Tree TreeSampler::sample(std::uint64_t seed, std::uint64_t index) const {
  Heads heads = walk(seed, index).heads;
  if (!state_->labelled) return sample::tree_of(state_->distribution(), std::move(heads));
  base::Random random(seed, index, kLabels);
  std::vector<int> labels = sample::sample_labels(state_->labelled->scores(), heads, random);
  return sample::tree_of(*state_->labelled, std::move(heads), std::move(labels));
}

std::vector<Tree> TreeSampler::samples(int count, const SampleOptions& options) const {
  std::vector<Tree> trees(checked_count(count));
  parallel_for(trees.size(), options.threads, [&](std::size_t i) { trees[i] = sample(options.seed, i); });
  return trees;
}

std::vector<Heads> TreeSampler::heads(int count, const SampleOptions& options) const {
  std::vector<Heads> all(checked_count(count));
  parallel_for(all.size(), options.threads, [&](std::size_t i) { all[i] = walk(options.seed, i).heads; });
  return all;
}

}  // namespace kirchhoff
