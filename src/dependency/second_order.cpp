// Builds the graph of HEAD factors and one TREE factor, and asks the solvers of factor graphs about it.
#include "dependency/second_order.hpp"

#include "factor/bp/propagation.hpp"

#include <algorithm>

namespace kirchhoff::dependency {
namespace {

/// Marginals of trees need not be more accurate than belief propagation.
constexpr Accuracy kTreeAccuracy{.tolerance = 1e-6, .floor = 1e-6};
constexpr int kAd3Iterations = 200;

Literal literal_of(std::size_t candidate) { return Variable{static_cast<int>(candidate)}; }

/// The same factor, which also keeps what it refers to.
std::shared_ptr<const Factor> kept_with(const std::shared_ptr<const void>& owner,
                                        std::shared_ptr<const factor::HeadFactor> factor) {
  auto both = std::make_shared<const std::pair<std::shared_ptr<const void>, std::shared_ptr<const Factor>>>(
      owner, std::move(factor));
  return {both, both->second.get()};
}

}  // namespace

FactorGraph head_and_tree_graph(const ScoredParts& scored, const std::shared_ptr<const void>& owner) {
  const DependencyParts& parts = scored.parts;
  const Candidates& candidates = scored.candidates;
  FactorGraph graph;
  for (std::size_t d = 1; d <= static_cast<std::size_t>(parts.words); ++d) {
    graph.add_multi_valued(
        scored.arc_scores.subspan(candidates.begin[d], candidates.begin[d + 1] - candidates.begin[d]));
  }
  Literals literals;
  for (const HeadParts& head : parts.heads) {
    literals.clear();
    for (const auto* list : {&head.in, &head.out[0], &head.out[1]}) {
      for (const std::uint32_t c : *list) literals.push_back(literal_of(c));
    }
    if (literals.empty()) continue;  // a root without candidates to depend on it
    auto factor = std::make_shared<const factor::HeadFactor>(head.shape(), scored.part_scores);
    graph.add_factor(owner ? kept_with(owner, std::move(factor)) : std::move(factor), literals);
  }
  std::vector<TreeArc> arcs;
  arcs.reserve(candidates.size());
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    arcs.push_back({{candidates.heads[c], parts.dependents[c]}, literal_of(c)});
  }
  graph.add_tree(parts.words, arcs, scored.root, kTreeAccuracy);
  return graph;
}

/// One sweep is all HEAD factors in turn, then the TREE. At a fixed point Bethe's log Z is the sum of the log Z of
/// factors and of (1 - messages) log Z of variables, each Z being the sum over what the messages leave.
PartBeliefs propagate_beliefs(const ScoredParts& scored, const BpEffort& effort) {
  const FactorGraph graph = head_and_tree_graph(scored);
  BpOptions options;
  options.convergence = Convergence::beliefs;
  options.max_iterations = std::max(1, effort.iterations);
  options.tolerance = effort.tolerance;
  factor::Propagation propagation(graph, options);
  const Status status = propagation.run();

  factor::Beliefs& beliefs = propagation.beliefs();
  PartBeliefs result;
  result.iterations = propagation.iterations();
  result.converged = status == Status::converged;
  result.arcs = propagation.marginals();
  result.parts.assign(scored.parts.size(), 0.0);
  const int tree = graph.factors() - 1;
  result.log_partition = beliefs.log_partition_of_variables() + beliefs.log_partition_of(tree);
  for (int f = 0; f < tree; ++f) {
    const auto& head = static_cast<const factor::HeadFactor&>(graph.factor(f));
    result.log_partition += head.add_marginals(beliefs.gather(f), result.parts).log_partition + beliefs.log_divisor();
  }
  const auto weights = beliefs.gather(tree);
  result.tree_weights.assign(weights.begin(), weights.end());
  return result;
}

BestTree find_best_tree(const ScoredParts& scored, const MapEffort& effort) {
  const FactorGraph graph = head_and_tree_graph(scored);
  Ad3Options options;
  options.gap = effort.gap;
  options.max_iterations = kAd3Iterations;
  const MapResult map = effort.solver == MapSolver::ad3 ? solve_ad3(graph, options) : solve_lp(graph);
  BestTree best{Heads(static_cast<std::size_t>(scored.parts.words) + 1, -1), map.value};
  for (std::size_t c = 0; c < map.assignment.size(); ++c) {
    if (map.assignment[c] != 0) best.heads[scored.parts.dependents[c]] = scored.candidates.heads[c];
  }
  return best;
}

}  // namespace kirchhoff::dependency
