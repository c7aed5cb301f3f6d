// The reference for graphs too large to enumerate: LU inverse of Koo's Laplacian in as many digits as the scores need
// (Boost.Multiprecision on MPFR). It is the formula of docs/methods/trees.md, with all its cancellation; only the
// digits make it right, and two runs, the second with twice the digits, must agree before an answer is given.
#pragma once

#include "kirchhoff/types.hpp"
#include "support/oracle.hpp"

namespace kirchhoff::high_precision {

struct Answer {
  oracle::Real log_partition = 0;
  oracle::ArcArray marginals;      ///< 0 below the smallest long double
  oracle::ArcArray log_marginals;  ///< right whatever their size; -inf for arcs in no tree
  oracle::ArcArray along;          ///< derivative of the marginals along `direction`, 0 without one
  int bits = 0;                    ///< how many bits were enough
};

/// n <= 30 and scores of a few thousand at most, please.
Answer solve(const Matrix& scores, Root root);
/// Also the directional derivative p_kl r_kl - w_kl (Q a_kl)_l, Q = K L(w r) K (docs/methods/expectations.md).
Answer solve(const Matrix& scores, Root root, const Matrix& direction);

/// Is arc head->dependent in some tree? By reachability, arc by arc.
bool arc_possible(const Matrix& scores, Root root, int head, int dependent);

}  // namespace kirchhoff::high_precision
