// Entropies of batches and their gradients, with storage that is used again for the next graph.
#include "expectation/centred.hpp"
#include "kirchhoff/expectation.hpp"
#include "tree/marginals_along.hpp"

#include <algorithm>
#include <limits>

namespace kirchhoff {
namespace {

/// Writes an array of arcs, (n+1) rows, to rows of a batch's array; what is padded there is 0.
void write_rows(const double* array, std::size_t rows, std::size_t length, std::span<double> out, std::size_t stride) {
  if (length < stride) std::fill(out.begin(), out.end(), 0.0);
  for (std::size_t r = 0; r < rows; ++r) std::copy_n(array + r * length, length, out.begin() + r * stride);
}

/// The gradient of the entropy, which is minus that of the expected (centred) score, without allocating.
void write_gradient(const TreeDistribution& p, const expectations::Centred& centred, std::span<double> out,
                    std::size_t stride) {
  thread_local base::Buffer storage;
  const std::size_t size = p.words() + 1;
  double* gradient = stride == size ? out.data() : storage.take(size * size);
  tree::marginals_along(TreeAccess::state(p), MatrixView(centred.scores.data(), p.words() + 1, p.words() + 1),
                        gradient);
  for (std::size_t k = 0; k < size * size; ++k) gradient[k] = 0.0 - gradient[k];  // no -0
  if (stride != size) write_rows(gradient, size, size, out, stride);
}

void write_gradient(const LabelledTreeDistribution& p, const expectations::Centred&, std::span<double> out,
                    std::size_t stride) {
  const LabelledMatrix gradient = entropy_gradient(p);
  write_rows(gradient.data(), p.words() + 1, (p.words() + 1) * static_cast<std::size_t>(p.labels()), out, stride);
}

}  // namespace

template <class D>
std::vector<double> entropies(const BatchOf<D>& batch, std::span<double> gradients, const Stop& stop) {
  if (!gradients.empty() && gradients.size() != batch.array_size()) {
    base::input_error("entropies", "gradients has room for " + std::to_string(gradients.size()) +
                                       " numbers, expected " + std::to_string(batch.array_size()));
  }
  std::vector<double> result(batch.size(), -std::numeric_limits<double>::infinity());
  batch.visit(
      [&](std::size_t i, const D& p) {
        thread_local expectations::Centred centred;
        const expectations::View view = expectations::view(p);
        expectations::centre(view, view, centred);
        result[i] = numeric::not_negative(expectations::minus_expectation(view, centred));
        if (!gradients.empty()) write_gradient(p, centred, batch.part(gradients, i), batch.row_length(i));
      },
      [&](std::size_t i, const Infeasible&) {
        if (!gradients.empty()) std::ranges::fill(batch.part(gradients, i), 0.0);
      },
      stop);
  return result;
}

template std::vector<double> entropies(const TreeBatch&, std::span<double>, const Stop&);
template std::vector<double> entropies(const LabelledTreeBatch&, std::span<double>, const Stop&);

}  // namespace kirchhoff
