// For builds without COIN-OR.
#include "factor/relaxation/linear_program.hpp"

#include <stdexcept>

namespace kirchhoff::lp {

struct Simplex::State {};

Simplex::Simplex(LinearProgram) {
  throw std::runtime_error("this build of kirchhoff has no linear programming solver (COIN-OR Clp)");
}

Simplex::~Simplex() = default;

Solution Simplex::solve(factor::Clock&) { return {}; }

}  // namespace kirchhoff::lp
