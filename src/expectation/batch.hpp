// Entropies of batches and their gradients, with storage that is used again for the next graph, for the files that
// instantiate them.
#pragma once

#include "expectation/centred.hpp"
#include "kirchhoff/expectation.hpp"
#include "tree/batch/along.hpp"
#include "tree/batch/rows.hpp"
#include "tree/marginals_along.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>

namespace kirchhoff {
namespace expectations {

template <class D>
void write_entropy_gradient(const D& p, const Centred&, std::span<double> out, std::size_t stride) {
  const Array<D> gradient = entropy_gradient(p);
  tree::write_rows({gradient.data(), static_cast<std::size_t>(gradient.size())}, p.words(), out, stride);
}

/// The gradient of the entropy, which is minus that of the expected (centred) score, without allocating.
inline void write_entropy_gradient(const TreeDistribution& p, const Centred& centred, std::span<double> out,
                                   std::size_t stride) {
  thread_local base::Buffer storage;
  const std::size_t size = p.words() + 1;
  double* gradient = stride == size ? out.data() : storage.take(size * size);
  tree::marginals_along(TreeAccess::state(p), MatrixView(centred.scores.data(), p.words() + 1, p.words() + 1),
                        gradient);
  for (std::size_t k = 0; k < size * size; ++k) gradient[k] = 0.0 - gradient[k];  // no -0
  if (stride != size) tree::write_rows({gradient, size * size}, p.words(), out, stride);
}

}  // namespace expectations

template <class D>
std::vector<double> entropies(const BatchOf<D>& batch, std::span<double> gradients, const Stop& stop) {
  if (!gradients.empty() && gradients.size() != batch.array_size()) {
    base::input_error("entropies", "gradients has room for " + std::to_string(gradients.size()) +
                                       " numbers, expected " + std::to_string(batch.array_size()));
  }
  std::vector<double> result(batch.size(), -HUGE_VAL);
  std::vector<std::size_t> rest = tree::every_graph(batch.size());
  if constexpr (std::is_same_v<D, TreeDistribution>) {
    rest = tree::along_in_lanes(batch, {batch.graphs(), -1.0, gradients, result}, stop);
  }
  batch.visit(
      rest,
      [&](std::size_t i, const D& p) {
        thread_local expectations::Centred centred;
        const expectations::View view = expectations::view(p);
        expectations::centre(view, view, centred);
        result[i] = numeric::not_negative(expectations::minus_expectation(view, centred));
        if (!gradients.empty())
          expectations::write_entropy_gradient(p, centred, batch.part(gradients, i), batch.row_length(i));
      },
      [&](std::size_t i, const Infeasible&) {
        if (!gradients.empty()) std::ranges::fill(batch.part(gradients, i), 0.0);
      },
      stop);
  return result;
}

}  // namespace kirchhoff
