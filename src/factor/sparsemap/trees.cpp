// SparseMAP over trees [Niculae18]: the projection of the scores s on the hull of all trees, by the active set.
// Arcs that no tree of the mixture can have are left out first (candidates.hpp).
#include "base/check.hpp"
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

/// Projects in pieces, between which the caller may stop it.
void project(const Candidates& candidates, const SparseMapOptions& options, factor::ActiveSet& set,
             std::vector<double>& u, SparseTrees& result) {
  const CandidateTrees factor(candidates, result.root);
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
    if (options.stop && options.stop()) {
      result.status = Status::time_limit;
      break;
    }
  }
  if (result.gap != HUGE_VAL) return;
  std::vector<double> slopes(u.size());
  std::vector<std::uint8_t> y(u.size());
  double own = 0.0;
  for (std::size_t i = 0; i < u.size(); ++i) {
    slopes[i] = candidates.scores[i] - u[i];
    own += slopes[i] * u[i];
  }
  result.gap = std::max(0.0, factor.best(slopes, y) - own);
  if (result.gap <= allowed) result.status = Status::converged;
}

void write(const Candidates& candidates, const factor::ActiveSet& set, std::span<const double> u, SparseTrees& result) {
  std::vector<const factor::ActiveSet::Member*> members;
  for (const auto& member : set.members()) {
    if (member.weight > 0.0) members.push_back(&member);
  }
  std::sort(members.begin(), members.end(), [](const auto* a, const auto* b) { return a->weight > b->weight; });
  for (const auto* member : members) {
    Heads& heads = result.trees.emplace_back(static_cast<std::size_t>(candidates.words) + 1, -1);
    for (const int i : member->ones) heads[candidates.arcs[i].dependent] = candidates.arcs[i].head;
    result.probabilities.push_back(member->weight);
  }
  const Eigen::Index nodes = candidates.words + 1;
  result.marginals = Matrix::Zero(nodes, nodes);
  result.slopes = Matrix::Constant(nodes, nodes, -HUGE_VAL);
  for (std::size_t i = 0; i < u.size(); ++i) {
    const Arc arc = candidates.arcs[i];
    result.marginals(arc.head, arc.dependent) = std::min(u[i], 1.0);
    result.slopes(arc.head, arc.dependent) = candidates.scores[i] - u[i];
  }
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
  const Candidates candidates(scores, best_tree(scores, root).heads);
  SparseTrees result;
  result.root = root;
  factor::ActiveSet set;
  std::vector<double> u;
  project(candidates, options, set, u, result);
  write(candidates, set, u, result);
  return result;
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
  const Candidates candidates(p.slopes);
  const CandidateTrees factor(candidates, p.root);
  const std::size_t n = candidates.arcs.size();
  factor::ActiveSet set;
  std::vector<std::uint8_t> y(n);
  for (const Heads& heads : p.trees) {
    for (std::size_t i = 0; i < n; ++i) y[i] = heads[candidates.arcs[i].dependent] == candidates.arcs[i].head;
    set.include(factor, y);
  }
  factor::span_face(set, factor, candidates.scores, kTie + kTieOfScale * candidates.scale());
  std::vector<double> v(n), du(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = direction(candidates.arcs[i].head, candidates.arcs[i].dependent);
  set.along(v, du);
  Matrix result = Matrix::Zero(p.slopes.rows(), p.slopes.cols());
  for (std::size_t i = 0; i < n; ++i) result(candidates.arcs[i].head, candidates.arcs[i].dependent) = du[i];
  return result;
}

}  // namespace kirchhoff
