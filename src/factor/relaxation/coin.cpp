// The only file that knows COIN-OR: linear programs by Clp.
#include "factor/relaxation/linear_program.hpp"

#include <coin/ClpEventHandler.hpp>
#include <coin/ClpSimplex.hpp>
#include <coin/ClpSolve.hpp>
#include <coin/CoinPackedMatrix.hpp>

#include <algorithm>
#include <new>
#include <utility>

namespace kirchhoff::lp {
namespace {

std::vector<double> coin_bounds(const std::vector<double>& bounds) {
  std::vector<double> result(bounds);
  for (double& x : result) x = std::clamp(x, -COIN_DBL_MAX, COIN_DBL_MAX);
  return result;
}

/// Throws std::bad_alloc unless there is room for about twice what Clp took for the programs of the tests. Clp itself
/// does not survive a lack of memory everywhere: in some places it frees what it was about to replace a second time.
void require_memory(const LinearProgram& problem) {
  constexpr std::size_t kAtLeast = std::size_t{4} << 20;
  constexpr std::size_t kForEach = 2048;  // row or column
  constexpr std::size_t kForTerm = 64;
  const auto lines = static_cast<std::size_t>(problem.rows()) + static_cast<std::size_t>(problem.columns());
  void* volatile room = ::operator new(kAtLeast + kForEach * lines + kForTerm * problem.column.size());
  ::operator delete(room);
}

/// Clp minimises.
std::vector<double> negated(const double* begin, int size) {
  std::vector<double> result(begin, begin + size);
  for (double& x : result) x = -x;
  return result;
}

CoinPackedMatrix matrix_of(const LinearProgram& problem) {
  return CoinPackedMatrix(/*colordered=*/false, problem.columns(), problem.rows(),
                          static_cast<CoinBigIndex>(problem.column.size()), problem.value.data(), problem.column.data(),
                          problem.first.data(), nullptr);
}

/// The time of a solve, and whether a StopScope has ended it: no exception may pass through Clp.
struct Watch {
  factor::Clock* clock = nullptr;
  bool stopped = false;

  bool is_over() {
    try {
      return clock->is_over();
    } catch (const Stopped&) {
      return stopped = true;
    }
  }
};

/// Between the iterations of a simplex method.
class ClpStop : public ClpEventHandler {
 public:
  explicit ClpStop(Watch& watch) : watch_(&watch) {}
  int event(Event which) override {
    const bool may_end = which == endOfIteration || which == endOfFactorization;
    return may_end && watch_->is_over() ? 0 : -1;
  }
  ClpEventHandler* clone() const override { return new ClpStop(*this); }

 private:
  Watch* watch_;
};

}  // namespace

struct Simplex::State {
  ClpSimplex model;
  Watch watch;
  bool has_basis = false;
};

Simplex::Simplex(LinearProgram p) : problem(std::move(p)) {
  require_memory(problem);
  state_ = std::make_unique<State>();
  ClpSimplex& model = state_->model;
  model.setLogLevel(0);
  model.loadProblem(matrix_of(problem), nullptr, nullptr, nullptr, nullptr, nullptr);
  const ClpStop handler(state_->watch);
  model.passInEventHandler(&handler);
}

Simplex::~Simplex() = default;

Solution Simplex::solve(factor::Clock& clock) {
  require_memory(problem);
  ClpSimplex& model = state_->model;
  state_->watch = {&clock};
  model.chgColumnLower(coin_bounds(problem.lower).data());
  model.chgColumnUpper(coin_bounds(problem.upper).data());
  model.chgRowLower(coin_bounds(problem.row_lower).data());
  model.chgRowUpper(coin_bounds(problem.row_upper).data());
  model.chgObjCoefficients(negated(problem.cost.data(), problem.columns()).data());
  if (state_->has_basis) {
    model.dual();
  } else {
    // Clp would put its own handler of SIGINT in the place of the program's, and end as if there were no solution.
    ClpSolve options;
    options.setSpecialOption(2, 1);
    model.initialSolve(options);
  }
  if (state_->watch.stopped) throw Stopped();
  Solution result;
  result.iterations = model.numberIterations();
  if (clock.was_over()) {
    result.outcome = Outcome::time_limit;
  } else if (model.isProvenOptimal()) {
    result.outcome = Outcome::optimal;
    result.x.assign(model.primalColumnSolution(), model.primalColumnSolution() + problem.columns());
    result.duals = negated(model.dualRowSolution(), problem.rows());
    state_->has_basis = true;
  } else if (model.isProvenPrimalInfeasible()) {
    result.outcome = Outcome::infeasible;
  }
  return result;
}

}  // namespace kirchhoff::lp
