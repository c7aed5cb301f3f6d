// Bounds that hold whatever the solver that proposed them did: weak duality in our own arithmetic.
#pragma once

#include "factor/graph/propagate.hpp"
#include "numeric/sum.hpp"

#include <vector>

namespace kirchhoff::factor {

struct Bound {
  double value = 0.0;     ///< no assignment has a higher score; -inf: there is none
  double rounding = 0.0;  ///< what of it is for rounding errors only
};

/// Every factor C gets a part q of its variables' scores, any part. Then sum over C of max over y of q.y + s_C(y), and
/// over variables of max(0, score - all their parts), bounds the score of every assignment. One best() for each factor.
class Certifier {
 public:
  explicit Certifier(const FactorGraph& graph) : graph_(graph), rest_(graph.variables()) {}
  /// `parts` has q for each edge, of the variable rather than of its negation. Assignments with `fixed` values are
  /// bounded; those of fixed variables count nothing in `parts`.
  Bound operator()(const std::vector<double>& parts, const Fixed& fixed);

 private:
  const FactorGraph& graph_;
  std::vector<numeric::Sum> rest_;
  std::vector<double> q_;
  std::vector<std::uint8_t> y_;
};

/// The sum of the sizes of what the score of an assignment adds up.
double size_of_score(const FactorGraph& graph, const Assignment& assignment);

}  // namespace kirchhoff::factor
