#include "parser/inference/second_order.hpp"

#include "kirchhoff/solve.hpp"
#include "parser/inference/head_factor.hpp"

#include <algorithm>
#include <cmath>

namespace kirchhoff::parser {
namespace {

/// Variable i is candidate i.

FactorGraph make_graph(const SecondParts& parts, const Candidates& candidates, Root root,
                       std::span<const double> arc_scores, std::span<const double> part_scores) {
  FactorGraph graph;
  std::vector<TreeArc> arcs;
  arcs.reserve(arc_scores.size());
  for (std::size_t c = 0; c < arc_scores.size(); ++c) {
    const Variable v = graph.add_variable(arc_scores[c]);
    arcs.push_back({{candidates.heads[c], parts.dependents[c]}, v});
  }
  const auto literal = [](std::uint32_t c) { return Literal(Variable{static_cast<int>(c)}); };
  Literals literals;
  for (const HeadParts& head : parts.heads) {
    literals.clear();
    for (const auto* list : {&head.in, &head.out[0], &head.out[1]}) {
      for (const std::uint32_t c : *list) literals.push_back(literal(c));
    }
    if (literals.empty()) continue;
    graph.add_factor(std::make_shared<const HeadFactor>(head, part_scores), literals);
  }
  graph.add_tree(parts.words, arcs, root);
  return graph;
}

/// Messages are log-weights of the values: m_tree, m_in (from the HEAD of the word itself), m_out (from the HEAD of the
/// candidate; that of one value only, the others' being 0). One sweep is all HEAD factors in turn, then the TREE.
class Propagation {
 public:
  Propagation(const SecondParts& parts, const Candidates& candidates, Root root, std::span<const double> arc_scores,
              std::span<const double> part_scores)
      : parts_(parts),
        candidates_(candidates),
        root_(root),
        scores_(arc_scores),
        m_tree_(arc_scores.size(), 0.0),
        m_in_(m_tree_),
        m_out_(m_tree_),
        beliefs_(m_tree_),
        tree_scores_(Matrix::Constant(parts.words + 1, parts.words + 1, -HUGE_VAL)) {
    heads_.reserve(parts.heads.size());
    for (const HeadParts& head : parts.heads) heads_.push_back(std::make_unique<HeadFactor>(head, part_scores));
  }

  /// The largest change of a belief.
  double sweep() {
    const std::vector<double> before = beliefs_;
    for (std::size_t h = 0; h < heads_.size(); ++h) update_head(h);
    update_tree();
    double change = 0.0;
    for (std::size_t d = 1; d <= words(); ++d) normalise(d);
    for (std::size_t c = 0; c < before.size(); ++c) change = std::max(change, std::abs(beliefs_[c] - before[c]));
    return change;
  }

  /// After a sweep: beliefs, and log Z = log Z_TREE + sum over words of log Z_HEAD + (1 - factors) log Z_word, each Z
  /// the sum over what the messages leave, which at a fixed point is Bethe's.
  SecondBeliefs finish() {
    SecondBeliefs b;
    b.parts.assign(parts_.size(), 0.0);
    b.log_partition = log_z_tree_;
    for (std::size_t d = 1; d <= words(); ++d) {
      const std::uint32_t factors = 2 + candidates_.begin[d + 1] - candidates_.begin[d];  // TREE, its HEAD, its heads'
      b.log_partition += (1.0 - factors) * normalise(d);
    }
    for (std::size_t h = 0; h < heads_.size(); ++h) {
      b.log_partition += gather(h);
      b.log_partition += heads_[h]->add_marginals(q_, b.parts).log_partition;
    }
    b.arcs = beliefs_;
    for (std::size_t c = 0; c < scores_.size(); ++c) b.weights.push_back(scores_[c] + m_in_[c] + m_out_[c]);
    return b;
  }

 private:
  std::size_t words() const { return static_cast<std::size_t>(parts_.words); }
  double total(std::size_t c) const { return scores_[c] + m_tree_[c] + m_in_[c] + m_out_[c]; }

  /// Beliefs of the candidates of word d; returns the log of the sum of their weights.
  double normalise(std::size_t d) {
    const std::size_t begin = candidates_.begin[d], end = candidates_.begin[d + 1];
    double most = -HUGE_VAL, sum = 0.0;
    for (std::size_t c = begin; c < end; ++c) most = std::max(most, total(c));
    for (std::size_t c = begin; c < end; ++c) sum += beliefs_[c] = std::exp(total(c) - most);
    for (std::size_t c = begin; c < end; ++c) beliefs_[c] /= sum;
    return most + std::log(sum);
  }

  /// Log of the weights of the other candidates of c's word; -inf if there are none.
  double others(std::size_t c) const {
    const std::size_t d = parts_.dependents[c];
    double most = -HUGE_VAL, sum = 0.0;
    for (std::size_t o = candidates_.begin[d]; o < candidates_.begin[d + 1]; ++o) {
      if (o != c) most = std::max(most, total(o));
    }
    for (std::size_t o = candidates_.begin[d]; o < candidates_.begin[d + 1]; ++o) {
      if (o != c) sum += std::exp(total(o) - most);
    }
    return most + std::log(sum);
  }

  /// The messages to HEAD h into q_; returns the log of what was divided out of them.
  double gather(std::size_t h) {
    const HeadParts& head = parts_.heads[h];
    q_.clear();
    double most = -HUGE_VAL, divided = 0.0;
    for (const std::uint32_t c : head.in) {
      q_.push_back(total(c) - m_in_[c]);
      most = std::max(most, q_.back());
    }
    for (double& q : q_) q -= most;
    if (!head.in.empty()) divided = most;
    for (const auto& out : head.out) {
      for (const std::uint32_t c : out) {
        const double own = total(c) - m_out_[c], rest = others(c);
        q_.push_back(rest == -HUGE_VAL ? HUGE_VAL : own - rest);
        divided += rest == -HUGE_VAL ? own : rest;
      }
    }
    fresh_.resize(q_.size());
    return divided;
  }

  /// What underflowed is as good as impossible, but infinite messages could not be taken out of sums again.
  static double bounded(double message) { return std::clamp(message, -600.0, 600.0); }

  void update_head(std::size_t h) {
    const HeadParts& head = parts_.heads[h];
    gather(h);
    heads_[h]->sum_product_of_values(q_, fresh_);
    std::size_t i = 0;
    for (const std::uint32_t c : head.in) m_in_[c] = bounded(fresh_[i++]);
    for (const auto& out : head.out) {
      for (const std::uint32_t c : out) m_out_[c] = bounded(fresh_[i++]);
    }
  }

  void update_tree() {
    for (std::size_t c = 0; c < scores_.size(); ++c) {
      tree_scores_(candidates_.heads[c], parts_.dependents[c]) = total(c) - m_tree_[c];
    }
    const TreeDistribution p(tree_scores_, root_, {.tolerance = 1e-6, .floor = 1e-6});
    const auto marginals = p.marginals();
    log_z_tree_ = p.log_partition();
    for (std::size_t c = 0; c < scores_.size(); ++c) {
      const double mu = marginals(candidates_.heads[c], parts_.dependents[c]);
      m_tree_[c] = std::log(std::max(mu, kLeastMarginal)) - (total(c) - m_tree_[c]);
    }
  }

  static constexpr double kLeastMarginal = 1e-30;  // what is less likely is no candidate
  const SecondParts& parts_;
  const Candidates& candidates_;
  Root root_;
  std::span<const double> scores_;
  std::vector<double> m_tree_, m_in_, m_out_, beliefs_, q_, fresh_;
  std::vector<std::unique_ptr<HeadFactor>> heads_;
  Matrix tree_scores_;
  double log_z_tree_ = 0.0;
};

}  // namespace

SecondBeliefs second_order_beliefs(const SecondParts& parts, const Candidates& candidates, Root root,
                                   std::span<const double> arc_scores, std::span<const double> part_scores,
                                   const BpEffort& effort) {
  Propagation propagation(parts, candidates, root, arc_scores, part_scores);
  double change = propagation.sweep();
  int iterations = 1;
  for (; iterations < effort.iterations && change > effort.tolerance; ++iterations) change = propagation.sweep();
  SecondBeliefs result = propagation.finish();
  result.iterations = iterations;
  result.converged = change <= effort.tolerance;
  return result;
}

BestTree second_order_best(const SecondParts& parts, const Candidates& candidates, Root root,
                           std::span<const double> arc_scores, std::span<const double> part_scores,
                           const MapEffort& effort) {
  const FactorGraph graph = make_graph(parts, candidates, root, arc_scores, part_scores);
  Ad3Options options;
  options.gap = effort.gap;
  options.max_iterations = 200;
  const MapResult map = effort.solver == MapSolver::ad3 ? solve_ad3(graph, options) : solve_lp(graph);
  BestTree best{Heads(static_cast<std::size_t>(parts.words) + 1, -1), map.value};
  for (std::size_t c = 0; c < map.assignment.size(); ++c) {
    if (map.assignment[c] != 0) best.heads[parts.dependents[c]] = candidates.heads[c];
  }
  return best;
}

}  // namespace kirchhoff::parser
