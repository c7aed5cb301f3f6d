// For builds without COIN-OR.
#include "factor/relaxation/linear_program.hpp"

#include <stdexcept>

namespace kirchhoff::lp {
namespace {

[[noreturn]] void missing() {
  throw std::runtime_error("this build of kirchhoff has no linear programming solver (COIN-OR Clp and Cbc)");
}

}  // namespace

Solution solve_relaxed(const LinearProgram&, const Stop&) { missing(); }
Solution solve_integer(const LinearProgram&, std::optional<double>, const Stop&) { missing(); }

}  // namespace kirchhoff::lp
