// How accurate answers should be, and a report of what was done to get there.
#pragma once

#include "kirchhoff/names.hpp"

namespace kirchhoff {

/// How an answer is computed. The fast method inverts a matrix and bounds its own error: for trees by Gauss-Jordan
/// elimination with GTH pivots, in 2n^3 flops. The robust method gives every marginal a small relative error, for trees
/// by elimination without subtraction, in 3n^3 flops.
enum class Method {
  automatic,  ///< The fast method answers if its error bound allows, else the robust one. For trees the latter first
              ///< computes what cancels in the inverse anew, with a bound of the error, and eliminates if that fails.
  fast,       ///< The fast method answers, whatever its error bound says.
  robust,     ///< The robust method answers.
};
template <>
inline constexpr std::array<std::string_view, 3> kNames<Method> = {"automatic", "fast", "robust"};

/// What the caller asks for: every marginal p shall have |error| <= tolerance * max(p, floor). With floor = 0 this is
/// relative accuracy of every marginal; with floor = 1 it is absolute accuracy, which the fast method reaches more
/// often on peaked distributions. `method` can force one method; forcing `fast` ignores the tolerance.
struct Accuracy {
  Method method = Method::automatic;
  double tolerance = 1e-12;
  double floor = 0.0;
};

/// What was done.
struct Report {
  Method method = Method::fast;  ///< The method that answered: fast or robust, never automatic.
  bool extended = false;         ///< The robust method needed numbers of extended range, as doubles would underflow.
  bool certified = true;         ///< The tolerance is met. False only when `fast` was forced and its bound exceeds it.
};

}  // namespace kirchhoff
