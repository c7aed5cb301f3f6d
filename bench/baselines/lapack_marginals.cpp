// The partition function and all marginals by OpenBLAS: the code of eigen_marginals with dgetrf and dgetri in place of
// Eigen's LU. Source: [Koo07]; LAPACK Users' Guide. Cost: 2n^3 flops (2/3 n^3 factorise, 4/3 n^3 invert) and n^2
// exponentials.
#include "baselines/lapack_marginals.hpp"

#include "baselines/laplacian.hpp"

#include <stdexcept>
#include <vector>

// The Fortran symbols, so that no LAPACKE header is needed.
extern "C" {
void dgetrf_(const int* m, const int* n, double* a, const int* lda, int* pivots, int* info);
void dgetri_(const int* n, double* a, const int* lda, const int* pivots, double* work, const int* lwork, int* info);
void openblas_set_num_threads(int threads);
}

namespace kirchhoff::bench {
namespace {

void require_success(int info) {
  if (info != 0) throw std::runtime_error("[lapack_marginals] the Laplacian is singular");
}

std::vector<int> factorise(double* matrix, int n) {
  std::vector<int> pivots(static_cast<std::size_t>(n));
  int info = 0;
  dgetrf_(&n, &n, matrix, &n, pivots.data(), &info);
  require_success(info);
  return pivots;
}

void invert_factorised(double* matrix, int n, const std::vector<int>& pivots) {
  int info = 0;
  int ask = -1;
  double best_size = 0;
  dgetri_(&n, matrix, &n, pivots.data(), &best_size, &ask, &info);
  std::vector<double> work(static_cast<std::size_t>(best_size));
  int size = static_cast<int>(work.size());
  dgetri_(&n, matrix, &n, pivots.data(), work.data(), &size, &info);
  require_success(info);
}

}  // namespace

void lapack_single_thread() { openblas_set_num_threads(1); }

double lapack_marginals(const double* scores, int n, double* marginals) {
  const ArcMatrix w = weights_of(scores, n);
  Dense matrix = laplacian_of(w);
  const std::vector<int> pivots = factorise(matrix.data(), n);
  const double log_z = matrix.diagonal().array().abs().log().sum();
  invert_factorised(matrix.data(), n, pivots);
  marginals_of(w, matrix, marginals);
  return log_z;
}

void lapack_invert(double* matrix, int n) { invert_factorised(matrix, n, factorise(matrix, n)); }

}  // namespace kirchhoff::bench
