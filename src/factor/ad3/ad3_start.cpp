// AD3, what it starts from: the graph as pairs and other factors, where the scores count first, and the first point.
// Linear in the edges.
#include "factor/ad3/ad3.hpp"
#include "factor/factors/factors.hpp"

#include <algorithm>
#include <utility>

namespace kirchhoff::factor {
namespace {

constexpr double kStartPenalty = 0.4;  // relative to the mean size of the scores
constexpr double kStartWithoutPairs = 0.3;
constexpr double kStartOfClauses = 0.8;  // relative to the mean size of the parts of the scores at an edge

}  // namespace

Ad3::Ad3(const FactorGraph& graph, const Ad3Options& options)
    : graph_(graph),
      options_(options),
      incidence_(graph),
      propagator_(graph, incidence_),
      rounder_(graph),
      pairs_(graph.variables()),
      theta_(static_cast<std::size_t>(graph.variables()) + 1, 0.0),
      p_(theta_.size(), 0.0),
      sums_(theta_.size(), 0.0),
      inverse_(theta_.size(), 0.0),
      uses_(theta_.size(), 0),
      moved_(theta_.size(), 0),
      listed_(theta_.size(), 0),
      home_(theta_.size(), -1) {
  for (int i = 0; i < graph.variables(); ++i) {
    if (graph.scores()[i] != -HUGE_VAL) theta_[i] = graph.scores()[i];
    least_value_ += std::min(0.0, theta_[i]);
  }
  for (int f = 0; f < graph.factors(); ++f) {
    const int e = graph.first_edge(f);
    least_value_ += graph.factor(f).least_score();
    if (const auto* pair = dynamic_cast<const PairFactor*>(&graph.factor(f))) {
      add_pair(pair->pair_score(), graph.edge(e), graph.edge(e + 1));
      pair_factors_.push_back(f);
    } else if (!is_said_by_another(f)) {
      add_other(f);
    }
  }
  pairs_.finish();
  bound_pairs_.resize(2 * pair_factors_.size());
  for (std::vector<double>* values : {&u_, &q_, &u_sum_, &q_sum_, &mean_}) values->resize(literal_.size(), 0.0);
  choose_homes();
  list_edges();
  if (!options.start.empty()) start_from_duals();
  double size = 0.0;
  for (int i = 0; i < graph.variables(); ++i) size += std::abs(theta_[i]);
  if (all_clauses_) {
    size = kStartOfClauses * size / static_cast<double>(literal_.size() + 1);
  } else {
    size = (pairs_.size() > 0 ? kStartPenalty : kStartWithoutPairs) * size / std::max(1, graph.variables());
  }
  penalty_ = start_penalty_ = size > 0.0 ? size : 1.0;
}

/// s (1 - y_a) y_b = s y_b - s y_a y_b, and so on: no pair is negated here.
void Ad3::add_pair(double score, Literal a, Literal b) {
  if (a.negated && b.negated) {
    constant_ += score;
    theta_[a.variable] -= score;
    theta_[b.variable] -= score;
  } else if (a.negated || b.negated) {
    theta_[a.negated ? b.variable : a.variable] += score;
    score = -score;
  }
  pairs_.add(a.variable, b.variable, score);
  ++uses_[a.variable];
  ++uses_[b.variable];
  all_clauses_ = false;
}

/// True for an XOR over all the values of a variable that another factor holds as a whole.
bool Ad3::is_said_by_another(int f) const {
  const auto is_xor = [&](int g) {
    return dynamic_cast<const OneFactor*>(&graph_.factor(g)) != nullptr && graph_.factor(g).one_hot().size() == 1;
  };
  const int first = graph_.first_edge(f);
  if (!is_xor(f) || !incidence_.is_whole(first)) return false;
  const auto edges = incidence_.edges_of(graph_.edge(first).variable);
  return std::any_of(edges.begin(), edges.end(),
                     [&](int e) { return incidence_.is_whole(e) && !is_xor(incidence_.factor_of(e)); });
}

/// What add_pair() has moved from the pair to the scores of its variables.
std::pair<double, double> Ad3::taken_from_pair(int f) const {
  const double score = static_cast<const PairFactor&>(graph_.factor(f)).pair_score();
  const bool a = graph_.edge(graph_.first_edge(f)).negated, b = graph_.edge(graph_.first_edge(f) + 1).negated;
  return {a && b ? -score : b ? score : 0.0, a && b ? -score : a ? score : 0.0};
}

/// Parts of scores as duals() gives them; run() makes them sum to the scores of this graph.
void Ad3::start_from_duals() {
  for (std::size_t k = 0; k < pair_factors_.size(); ++k) {
    const auto [a, b] = taken_from_pair(pair_factors_[k]);
    const int e = graph_.first_edge(pair_factors_[k]);
    bound_pairs_[2 * k] = options_.start[e] + a;
    bound_pairs_[2 * k + 1] = options_.start[e + 1] + b;
  }
  pairs_.set_local(bound_pairs_);
  for (const Other& other : others_) {
    const int first = graph_.first_edge(other.factor);
    for (int e = other.begin; e < other.end; ++e) q_[e] = options_.start[first + e - other.begin];
  }
}

void Ad3::add_other(int f) {
  Other other;
  other.factor = f;
  if (auto table = TableSet::of(graph_.factor(f))) other.table = std::make_unique<TableSet>(std::move(*table));
  const bool is_clause = dynamic_cast<const OrFactor*>(&graph_.factor(f)) != nullptr;
  all_clauses_ = all_clauses_ && is_clause;
  is_clause_.push_back(is_clause && graph_.factor(f).arity() == 3 ? 1 : 0);
  all_hard_ = all_hard_ && dynamic_cast<const HardFactor*>(&graph_.factor(f)) != nullptr;
  other.begin = static_cast<int>(literal_.size());
  const int arity = graph_.factor(f).arity();
  for (int e = graph_.first_edge(f); e < graph_.first_edge(f + 1); ++e) {
    literal_.push_back(graph_.edge(e));
    places_.push_back(2 * std::int64_t{graph_.edge(e).variable} + (graph_.edge(e).negated ? 1 : 0));
    ++uses_[graph_.edge(e).variable];
  }
  other.end = static_cast<int>(literal_.size());
  if (local_.size() < static_cast<std::size_t>(arity)) {
    local_.resize(arity);
    y_.resize(arity);
  }
  others_.push_back(std::move(other));
}

/// The weights of the other factors: one voice among so many pairs would take long to be heard.
void Ad3::weigh() {
  std::fill(inverse_.begin(), inverse_.end(), 0.0);
  pairs_.add_voices(inverse_);
  for (const Literal literal : literal_) inverse_[literal.variable] += 1.0;
  for (std::size_t f = 0; f < others_.size(); ++f) {
    const Other& other = others_[f];
    double voices = 0.0;
    for (int e = other.begin; e < other.end; ++e) voices += inverse_[literal_[e].variable];
    weights_[f] = std::sqrt(voices / (other.end - other.begin));
  }
  for (std::size_t f = 0; f < others_.size(); ++f) {
    for (int e = others_[f].begin; e < others_[f].end; ++e) inverse_[literal_[e].variable] += weights_[f] - 1.0;
  }
  for (std::size_t k = 0; k < other_at_.size(); ++k) weight_at_[k] = weights_[other_at_[k]];
  wake_all();
  const double before = std::exchange(total_weight_, 0.0);
  for (int i = 0; i < graph_.variables(); ++i) {
    total_weight_ += inverse_[i];
    if (inverse_[i] > 0.0) inverse_[i] = 1.0 / inverse_[i];
  }
  // p moves more easily with fewer voices; with none, nothing moves.
  if (before > 0.0 && total_weight_ > 0.0) penalty_ *= std::sqrt(before / total_weight_);
}

void Ad3::list_edges() {
  rests_.assign(others_.size(), 0);
  weights_.assign(others_.size(), 1.0);
  counted_.assign(others_.size(), 0.0);
  first_at_.assign(theta_.size() + 1, 0);
  for (const Literal literal : literal_) ++first_at_[literal.variable + 1];
  for (std::size_t i = 0; i + 1 < first_at_.size(); ++i) first_at_[i + 1] += first_at_[i];
  edge_at_.resize(literal_.size());
  other_at_.resize(literal_.size());
  weight_at_.resize(literal_.size());
  std::vector<int> next(first_at_.begin(), first_at_.end() - 1);
  for (std::size_t f = 0; f < others_.size(); ++f) {
    for (int e = others_[f].begin; e < others_[f].end; ++e) {
      const int k = next[literal_[e].variable]++;
      edge_at_[k] = e;
      other_at_[k] = static_cast<int>(f);
    }
  }
}

/// All of theta starts there: the largest factor can do most with it. Among clauses there is none that can do much, and
/// theta is spread over them evenly, by balance().
void Ad3::choose_homes() {
  std::vector<int> largest(home_.size(), 0);
  for (const Other& other : others_) {
    for (int e = other.begin; e < other.end; ++e) {
      const int i = literal_[e].variable;
      disjoint_ = disjoint_ && largest[i] == 0;
      if (other.end - other.begin <= largest[i]) continue;
      largest[i] = other.end - other.begin;
      home_[i] = e;
    }
  }
  for (int i = 0; i < graph_.variables(); ++i) {
    if (home_[i] >= 0 && !all_clauses_) q_[home_[i]] = theta_[i];
  }
}

/// Starts the point at each factor's best configuration under the scores it was given. False when one has none.
bool Ad3::start_from_best() {
  for (int i = 0; i < graph_.variables(); ++i) {
    if (graph_.scores()[i] == -HUGE_VAL) fixed_[i] = 0;
    p_[i] = theta_[i] > 0.0 ? 1.0 : 0.0;
  }
  for (const Other& other : others_) {
    const auto n = static_cast<std::size_t>(other.end - other.begin);
    for (std::size_t k = 0; k < n; ++k) {
      const Literal literal = literal_[other.begin + k];
      local_[k] = oriented(literal, fixed_[literal.variable] == 0 ? -HUGE_VAL : q_[other.begin + k]);
    }
    if (graph_.factor(other.factor).best({local_.data(), n}, {y_.data(), n}) == -HUGE_VAL) return false;
    for (std::size_t k = 0; k < n; ++k) {
      const Literal literal = literal_[other.begin + k];
      if (fixed_[literal.variable] < 0) p_[literal.variable] = (y_[k] != 0) != literal.negated ? 1.0 : 0.0;
    }
  }
  if (!options_.start_point.empty()) std::copy(options_.start_point.begin(), options_.start_point.end(), p_.begin());
  return true;
}

/// Makes q at each free variable sum to theta: it may have been fixed in the run before.
void Ad3::balance() {
  std::fill(sums_.begin(), sums_.end(), 0.0);
  pairs_.add_local(sums_);
  for (std::size_t e = 0; e < q_.size(); ++e) sums_[literal_[e].variable] += q_[e];
  for (int i = 0; i < graph_.variables(); ++i) {
    sums_[i] = fixed_[i] >= 0 ? 0.0 : (theta_[i] - sums_[i]) / std::max(1, uses_[i]);
  }
  pairs_.shift_local(sums_);
  for (std::size_t e = 0; e < q_.size(); ++e) q_[e] += sums_[literal_[e].variable];
}

}  // namespace kirchhoff::factor
