// The only file that knows COIN-OR: linear programs by Clp, integer programs by Cbc.
#include "lp/problem.hpp"

#include <coin/CbcModel.hpp>
#include <coin/ClpSimplex.hpp>
#include <coin/CoinPackedMatrix.hpp>
#include <coin/OsiClpSolverInterface.hpp>

#include <algorithm>

namespace kirchhoff::lp {
namespace {

struct Arrays {
  std::vector<double> lower, upper, cost, row_lower, row_upper;
};

double coin_bound(double x) { return std::clamp(x, -COIN_DBL_MAX, COIN_DBL_MAX); }

Arrays arrays_of(const Problem& problem) {
  Arrays result;
  for (const Problem::Column& c : problem.columns) {
    result.lower.push_back(coin_bound(c.lower));
    result.upper.push_back(coin_bound(c.upper));
    result.cost.push_back(-c.cost);  // Clp minimises
  }
  for (const double x : problem.row_lower) result.row_lower.push_back(coin_bound(x));
  for (const double x : problem.row_upper) result.row_upper.push_back(coin_bound(x));
  return result;
}

CoinPackedMatrix matrix_of(const Problem& problem) {
  const int rows = static_cast<int>(problem.row_lower.size());
  const int columns = static_cast<int>(problem.columns.size());
  return CoinPackedMatrix(/*colordered=*/false, columns, rows, static_cast<CoinBigIndex>(problem.column.size()),
                          problem.value.data(), problem.column.data(), problem.first.data(), nullptr);
}

double value_of(const Problem& problem, const std::vector<double>& x) {
  double sum = 0.0;
  for (std::size_t c = 0; c < x.size(); ++c) sum += problem.columns[c].cost * x[c];
  return sum;
}

}  // namespace

Solution solve_relaxed(const Problem& problem) {
  const Arrays a = arrays_of(problem);
  ClpSimplex model;
  model.setLogLevel(0);
  model.loadProblem(matrix_of(problem), a.lower.data(), a.upper.data(), a.cost.data(), a.row_lower.data(),
                    a.row_upper.data());
  model.initialSolve();
  Solution result;
  result.iterations = model.numberIterations();
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

Solution solve_integer(const Problem& problem, double time_limit) {
  const Arrays a = arrays_of(problem);
  OsiClpSolverInterface relaxed;
  relaxed.messageHandler()->setLogLevel(0);
  relaxed.loadProblem(matrix_of(problem), a.lower.data(), a.upper.data(), a.cost.data(), a.row_lower.data(),
                      a.row_upper.data());
  for (std::size_t c = 0; c < problem.columns.size(); ++c) {
    if (problem.columns[c].integer) relaxed.setInteger(static_cast<int>(c));
  }
  CbcModel model(relaxed);
  model.setLogLevel(0);
  model.setMaximumSeconds(time_limit);
  model.setAllowableGap(1e-9);
  model.initialSolve();
  Solution result;
  if (!model.solver()->isProvenOptimal()) {
    if (model.solver()->isProvenPrimalInfeasible()) result.outcome = Outcome::infeasible;
    return result;
  }
  model.branchAndBound();
  result.iterations = model.getNodeCount();
  if (model.isProvenInfeasible()) {
    result.outcome = Outcome::infeasible;
    return result;
  }
  result.outcome = model.isProvenOptimal() ? Outcome::optimal : Outcome::time_limit;
  result.bound = -model.getBestPossibleObjValue();
  if (const double* x = model.bestSolution()) {
    result.x.assign(x, x + problem.columns.size());
    result.value = value_of(problem, result.x);
  }
  return result;
}

}  // namespace kirchhoff::lp
