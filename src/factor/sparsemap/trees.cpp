// SparseMAP over trees [Niculae18]: the projection of the scores s on the hull of all trees, by the active set.
// Arcs that no tree of the mixture can have are left out first (candidates.hpp). With labels, the parts of a tree are
// its arcs with their labels, and nothing else changes.
#include "base/check.hpp"
#include "base/stop.hpp"
#include "factor/sparsemap/candidates.hpp"
#include "factor/sparsemap/face.hpp"
#include "kirchhoff/decode.hpp"
#include "kirchhoff/sparsemap.hpp"

#include <algorithm>
#include <limits>
#include <string>

namespace kirchhoff {
namespace {

using factor::Candidates;
using factor::CandidateTrees;

constexpr int kStepsBetweenStops = 50;
constexpr double kTreeRounding = 4.0 * std::numeric_limits<double>::epsilon();
// Values of trees that differ by less are equal: so much, and as much again for each unit of the scale.
constexpr double kTie = 1e-9;
constexpr double kTieOfScale = 1e-14;

void check_options(const SparseMapOptions& options) {
  if (!(options.tolerance >= 0.0)) base::input_error("sparsemap", "tolerance: negative or not a number");
  if (options.max_iterations < 1) base::input_error("sparsemap", "max_iterations: less than 1");
}

/// How a projection ended, whatever the arcs have.
struct Ended {
  Status status = Status::iteration_limit;
  int iterations = 0;
  double gap = 0.0;
};

/// Projects in pieces, between which the caller may stop it.
Ended project(const Candidates& candidates, Root root, const SparseMapOptions& options, factor::ActiveSet& set,
              std::vector<double>& u) {
  Ended result;
  const CandidateTrees factor(candidates, root);
  const double scale = candidates.scale();
  const double allowed = std::max(options.tolerance, kTreeRounding) * scale;
  u.resize(candidates.arcs.size());
  for (;;) {
    const int left = options.max_iterations - result.iterations;
    // The set's tolerance is relative to the level, which is within the scale.
    set.project(factor, candidates.scores, 1.0, u, std::min(left, kStepsBetweenStops), allowed / scale);
    result.iterations += set.steps();
    result.gap = set.gap();
    const bool ended = result.gap != HUGE_VAL;
    result.status = ended && result.gap <= allowed ? Status::converged : Status::iteration_limit;
    if (ended || result.iterations >= options.max_iterations) break;
    if (base::stops(options.stop)) {
      result.status = Status::time_limit;
      break;
    }
  }
  if (result.gap != HUGE_VAL) return result;
  std::vector<double> slopes(u.size());
  std::vector<std::uint8_t> y(u.size());
  double own = 0.0;
  for (std::size_t i = 0; i < u.size(); ++i) {
    slopes[i] = candidates.scores[i] - u[i];
    own += slopes[i] * u[i];
  }
  result.gap = std::max(0.0, factor.best(slopes, y) - own);
  if (result.gap <= allowed) result.status = Status::converged;
  return result;
}

Matrix filled(const Candidates& candidates, const Matrix& /*like*/, double value) {
  return Matrix::Constant(candidates.words + 1, candidates.words + 1, value);
}

LabelledMatrix filled(const Candidates& candidates, const LabelledMatrix& /*like*/, double value) {
  return {candidates.words, candidates.labels, value};
}

template <class A>
void write(const Candidates& candidates, const factor::ActiveSet& set, std::span<const double> u,
           SparseTreesOf<A>& result) {
  std::vector<const factor::ActiveSet::Member*> members;
  for (const auto& member : set.members()) {
    if (member.weight > 0.0) members.push_back(&member);
  }
  std::sort(members.begin(), members.end(), [](const auto* a, const auto* b) { return a->weight > b->weight; });
  for (const auto* member : members) {
    Heads& heads = result.trees.emplace_back(static_cast<std::size_t>(candidates.words) + 1, -1);
    for (const int i : member->ones) heads[candidates.arcs[i].dependent] = candidates.arcs[i].head;
    if constexpr (std::is_same_v<A, LabelledMatrix>) {
      std::vector<int>& labels = result.labels.emplace_back(heads.size(), 0);
      for (const int i : member->ones) labels[candidates.arcs[i].dependent] = candidates.arcs[i].label;
    }
    result.probabilities.push_back(member->weight);
  }
  result.marginals = filled(candidates, result.marginals, 0.0);
  result.slopes = filled(candidates, result.slopes, -HUGE_VAL);
  for (std::size_t i = 0; i < u.size(); ++i) {
    result.marginals.data()[candidates.cell(i)] = std::min(u[i], 1.0);
    result.slopes.data()[candidates.cell(i)] = candidates.scores[i] - u[i];
  }
}

template <class A>
SparseTreesOf<A> mixed(const GraphView& scores, const Tree& best, Root root, const SparseMapOptions& options) {
  const Candidates candidates(scores, best);
  factor::ActiveSet set;
  std::vector<double> u;
  const Ended ended = project(candidates, root, options, set, u);
  SparseTreesOf<A> result{ended.status, ended.iterations, ended.gap, {}, {}, {}, {}, root, {}};
  write(candidates, set, u, result);
  return result;
}

template <class A>
A along(const SparseTreesOf<A>& p, const GraphView& direction) {
  const Candidates candidates(graph_view(p.slopes));
  const CandidateTrees factor(candidates, p.root);
  const std::size_t n = candidates.arcs.size();
  factor::ActiveSet set;
  std::vector<int> candidate_at(static_cast<std::size_t>(p.slopes.size()));
  for (std::size_t i = 0; i < n; ++i) candidate_at[candidates.cell(i)] = static_cast<int>(i);
  std::vector<std::uint8_t> y(n);
  for (std::size_t k = 0; k < p.trees.size(); ++k) {
    std::fill(y.begin(), y.end(), std::uint8_t{0});
    for (int d = 1; d <= candidates.words; ++d) {
      y[candidate_at[candidates.cell({p.trees[k][d], d, p.labels.empty() ? 0 : p.labels[k][d]})]] = 1;
    }
    set.include(factor, y);
  }
  factor::span_face(set, factor, candidates.scores, kTie + kTieOfScale * candidates.scale());
  const std::vector<double> v = candidates.read(direction);
  if (!std::all_of(v.begin(), v.end(), [](double x) { return std::isfinite(x); })) {
    base::input_error("marginals_along", "direction: NaN or infinite");
  }
  std::vector<double> du(n);
  set.along(v, du);
  A result = filled(candidates, p.slopes, 0.0);
  for (std::size_t i = 0; i < n; ++i) result.data()[candidates.cell(i)] = du[i];
  return result;
}

/// Errors name the graph.
SparseTrees sparsemap_of(const GraphView& graph, std::size_t i, Root root, const SparseMapOptions& options) {
  const auto named = [&](const std::exception& e) { return "graph " + std::to_string(i) + ": " + e.what(); };
  try {
    return with_scores<TreeDistribution>(graph, [&](const MatrixRef& s) { return sparsemap(s, root, options); });
  } catch (const InputError& e) {
    throw InputError(named(e));
  } catch (const Infeasible& e) {
    throw Infeasible(named(e));
  }
}

}  // namespace

SparseTrees sparsemap(const MatrixRef& scores, Root root, const SparseMapOptions& options) {
  check_options(options);
  base::check_square("sparsemap", "scores", scores);
  base::check_scores("sparsemap", scores);
  return mixed<Matrix>(graph_view(scores), best_tree(scores, root), root, options);
}

LabelledSparseTrees sparsemap(const LabelledMatrix& scores, Root root, const SparseMapOptions& options) {
  check_options(options);
  base::check_scores("sparsemap", scores);
  return mixed<LabelledMatrix>(graph_view(scores), best_tree(scores, root), root, options);
}

std::vector<SparseTrees> sparsemap(std::span<const GraphView> graphs, Root root, const SparseMapOptions& options,
                                   int threads) {
  std::vector<SparseTrees> results(graphs.size());
  parallel_for(graphs.size(), threads, [&](std::size_t i) { results[i] = sparsemap_of(graphs[i], i, root, options); });
  return results;
}

Matrix marginals_along(const SparseTrees& p, const MatrixRef& direction) {
  const int words = static_cast<int>(p.slopes.rows()) - 1;
  base::check_shape("marginals_along", "direction", direction, words);
  base::check_finite("marginals_along", "direction", direction);
  return along(p, graph_view(direction));
}

LabelledMatrix marginals_along(const LabelledSparseTrees& p, const LabelledMatrix& direction) {
  const LabelledMatrix& slopes = p.slopes;
  if (direction.words() != slopes.words() || direction.labels() != slopes.labels()) {
    base::input_error("marginals_along", "direction: " + std::to_string(direction.words()) + " words and " +
                                             std::to_string(direction.labels()) + " labels, expected " +
                                             std::to_string(slopes.words()) + " and " +
                                             std::to_string(slopes.labels()));
  }
  return along(p, graph_view(direction));
}

}  // namespace kirchhoff
