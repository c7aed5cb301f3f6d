// Builds the graph of HEAD or PAIR factors and one TREE factor, and runs belief propagation on it.
#include "dependency/second_order.hpp"

#include "factor/bp/free_energy.hpp"
#include "factor/bp/propagation.hpp"

#include <algorithm>
#include <cmath>

namespace kirchhoff::dependency {
namespace {

/// Marginals of trees need not be more accurate than belief propagation.
constexpr Accuracy kTreeAccuracy{.tolerance = 1e-6, .floor = 1e-6};
/// The part of the old message in the new one, for graphs on which belief propagation does not converge without.
constexpr double kDamping = 0.5;

Literal literal_of(std::size_t candidate) { return Variable{static_cast<int>(candidate)}; }

/// The same factor, which also keeps what it refers to.
std::shared_ptr<const Factor> kept_with(const std::shared_ptr<const void>& owner,
                                        std::shared_ptr<const factor::HeadFactor> factor) {
  auto both = std::make_shared<const std::pair<std::shared_ptr<const void>, std::shared_ptr<const Factor>>>(
      owner, std::move(factor));
  return {both, both->second.get()};
}

void add_heads(const ScoredParts& scored, const std::shared_ptr<const void>& owner, FactorGraph& graph) {
  Literals literals;
  for (const HeadParts& head : scored.parts.heads) {
    if (head.empty()) continue;
    literals.clear();
    for (const auto* list : {&head.in, &head.out[0], &head.out[1]}) {
      for (const std::uint32_t c : *list) literals.push_back(literal_of(c));
    }
    auto factor = std::make_shared<const factor::HeadFactor>(head.shape(), scored.part_scores);
    graph.add_factor(owner ? kept_with(owner, std::move(factor)) : std::move(factor), literals);
  }
}

/// The first messages are those of the TREE alone: a PAIR knows nothing of the other heads of its words.
Messages first_messages(const FactorGraph& graph, std::span<const double> arc_scores) {
  Messages messages(static_cast<std::size_t>(graph.edges()), 0.0);
  const int tree = graph.factors() - 1;
  graph.factor(tree).sum_product(arc_scores, std::span(messages).subspan(graph.first_edge(tree)));
  return messages;
}

/// Adds the probabilities of parts, given the beliefs. Returns the sum of the log Z of HEAD factors.
double add_parts(const ScoredParts& scored, const FactorGraph& graph, factor::Beliefs& beliefs, PartBeliefs& result) {
  double log_partition = 0.0;
  int f = 0;
  for (std::size_t h = 0; scored.parts.has_heads && h < scored.parts.heads.size(); ++h) {
    const HeadParts& head = scored.parts.heads[h];
    if (head.empty()) continue;
    const auto& factor = static_cast<const factor::HeadFactor&>(graph.factor(f));
    log_partition += factor.add_marginals(beliefs.gather(f++), result.parts).log_partition + beliefs.log_divisor();
  }
  for (std::size_t i = 0; i < scored.parts.pairs.size(); ++i) {
    const std::size_t part = scored.parts.first_pair() + i;
    const double score = scored.part_scores[part];
    if (score == 0.0) {
      result.parts[part] = result.arcs[scored.parts.pairs[i][0]] * result.arcs[scored.parts.pairs[i][1]];
      continue;
    }
    const Factor::Sum sum = graph.factor(f).sum_product(beliefs.gather(f), beliefs.outgoing(f));
    result.parts[part] = std::clamp(sum.expected_score / score, 0.0, 1.0);
    ++f;
  }
  return log_partition;
}

/// Bethe's log Z of a graph with PAIRs, some of whose arcs may be certain: their log-ratios are infinite.
double log_partition_with_pairs(const FactorGraph& graph, factor::Propagation& propagation) {
  BpResult result;
  result.marginals = propagation.marginals();
  result.value = -HUGE_VAL;  // no assignment has been looked for
  factor::add_free_energy(graph, propagation, {}, result);
  return result.log_partition;
}

}  // namespace

FactorGraph part_graph(const ScoredParts& scored, const std::shared_ptr<const void>& owner) {
  const DependencyParts& parts = scored.parts;
  const Candidates& candidates = scored.candidates;
  FactorGraph graph;
  for (std::size_t d = 1; parts.has_heads && d <= static_cast<std::size_t>(parts.words); ++d) {
    graph.add_multi_valued(
        scored.arc_scores.subspan(candidates.begin[d], candidates.begin[d + 1] - candidates.begin[d]));
  }
  if (parts.has_heads) {
    add_heads(scored, owner, graph);
  } else {
    for (const double score : scored.arc_scores) graph.add_variable(score);
  }
  for (std::size_t i = 0; i < parts.pairs.size(); ++i) {
    const double score = scored.part_scores[parts.first_pair() + i];
    if (score != 0.0) graph.add_pair(literal_of(parts.pairs[i][0]), literal_of(parts.pairs[i][1]), score);
  }
  std::vector<TreeArc> arcs;
  arcs.reserve(candidates.size());
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    arcs.push_back({{candidates.heads[c], parts.dependents[c]}, literal_of(c)});
  }
  graph.add_tree(parts.words, arcs, scored.root, kTreeAccuracy);
  return graph;
}

/// One sweep is all HEAD and PAIR factors in turn, then the TREE. Where no arc is certain, Bethe's log Z at a fixed
/// point is the sum of the log Z of factors and of (1 - messages) log Z of variables, each Z being the sum over what
/// the messages leave.
PartBeliefs propagate_beliefs(const ScoredParts& scored, const BpEffort& effort) {
  const FactorGraph graph = part_graph(scored);
  BpOptions options;
  options.convergence = Convergence::beliefs;
  options.max_iterations = std::max(1, effort.iterations);
  options.tolerance = effort.tolerance;
  if (!scored.parts.has_heads) options.start = first_messages(graph, scored.arc_scores);
  PartBeliefs result;
  std::optional<factor::Propagation> propagation(std::in_place, graph, options);
  Status status = propagation->run();
  if (status != Status::converged && effort.damped_iterations > 0) {
    result.iterations = propagation->iterations();
    options.start = propagation->beliefs().messages();
    options.damping = kDamping;
    options.max_iterations = effort.damped_iterations;
    status = propagation.emplace(graph, options).run();
  }
  factor::Beliefs& beliefs = propagation->beliefs();
  result.iterations += propagation->iterations();
  result.residual = propagation->residual();
  result.converged = status == Status::converged;
  result.arcs = propagation->marginals();
  result.parts.assign(scored.parts.size(), 0.0);
  const int tree = graph.factors() - 1;
  const double of_heads = add_parts(scored, graph, beliefs, result);
  if (scored.parts.pairs.empty()) {
    result.log_partition = beliefs.log_partition_of_variables() + beliefs.log_partition_of(tree) + of_heads;
  } else {
    result.log_partition = log_partition_with_pairs(graph, *propagation);
  }
  const auto weights = beliefs.gather(tree);
  result.tree_weights.assign(weights.begin(), weights.end());
  return result;
}

}  // namespace kirchhoff::dependency
