// LP-SparseMAP by alternating directions [Niculae20]: maximise s.p - |p|^2 / 2 + sum of s_C(u_C), where u_C is in the
// hull of factor C and equal to p on its inputs. With multipliers q_e for the edges e = (C, i) and a penalty rho:
//   u_C <- argmin |u - t|^2 / 2 - s_C(u) / rho,   t_e = p_i + q_e / rho      (Factor::project, ActiveSet)
//   p_i <- (s_i + sum over e at i of rho u_e - q_e) / (1 + rho degree_i)
//   q_e <- q_e - rho (u_e - p_i)
// Then s_i - p_i is the sum of the q_e at i, and Sum of max over y of (q_C.y + s_C(y)) + |p|^2 / 2 bounds the optimum.
// The paper gives every factor its part of the quadratic term; with the whole of it at p the factors' problems are
// those of AD3, which are solved already. u is over-relaxed: 1.6 u - 0.6 p instead of u in the second and third line.
#include "factor/sparsemap/consensus.hpp"

#include <algorithm>

namespace kirchhoff::factor {
namespace {

constexpr double kRelaxation = 1.6;
constexpr double kConsensusUnbalanced = 3.0;  // ratio of the residuals at which the penalty changes
constexpr double kConsensusRange = 1e6;       // around 1
constexpr double kConsensusPenalty = 0.4;     // relative to the mean size of the scores

/// A factor, some inputs of which are fixed.
class Restricted final : public Factor {
 public:
  Restricted(const Factor& factor, std::vector<double> fixed)
      : Factor(factor.arity()), factor_(factor), fixed_(std::move(fixed)) {}
  double score(Configuration y) const override { return factor_.score(y); }
  double best(std::span<const double> q, std::span<std::uint8_t> y) const override {
    thread_local std::vector<double> all;
    all.assign(q.begin(), q.end());
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (fixed_[i] != 0.0) all[i] = fixed_[i];
    }
    return factor_.best(all, y);
  }

 private:
  const Factor& factor_;
  std::vector<double> fixed_;  ///< +inf and -inf where an input is fixed, else 0
};

}  // namespace

Consensus::Consensus(const FactorGraph& graph, std::span<const double> scores)
    : graph_(graph),
      scores_(scores),
      incidence_(graph),
      p_(static_cast<std::size_t>(graph.variables())),
      sums_(p_.size()),
      u_(static_cast<std::size_t>(graph.edges())),
      q_(u_.size()) {
  double size = 0.0;
  for (int i = 0; i < graph.variables(); ++i) {
    p_[i] = std::clamp(scores[i], 0.0, 1.0);
    if (!is_fixed(i)) size += std::abs(scores[i]);
  }
  penalty_ = std::clamp(kConsensusPenalty * size / std::max(1, graph.variables()), 0.5, kConsensusRange);
  locals_.reserve(static_cast<std::size_t>(graph.factors()));
  for (int f = 0; f < graph.factors(); ++f) add(f);
}

void Consensus::add(int f) {
  const Factor& factor = graph_.factor(f);
  const auto n = static_cast<std::size_t>(factor.arity());
  if (local_.size() < n) {
    local_.resize(n);
    own_.resize(n);
    y_.resize(n);
  }
  std::vector<double> fixed(n, 0.0);
  bool any = false;
  for (std::size_t k = 0; k < n; ++k) {
    const int e = graph_.first_edge(f) + static_cast<int>(k);
    const Literal literal = graph_.edge(e);
    if (is_fixed(literal.variable)) {
      fixed[k] = oriented(literal, -HUGE_VAL);
      any = true;
    } else {
      q_[e] = (scores_[literal.variable] - p_[literal.variable]) / incidence_.degree(literal.variable);
    }
  }
  Local& local = locals_.emplace_back();
  local.factor = &factor;
  if (any) {
    local.restricted = std::make_unique<Restricted>(factor, std::move(fixed));
    local.factor = local.restricted.get();
  }
  possible_ = possible_ && best(f) != -HUGE_VAL;
}

/// What the factor projects, in the orientation of its inputs.
std::span<double> Consensus::target(int f) {
  const int begin = graph_.first_edge(f), end = graph_.first_edge(f + 1);
  for (int e = begin; e < end; ++e) {
    const Literal literal = graph_.edge(e);
    const double t = p_[literal.variable] + q_[e] / penalty_;
    local_[e - begin] = literal.negated ? 1.0 - t : t;
  }
  return {local_.data(), static_cast<std::size_t>(end - begin)};
}

/// max over y of q.y + score, with q in the orientation of the inputs, which stays in local_.
double Consensus::best(int f) {
  const int begin = graph_.first_edge(f), end = graph_.first_edge(f + 1);
  for (int e = begin; e < end; ++e) local_[e - begin] = oriented(graph_.edge(e), q_[e]);
  const auto n = static_cast<std::size_t>(end - begin);
  return locals_[f].factor->best({local_.data(), n}, {y_.data(), n});
}

void Consensus::iterate() {
  std::fill(sums_.begin(), sums_.end(), 0.0);
  for (int f = 0; f < graph_.factors(); ++f) {
    Local& local = locals_[f];
    const std::span<double> t = target(f);
    const std::span<double> u(u_.data() + graph_.first_edge(f), t.size());
    const auto closed = local.factor->project(t, 1.0 / penalty_, u);
    local.score = closed ? *closed : local.active.project(*local.factor, t, 1.0 / penalty_, u);
    for (int e = graph_.first_edge(f); e < graph_.first_edge(f + 1); ++e) {
      const Literal literal = graph_.edge(e);
      if (literal.negated) u_[e] = 1.0 - u_[e];
      const double relaxed = kRelaxation * u_[e] + (1.0 - kRelaxation) * p_[literal.variable];
      sums_[literal.variable] += penalty_ * relaxed - q_[e];
    }
  }
  moves_ = 0.0;
  for (int i = 0; i < graph_.variables(); ++i) {
    const int degree = incidence_.degree(i);
    const double before = p_[i];
    if (!is_fixed(i) && degree > 0) p_[i] = (scores_[i] + sums_[i]) / (1.0 + penalty_ * degree);
    moves_ += degree * (p_[i] - before) * (p_[i] - before);
    sums_[i] = before;
  }
  double largest = 1.0, moved = 0.0;
  squares_ = residual_ = 0.0;
  for (std::size_t e = 0; e < u_.size(); ++e) {
    const int i = graph_.edge(static_cast<int>(e)).variable;
    if (is_fixed(i)) continue;
    const double apart = u_[e] - p_[i];
    q_[e] -= penalty_ * (kRelaxation * u_[e] + (1.0 - kRelaxation) * sums_[i] - p_[i]);
    squares_ += apart * apart;
    residual_ = std::max(residual_, std::abs(apart));
    largest = std::max(largest, std::abs(q_[e]));
    moved = std::max(moved, penalty_ * std::abs(p_[i] - sums_[i]));
  }
  dual_residual_ = moved / largest;
}

/// Both residuals shall fall alike, each relative to what it is a part of: a disagreement to 1, a change of the
/// multipliers to their size.
void Consensus::adapt_penalty() {
  double size = 0.0;
  for (const double q : q_) size += q * q;
  size = std::sqrt(size / std::max<double>(1.0, static_cast<double>(q_.size())));
  const double ratio = std::sqrt(squares_) * std::max(1.0, size) / std::max(1e-300, penalty_ * std::sqrt(moves_));
  if (ratio < kConsensusUnbalanced && ratio > 1.0 / kConsensusUnbalanced) return;
  penalty_ = std::clamp(penalty_ * std::clamp(std::sqrt(ratio), 0.2, 5.0), 1.0 / kConsensusRange, kConsensusRange);
}

double Consensus::gap() {
  double sum = 0.0;
  for (int f = 0; f < graph_.factors(); ++f) {
    sum += best(f) - locals_[f].score;
    const int begin = graph_.first_edge(f);
    for (int e = begin; e < graph_.first_edge(f + 1); ++e) {
      const Literal literal = graph_.edge(e);
      if (is_fixed(literal.variable)) continue;
      const double p = p_[literal.variable];
      sum -= local_[e - begin] * (literal.negated ? 1.0 - p : p);
    }
  }
  return std::max(0.0, sum);
}

/// The optimum is at least that of any point of the unit box with the factors' lowest scores.
bool Consensus::is_empty() {
  double bound = 0.0, least = 0.0, size = 1.0;
  for (int f = 0; f < graph_.factors(); ++f) {
    const double value = best(f), lowest = graph_.factor(f).least_score();
    bound += value;
    least += lowest;
    size += std::abs(value);
    for (int e = graph_.first_edge(f); e < graph_.first_edge(f + 1); ++e) {
      if (graph_.edge(e).negated && !is_fixed(graph_.edge(e).variable)) bound += q_[e];
      size += std::abs(q_[e]);
    }
  }
  for (int i = 0; i < graph_.variables(); ++i) {
    if (is_fixed(i) || incidence_.degree(i) == 0) continue;
    bound += 0.5 * p_[i] * p_[i];
    least += std::min(0.0, scores_[i] - 0.5);
  }
  return bound < least - 1e-9 * size;
}

FactorPosterior Consensus::mixture(int f) {
  Local& local = locals_[f];
  const std::span<double> t = target(f);
  FactorPosterior result;
  result.inputs.resize(t.size());
  result.score = local.active.project(*local.factor, t, 1.0 / penalty_, result.inputs);
  add_members(local.active, result);
  return result;
}

}  // namespace kirchhoff::factor
