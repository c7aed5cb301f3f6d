// Alternating directions dual decomposition: the state of one run, which branch and bound continues from.
#pragma once

#include "factor/active_set.hpp"
#include "factor/propagate.hpp"
#include "factor/round.hpp"

#include <chrono>
#include <vector>

namespace kirchhoff::factor {

class Clock {
 public:
  explicit Clock(double limit) : limit_(limit) {}
  bool is_over() const {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
    return spent.count() > limit_;
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double limit_;
};

class Ad3 {
 public:
  Ad3(const FactorGraph& graph, const Ad3Options& options);

  /// Solves the relaxation in which variables are fixed, from where the last call left off. Stops
  /// early when its bound shows that no assignment is better than best().
  Status run(const Fixed& fixed, int max_iterations, const Clock& clock);

  // Of the last run:
  double bound() const { return bound_; }
  const std::vector<double>& point() const { return p_; }
  /// What was asked for, and what follows from it.
  const Fixed& fixed() const { return fixed_; }
  double residual() const { return residual_; }
  // Of all runs:
  int iterations() const { return iterations_; }
  const Assignment& best() const { return best_; }
  double value() const { return value_; }
  /// The gap is closed: nothing above the bound is worth looking for.
  bool is_closed(double bound) const;

 private:
  /// A PAIR factor without negation, most of many graphs: its edges are e and e + 1.
  struct Pair {
    int e = 0;
    double score = 0.0;
    double both = 0.0;   ///< the mixture's weight on both inputs
    bool quiet = false;  ///< u = p exactly after the last update: the same question again unless p has moved
  };
  void give_scores_to_largest();
  void balance(int i);
  bool start_from_best();
  void project_pairs();
  void project_others();
  void update_point();
  void update_multipliers();
  void adapt_penalty();
  void forget_answers();
  double relaxed_value() const;
  double dual_bound();
  void round();

  const FactorGraph& graph_;
  const Ad3Options& options_;
  Incidence incidence_;
  Propagator propagator_;
  Rounder rounder_;
  std::vector<double> share_;   ///< by variable: score / degree; 0 for variables that are fixed by their score
  std::vector<double> p_;       ///< by variable: the consensus
  std::vector<char> moved_;     ///< by variable: p changed in the last iteration
  std::vector<double> before_;  ///< p of the iteration before
  std::vector<double> u_;       ///< by edge: what the factor would have it
  std::vector<double> lambda_;  ///< by edge: multiplier of u = p
  std::vector<int> at_;         ///< by edge: its variable
  std::vector<Pair> pairs_;
  std::vector<int> others_;  ///< factors
  std::vector<double> target_, local_;
  std::vector<std::uint8_t> y_;
  Fixed fixed_;
  std::vector<ActiveSet> active_;  ///< by factor
  double least_value_ = 0.0;       ///< no assignment has a lower score
  double penalty_ = 1.0;
  double bound_ = 0.0;
  double mixture_score_ = 0.0;  ///< of all factors but pairs, at u
  double residual_ = 0.0, dual_residual_ = 0.0;
  int iterations_ = 0;
  Assignment best_;
  double value_ = -HUGE_VAL;
};

}  // namespace kirchhoff::factor
