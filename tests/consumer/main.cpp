// Prints the log-partition of a graph small enough to count by hand, and fails when it is wrong.
#include <kirchhoff/kirchhoff.hpp>

#include <cmath>
#include <cstdio>

int main() {
  // All weights 1: Z is the number of trees, 4^2 with any number of root children and 3^2 with one (Cayley).
  const kirchhoff::Matrix scores = kirchhoff::Matrix::Zero(4, 4);
  const kirchhoff::TreeDistribution multi(scores, kirchhoff::Root::multi);
  const kirchhoff::TreeDistribution single(scores, kirchhoff::Root::single);
  std::printf("kirchhoff %s: log_partition multi %.15g, single %.15g\n", kirchhoff::kVersion, multi.log_partition(),
              single.log_partition());

  // Memory that the library allocated, freed here: the two must agree about Eigen's alignment.
  const kirchhoff::Matrix log_marginals = single.log_marginals();

  // Whether there is a device is asked of CUDA's runtime, if the library has it; the kernels also run without.
  kirchhoff::MatrixBatch graphs;
  graphs.add(scores);
  const auto batch = kirchhoff::cuda::solve(graphs, kirchhoff::Root::multi, kirchhoff::cuda::Executor::host);
  std::printf("%s\n", kirchhoff::cuda::description().c_str());

  const bool good = std::abs(multi.log_partition() - std::log(16.0)) < 1e-14 &&
                    std::abs(single.log_partition() - std::log(9.0)) < 1e-14 &&
                    std::abs(log_marginals(0, 1) - std::log(1.0 / 3.0)) < 1e-14 &&
                    std::abs(batch.log_partition[0] - std::log(16.0)) < 1e-14;
  if (!good) std::fprintf(stderr, "wrong\n");
  return good ? 0 : 1;
}
