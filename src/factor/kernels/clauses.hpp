// Clauses of three inputs (ORs, some of them negated) in AD3: what an iteration does with thousands of them, in
// vectors.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kirchhoff::factor {

/// Clauses that follow each other. Arrays by input have three numbers for each.
struct ClauseArrays {
  std::size_t size = 0;
  const std::int64_t* places = nullptr;  ///< by input: twice the variable, and 1 more where it is negated
  const double* weights = nullptr;       ///< by clause: its penalty, as a multiple of that of pairs
  const double* p = nullptr;             ///< by variable: the consensus
  double* u = nullptr;                   ///< by input: what the clause would have it, in the variable's orientation
  double* q = nullptr;                   ///< by input: local scores
  double* u_sum = nullptr;               ///< by input: the sum of u for its mean; null where none is wanted
  double* q_sum = nullptr;               ///< by input: the sum of q
};
struct ClauseStep {
  double squares = 0.0;  ///< sum of weight (u - p)^2
  double work = 0.0;     ///< sum of q (u - p)
};

/// Projects every clause: u is the nearest point at which it holds to p + q / (penalty weight).
void project_clauses(const ClauseArrays& clauses, double penalty);
/// Moves q by -penalty weight (u - p) and adds q and u to their sums. `agrees` becomes 1 for clauses whose u is p.
ClauseStep update_clauses(const ClauseArrays& clauses, double penalty, char* agrees);

}  // namespace kirchhoff::factor
