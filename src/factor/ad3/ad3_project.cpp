// What AD3 does with one factor in an iteration, the first and the last line of ad3.cpp's: the projection, in closed
// form or by a few steps of an active set, and the update of its local scores. Clauses of three that follow each other
// are done together. Linear in the inputs and their logarithm where the projection is in closed form.
#include "factor/ad3/ad3.hpp"

#include <algorithm>

namespace kirchhoff::factor {
namespace {

// With the configurations of the last iteration at hand, an inexact projection does as well [Martins15].
constexpr int kInnerSteps = 1;
constexpr int kTableSteps = 3;  // they are cheap, and an exact answer lets the table rest

}  // namespace

/// The number of clauses of three that follow each other in the list of factors that are awake, from its place k on.
std::size_t Ad3::clauses_from(std::size_t k) const {
  const int* const first = awake_.data() + k;
  const std::size_t most = awake_.size() - k;
  std::size_t size = 0;
  while (size < most && first[size] == first[0] + static_cast<int>(size) && is_clause_[first[size]] != 0) ++size;
  return size;
}

ClauseArrays Ad3::clauses(int f, std::size_t size) {
  const int first = others_[f].begin;
  return {size,
          places_.data() + first,
          weights_.data() + f,
          p_.data(),
          u_.data() + first,
          q_.data() + first,
          disjoint_ ? u_sum_.data() + first : nullptr,
          q_sum_.data() + first};
}

void Ad3::project(int f) {
  Other& other = others_[f];
  const double weight = 1.0 / (penalty_ * weights_[f]);
  const Factor& factor = graph_.factor(other.factor);
  const auto n = static_cast<std::size_t>(other.end - other.begin);
  for (std::size_t k = 0; k < n; ++k) {
    const Literal literal = literal_[other.begin + k];
    const double t = p_[literal.variable] + q_[other.begin + k] * weight;
    local_[k] = literal.negated ? 1.0 - t : t;
  }
  const std::span<const double> target(local_.data(), n);
  const std::span<double> u(u_.data() + other.begin, n);
  other.is_exact = true;
  if (other.table) {
    other.score = other.table->project(target, weight, u, kTableSteps);
    other.is_exact = other.table->is_optimal();
  } else if (const auto closed = factor.project(target, weight, u)) {
    other.score = *closed;
  } else {
    if (!other.active) other.active = std::make_unique<ActiveSet>();
    other.score = other.active->project(factor, target, weight, u, kInnerSteps);
    other.is_exact = other.active->is_optimal();
  }
  for (std::size_t k = 0; k < n; ++k) {
    if (literal_[other.begin + k].negated) u[k] = 1.0 - u[k];
  }
}

/// Moves the factor's local scores by its disagreement, which is returned, and counts it in the means.
ClauseStep Ad3::update_local(int f) {
  Other& other = others_[f];
  const double weight = weights_[f], penalty = penalty_ * weight;
  ClauseStep step;
  int stays = other.is_exact ? 1 : 0;
  for (int e = other.begin; e < other.end; ++e) {
    const int i = literal_[e].variable;
    const double apart = u_[e] - p_[i];
    stays &= static_cast<int>(apart == 0.0) & static_cast<int>(moved_[i] == 0);  // a branch would be hard to foresee
    const double q = q_[e] - penalty * apart;
    q_[e] = q;
    step.squares += weight * apart * apart;
    step.work += q * apart;
    q_sum_[e] += q;  // here and not by count_in_mean(), so that q and u are read once
    if (disjoint_) u_sum_[e] += u_[e];
  }
  other.scores += other.score;
  rests_[f] = static_cast<char>(stays);
  return step;
}

ClauseStep Ad3::update_local_of_clauses(int f, std::size_t size) {
  const ClauseStep step = update_clauses(clauses(f, size), penalty_, rests_.data() + f);
  for (std::size_t k = static_cast<std::size_t>(f); k < static_cast<std::size_t>(f) + size; ++k) {
    if (rests_[k] == 0) continue;
    const Literal* literal = literal_.data() + others_[k].begin;
    rests_[k] =
        static_cast<char>(moved_[literal[0].variable] + moved_[literal[1].variable] + moved_[literal[2].variable] == 0);
  }
  return step;
}

}  // namespace kirchhoff::factor
