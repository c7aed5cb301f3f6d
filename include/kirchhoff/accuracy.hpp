// How accurate answers should be, and a report of what was done to get there.
#pragma once

#include "kirchhoff/names.hpp"

namespace kirchhoff {

enum class Method {
  automatic,  ///< the fast method if its error bound allows, else the robust one
  fast,       ///< an inverse with an error bound: for trees, Gauss-Jordan elimination with GTH pivots, 2n^3 flops
  robust,     ///< a subtraction-free elimination: for trees 3n^3 flops, and every marginal has small relative error
};
template <>
inline constexpr std::array<std::string_view, 3> kNames<Method> = {"automatic", "fast", "robust"};

/// What the caller asks for: every marginal p with |error| <= tolerance * max(p, floor).
/// floor = 0 asks for relative accuracy of every marginal; floor = 1 asks for absolute accuracy, which the fast method
/// reaches more often on peaked distributions. `method` can force one method; forcing `fast` ignores the tolerance.
struct Accuracy {
  Method method = Method::automatic;
  double tolerance = 1e-12;
  double floor = 0.0;
};

/// What ran.
struct Report {
  Method method = Method::fast;  ///< fast or robust, never automatic
  bool extended = false;         ///< the robust method needed extended-range scalars because doubles would underflow
  bool certified = true;         ///< the tolerance is met; false only when `fast` was forced and its bound exceeds it
};

}  // namespace kirchhoff
