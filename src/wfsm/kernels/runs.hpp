// The kernel that fills rows of a Hessian from runs of transitions that share a source state.
#pragma once

#include <cstddef>

namespace kirchhoff::wfsm {

/// Positions begin .. begin+count of a row belong to one `row` and to columns from `column` on.
struct Run {
  int row;
  int column;
  std::size_t begin;
  std::size_t count;
};
/// out[i] = w[i] (a x[row] + b y[row] z[column]) for all positions of the runs; nothing needs to be aligned.
void weighted_runs(std::size_t count, const Run* runs, double a, const double* x, double b, const double* y,
                   const double* z, const double* w, double* out);

}  // namespace kirchhoff::wfsm
