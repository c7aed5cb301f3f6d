// Scores without the constants that a distribution does not depend on, chosen so that no digits are lost.
#pragma once

#include "expectation/view.hpp"
#include "numeric/sum.hpp"

#include <vector>

namespace kirchhoff::expectations {

/// q's scores minus, for each word, the score of the arc into it that is most probable under p, and log Z of what is
/// left. Where it matters these are numbers of the size of q's log-probabilities, whatever the size of the scores. -inf
/// where an arc is impossible under q.
struct Centred {
  std::vector<double> scores;  // flat, as in View
  numeric::Sum log_z;
};
/// Centres q's scores. The storage in `out` is reused.
void centre(const View& p, const View& q, Centred& out);

/// Computes p's scores minus q's up to a constant per word, and 0 where an arc is impossible: the direction of KL's
/// gradient.
void score_gap(const View& p, const View& q, double* out);

/// Returns -E_p[log q] for a q that allows all trees of p.
double minus_expectation(const View& p, const Centred& q);

/// The scaled score (log w) of one possible arc, exactly high + low.
numeric::TwoSum scaled_score(const View& v, int head, int dependent, std::size_t index);

}  // namespace kirchhoff::expectations
