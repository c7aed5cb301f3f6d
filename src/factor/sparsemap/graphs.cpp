// LP-SparseMAP as the caller sees it: alternating directions until the factors agree, then what each of them mixes.
#include "base/check.hpp"
#include "base/stop.hpp"
#include "factor/graph/incidence.hpp"
#include "factor/sparsemap/consensus.hpp"

#include <algorithm>
#include <string>

namespace kirchhoff {
namespace {

constexpr int kAdaptEvery = 10;
constexpr int kCheckEvery = 50;

void check_options(const LpSparseMapOptions& options) {
  if (!(options.tolerance >= 0.0)) base::input_error("lp_sparsemap", "tolerance: negative or not a number");
  if (options.max_iterations < 1) base::input_error("lp_sparsemap", "max_iterations: less than 1");
}

Status iterate(factor::Consensus& consensus, const LpSparseMapOptions& options, int& iterations) {
  base::Stopping stopping(options.stop);
  int adapt_at = kAdaptEvery;  // ever more rarely, or the penalty would never come to rest
  while (iterations < options.max_iterations) {
    consensus.iterate();
    ++iterations;
    if (std::max(consensus.residual(), consensus.dual_residual()) <= options.tolerance) return Status::converged;
    if (iterations % kCheckEvery == 0 && consensus.is_empty()) return Status::infeasible;
    if (stopping()) return Status::time_limit;
    if (iterations < adapt_at) continue;
    consensus.adapt_penalty();
    adapt_at += std::max(kAdaptEvery, iterations / 5);
  }
  return Status::iteration_limit;
}

}  // namespace

SparseGraph lp_sparsemap(const FactorGraph& graph, const LpSparseMapOptions& options) {
  return lp_sparsemap(graph, graph.scores(), options);
}

SparseGraph lp_sparsemap(const FactorGraph& graph, std::span<const double> scores, const LpSparseMapOptions& options) {
  check_options(options);
  if (scores.size() != static_cast<std::size_t>(graph.variables())) {
    base::input_error("lp_sparsemap", "scores: " + std::to_string(scores.size()) + " for " +
                                          std::to_string(graph.variables()) + " variables");
  }
  for (const double s : scores) base::check_score("lp_sparsemap", "scores", s);
  factor::Consensus consensus(graph, scores);
  SparseGraph result;
  result.status = consensus.is_possible() ? iterate(consensus, options, result.iterations) : Status::infeasible;
  if (result.status == Status::infeasible) return result;
  result.residual = consensus.residual();
  result.gap = consensus.gap();
  for (const double p : consensus.point()) result.marginals.push_back(std::clamp(p, 0.0, 1.0));
  for (int f = 0; f < graph.factors(); ++f) factor::turn(graph, f, result.factors.emplace_back(consensus.mixture(f)));
  return result;
}

}  // namespace kirchhoff
