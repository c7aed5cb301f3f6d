// A batch of graphs on a CUDA device, or by the same kernels on the host where there is none.
#include <kirchhoff/kirchhoff.hpp>

#include <cmath>
#include <iostream>

namespace cuda = kirchhoff::cuda;

int main() {
  kirchhoff::MatrixBatch graphs;
  for (int words = 1; words <= 3; ++words) graphs.add(kirchhoff::Matrix::Zero(words + 1, words + 1));
  kirchhoff::Matrix no_root = kirchhoff::Matrix::Zero(3, 3);
  no_root.row(0).setConstant(-HUGE_VAL);  // nobody may be the root's child
  graphs.add(no_root);

  const cuda::Executor executor = cuda::available() ? cuda::Executor::device : cuda::Executor::host;
  std::cout << "on the " << kirchhoff::to_string(executor) << ": " << cuda::description() << '\n';
  const cuda::BatchAnswers answers = cuda::solve(graphs, kirchhoff::Root::multi, executor);
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    std::cout << "graph " << i << " is " << kirchhoff::to_string(answers.status[i]) << " and has "
              << std::exp(answers.log_partition[i]) << " trees; p(0 -> 1) = " << answers.marginals[i](0, 1) << '\n';
  }
}
