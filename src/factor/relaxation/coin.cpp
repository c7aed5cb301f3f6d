// The only file that knows COIN-OR: linear programs by Clp, integer programs by Cbc.
#include "base/stop.hpp"
#include "factor/relaxation/linear_program.hpp"

#include <coin/CbcEventHandler.hpp>
#include <coin/CbcModel.hpp>
#include <coin/ClpEventHandler.hpp>
#include <coin/ClpSimplex.hpp>
#include <coin/ClpSolve.hpp>
#include <coin/CoinPackedMatrix.hpp>
#include <coin/OsiClpSolverInterface.hpp>

#include <algorithm>

namespace kirchhoff::lp {
namespace {

struct Arrays {
  std::vector<double> lower, upper, cost, row_lower, row_upper;
};

double coin_bound(double x) { return std::clamp(x, -COIN_DBL_MAX, COIN_DBL_MAX); }

Arrays arrays_of(const LinearProgram& problem) {
  Arrays result;
  for (const LinearProgram::Column& c : problem.columns) {
    result.lower.push_back(coin_bound(c.lower));
    result.upper.push_back(coin_bound(c.upper));
    result.cost.push_back(-c.cost);  // Clp minimises
  }
  for (const double x : problem.row_lower) result.row_lower.push_back(coin_bound(x));
  for (const double x : problem.row_upper) result.row_upper.push_back(coin_bound(x));
  return result;
}

CoinPackedMatrix matrix_of(const LinearProgram& problem) {
  const int rows = static_cast<int>(problem.row_lower.size());
  const int columns = static_cast<int>(problem.columns.size());
  return CoinPackedMatrix(/*colordered=*/false, columns, rows, static_cast<CoinBigIndex>(problem.column.size()),
                          problem.value.data(), problem.column.data(), problem.first.data(), nullptr);
}

double value_of(const LinearProgram& problem, const std::vector<double>& x) {
  double sum = 0.0;
  for (std::size_t c = 0; c < x.size(); ++c) sum += problem.columns[c].cost * x[c];
  return sum;
}

/// Clp would put its own handler of SIGINT in the place of the program's, and end as if the problem had no solution.
ClpSolve without_signals() {
  ClpSolve options;
  options.setSpecialOption(2, 1);
  return options;
}

/// Between the iterations of a simplex method.
class ClpStop : public ClpEventHandler {
 public:
  explicit ClpStop(base::Stopping& stopping) : stopping_(&stopping) {}
  int event(Event which) override {
    const bool may_end = which == endOfIteration || which == endOfFactorization;
    return may_end && (*stopping_)() ? 0 : -1;
  }
  ClpEventHandler* clone() const override { return new ClpStop(*this); }

 private:
  base::Stopping* stopping_;
};

/// Between the nodes of branch and bound.
class CbcStop : public CbcEventHandler {
 public:
  explicit CbcStop(base::Stopping& stopping) : stopping_(&stopping) {}
  CbcAction event(CbcEvent) override { return (*stopping_)() ? stop : noAction; }
  CbcEventHandler* clone() const override { return new CbcStop(*this); }

 private:
  base::Stopping* stopping_;
};

}  // namespace

Solution solve_relaxed(const LinearProgram& problem, const Stop& stop) {
  const Arrays a = arrays_of(problem);
  ClpSimplex model;
  model.setLogLevel(0);
  model.loadProblem(matrix_of(problem), a.lower.data(), a.upper.data(), a.cost.data(), a.row_lower.data(),
                    a.row_upper.data());
  base::Stopping stopping(stop);
  const ClpStop handler(stopping);
  model.passInEventHandler(&handler);
  ClpSolve options = without_signals();
  model.initialSolve(options);
  Solution result;
  result.iterations = model.numberIterations();
  if (stopping.is_stopped()) {
    result.outcome = Outcome::time_limit;
    result.bound = kInfinity;
    return result;
  }
  if (model.isProvenPrimalInfeasible()) {
    result.outcome = Outcome::infeasible;
    return result;
  }
  if (!model.isProvenOptimal()) return result;
  result.outcome = Outcome::optimal;
  const double* x = model.primalColumnSolution();
  result.x.assign(x, x + problem.columns.size());
  result.value = result.bound = value_of(problem, result.x);
  return result;
}

Solution solve_integer(const LinearProgram& problem, std::optional<double> time_limit, const Stop& stop) {
  const Arrays a = arrays_of(problem);
  OsiClpSolverInterface relaxed;
  relaxed.messageHandler()->setLogLevel(0);
  relaxed.loadProblem(matrix_of(problem), a.lower.data(), a.upper.data(), a.cost.data(), a.row_lower.data(),
                      a.row_upper.data());
  for (std::size_t c = 0; c < problem.columns.size(); ++c) {
    if (problem.columns[c].integer) relaxed.setInteger(static_cast<int>(c));
  }
  base::Stopping stopping(stop);
  const ClpStop clp_handler(stopping);
  relaxed.getModelPtr()->passInEventHandler(&clp_handler);
  relaxed.setSolveOptions(without_signals());
  CbcModel model(relaxed);
  const CbcStop cbc_handler(stopping);
  model.passInEventHandler(&cbc_handler);
  model.setLogLevel(0);
  if (time_limit) model.setMaximumSeconds(*time_limit);
  model.setAllowableGap(1e-9);
  model.initialSolve();
  Solution result;
  if (stopping.is_stopped()) {
    result.outcome = Outcome::time_limit;
    result.bound = kInfinity;
    return result;
  }
  if (!model.solver()->isProvenOptimal()) {
    if (model.solver()->isProvenPrimalInfeasible()) result.outcome = Outcome::infeasible;
    return result;
  }
  const double root_bound = -model.solver()->getObjValue();
  model.branchAndBound();
  result.iterations = model.getNodeCount();
  // A node whose linear program was stopped looks like one without a solution: the search says nothing then.
  if (!stopping.is_stopped() && model.isProvenInfeasible()) {
    result.outcome = Outcome::infeasible;
    return result;
  }
  result.outcome = model.isProvenOptimal() && !stopping.is_stopped() ? Outcome::optimal : Outcome::time_limit;
  result.bound = stopping.is_stopped() ? root_bound : -model.getBestPossibleObjValue();
  if (const double* x = model.bestSolution()) {
    result.x.assign(x, x + problem.columns.size());
    result.value = value_of(problem, result.x);
  }
  return result;
}

}  // namespace kirchhoff::lp
