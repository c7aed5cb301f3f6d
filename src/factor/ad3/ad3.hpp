// Alternating directions dual decomposition: the state of one run, which branch and bound continues from.
#pragma once

#include "factor/ad3/active_set.hpp"
#include "factor/ad3/table_set.hpp"
#include "factor/graph/clock.hpp"
#include "factor/graph/propagate.hpp"
#include "factor/graph/round.hpp"
#include "factor/kernels/clauses.hpp"
#include "factor/kernels/pair_factors.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace kirchhoff::factor {

class Ad3 {
 public:
  Ad3(const FactorGraph& graph, const Ad3Options& options);

  /// Solves the relaxation in which variables are fixed, from where the last call left off. Stops
  /// early when its bound shows that no assignment is better than best().
  Status run(const Fixed& fixed, Clock& clock);

  // What the last run found:
  double bound() const { return bound_; }
  /// The point of the relaxation, for all variables.
  std::span<const double> point() const { return {p_.data(), p_.size() - 1}; }
  /// What was asked for, and what follows from it.
  const Fixed& fixed() const { return fixed_; }
  double residual() const { return residual_; }
  /// What gave the bound of the first run: for each edge of the graph, the part of the variable's score.
  Messages duals() const;
  // What all runs together found:
  int iterations() const { return iterations_; }
  const Assignment& best() const { return best_; }
  double value() const { return value_; }
  /// True when the gap is closed, so that nothing below the bound is worth looking for.
  bool is_closed(double bound) const;

 private:
  /// Any factor but a PAIR. Its edges are begin ... end - 1 in the arrays by edge.
  struct Other {
    int factor = 0;
    int begin = 0;
    int end = 0;
    bool is_exact = false;                   ///< its last projection is
    double score = 0.0;                      ///< the score of its mixture
    double scores = 0.0;                     ///< the sum of scores since start_mean()
    std::unique_ptr<ActiveSet> active = {};  ///< where its projection is not in closed form
    std::unique_ptr<TableSet> table = {};    ///< in the place of `active`
  };
  /// A bound, and what rounding may have taken from it, which has been added.
  struct Bound {
    double value;
    double rounding;
  };
  void add_pair(double score, Literal a, Literal b);
  void add_other(int f);
  bool is_said_by_another(int f) const;
  void choose_homes();
  void list_edges();
  void weigh();
  bool start_from_best();
  void start_from_duals();
  std::pair<double, double> taken_from_pair(int f) const;
  void balance();
  void iterate();
  std::size_t clauses_from(std::size_t k) const;
  ClauseArrays clauses(int f, std::size_t size);
  void project(int f);
  ClauseStep update_local(int f);
  ClauseStep update_local_of_clauses(int f, std::size_t size);
  double update_point();
  double sum_at(int variable) const;
  void count_in_mean(int f, double updates);
  void count_all_in_mean();
  void wake_all();
  void adapt_penalty();
  void update_sleeping_pairs(bool may_sleep);
  void lower_bound();
  void lower_bound_by_mean();
  void keep_bound(const Bound& bound);
  double allowed_gap(double bound) const;
  double fixed_surplus();
  double rounding(double bound);
  bool has_converged();
  void start_mean();
  void try_point(bool mean);
  void round();

  const FactorGraph& graph_;
  const Ad3Options& options_;
  Incidence incidence_;
  Propagator propagator_;
  Rounder rounder_;
  PairFactors pairs_;
  std::vector<Other> others_;
  std::vector<double> weights_;  ///< of others_, their penalties as multiples of that of pairs
  std::vector<double> counted_;  ///< of others_, how many updates are in the sums for their means
  std::vector<char> is_clause_;  ///< of others_, 1 for an OR of three inputs
  std::vector<char> rests_;  ///< of others_, 1 for those that agree with p and have nothing to say as long as p stays
  std::vector<int> awake_;   ///< the others
  // These have an entry for each variable, and a last entry for none.
  std::vector<double>
      theta_;              ///< score, and what negated pairs add to it; 0 for variables that are fixed by their score
  std::vector<double> p_;  ///< the consensus
  std::vector<double> sums_;     ///< scratch
  std::vector<double> inverse_;  ///< 1 / sum of the weights of its edges that are awake; 0 without edges
  std::vector<int> uses_;        ///< the number of its edges in pairs_ and others_
  std::vector<char> moved_;      ///< p has changed in the last iteration
  std::vector<int> active_;      ///< scratch: the variables that may move
  std::vector<char> listed_;     ///< scratch
  // The edges of others_ at each variable, from first_at_ on, with their factors and these factors' weights.
  std::vector<int> first_at_, edge_at_, other_at_;
  std::vector<double> weight_at_;
  std::vector<int> home_;    ///< its edge in the largest of others_; -1: it is in pairs only
  bool disjoint_ = true;     ///< no variable is in two of others_
  bool all_hard_ = true;     ///< others_ have no scores
  bool all_clauses_ = true;  ///< the graph has OR factors only
  // These have an entry for each edge of others_.
  std::vector<Literal> literal_;
  std::vector<std::int64_t> places_;   ///< the same for kernels: twice the variable, and 1 more where it is negated
  std::vector<double> u_;              ///< what the factor would have it, in the variable's orientation
  std::vector<double> q_;              ///< local score: the factor's part of theta, multiplier included
  std::vector<double> u_sum_, q_sum_;  ///< sums since start_mean(); of u where disjoint_ only, which needs its mean
  std::vector<double> mean_;           ///< scratch
  std::vector<double> local_;
  std::vector<std::uint8_t> y_;
  Fixed fixed_;
  double constant_ = 0.0;     ///< what negated pairs score with all variables 0
  double least_value_ = 0.0;  ///< no assignment has a lower score
  double total_weight_ = 0.0;
  double penalty_ = 1.0, start_penalty_ = 1.0;
  double bound_ = 0.0;
  double bound_rounding_ = 0.0;
  std::vector<int> pair_factors_;              ///< the factor of each pair, in the order of pairs_
  std::vector<double> bound_pairs_, bound_q_;  ///< local scores of pairs and others that gave the first run's bound
  double work_ = 0.0;                          ///< sum of q (u - p)
  std::vector<double> point_;                  ///< the best point of the relaxation in this run, where they are known
  double point_value_ = -HUGE_VAL;
  double residual_ = 0.0, dual_residual_ = 0.0;
  int iterations_ = 0;
  bool is_first_run_ = true;
  std::optional<Assignment> rounded_;  ///< what rounding found last
  Assignment best_;
  double value_ = -HUGE_VAL;
};

}  // namespace kirchhoff::factor
